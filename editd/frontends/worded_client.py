"""An ``EngineClient`` that rewords the sentences of another one for one kind of front end (``Door``): none but a terminal's names a flag.

The words are in ``wording``; sentences about single hunks name nothing that could be done and are passed on as they
are.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from editd.daemon.engine_client import EngineClient, Request
from editd.errors import EditdError
from editd.messages import (
    CompleteResult,
    Done,
    EditResult,
    Progress,
    ServerMessage,
    StatusReport,
)
from editd.wording import Door, worded


class WordedClient(EngineClient):
    """Passes all to ``engine``, and puts the sentences of its messages and errors in the words of ``door``."""

    def __init__(self, engine: EngineClient, door: Door) -> None:
        self._engine = engine
        self._door = door

    async def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        """Ask the engine and yield its messages, their sentences in the words of the front end (``_worded``). The
        sentence of an ``EditdError`` is reworded in place, and the same error raised.
        """
        try:
            async with aclosing(self._engine.ask(request)) as messages:
                async for message in messages:
                    yield self._worded(message)
        except EditdError as error:
            self._reword(error)
            raise

    async def cancel(self, request_id: str) -> None:
        """As ``EngineClient.cancel``."""
        await self._engine.cancel(request_id)

    async def status(self) -> StatusReport:
        """The engine's report, its message in the words of the front end. The sentence of an ``EditdError`` is
        reworded in place, and the same error raised.
        """
        try:
            report = await self._engine.status()
        except EditdError as error:
            self._reword(error)
            raise
        return replace(report, message=worded(report.message, self._door))

    async def aclose(self) -> None:
        """As ``EngineClient.aclose``."""
        await self._engine.aclose()

    def _worded(self, message: ServerMessage) -> ServerMessage:
        """A copy of ``message`` with its sentences in the words of the front end: error, notices and summary of an
        edit's result, notices of a completion, messages of ``Progress`` and ``Done``. Other messages, and hunks, as
        they are.
        """
        match message:
            case EditResult(error=error):
                if error is not None:
                    error = replace(error, message=worded(error.message, self._door))
                return replace(
                    message,
                    error=error,
                    notices=tuple(worded(notice, self._door) for notice in message.notices),
                    summary=worded(message.summary, self._door),
                )
            case CompleteResult():
                notices = tuple(worded(notice, self._door) for notice in message.notices)
                return replace(message, notices=notices)
            case Progress() | Done():
                return replace(message, message=worded(message.message, self._door))
        return message

    def _reword(self, error: EditdError) -> None:
        """Put the sentence of ``error`` in the words of the door, in place: an error of any class stays of it."""
        error.args = (worded(str(error), self._door),)
