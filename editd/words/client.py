"""A client of the engine that first asks the words: what they decide starts no daemon and loads no model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from editd.apply.answering import walk
from editd.messages import Delta, EditRequest, EditResult, Progress
from editd.words.answering import by_words

if TYPE_CHECKING:
    from editd.daemon.engine_client import EngineClient


class ByWords:
    """Of edits only; ``connect`` is called for the first one that needs a model."""

    def __init__(self, connect: Callable[[], Awaitable[EngineClient]]) -> None:
        self._connect = connect
        self._client: EngineClient | None = None

    async def edit(
        self, request: EditRequest
    ) -> AsyncGenerator[Progress | Delta | EditResult, None]:
        """The edit's messages; its result is the last."""
        if (computed := by_words(request)) is not None:
            yield Delta(request.request_id, 0, walk(computed.hunks, request.text))
            yield computed
            return
        if self._client is None:
            self._client = await self._connect()
        async with aclosing(self._client.edit(request)) as messages:
            async for message in messages:
                yield message

    async def aclose(self) -> None:
        """Close the connection to the engine, if there is one."""
        if self._client is not None:
            await self._client.aclose()
