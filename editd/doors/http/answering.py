"""Sends an answer, whole or piece by piece, for as long as its client waits.

Knows ASGI's ``receive`` and ``send``. ``replies`` formats the pieces, the caller makes
them. A client that hangs up, or the time limit, ends the work at once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from editd.doors.completions.words import Usage
from editd.doors.http.replies import DONE, FinishReason, HttpError, Reply, event, http_error
from editd.errors import EditdError


@dataclass(frozen=True, slots=True)
class End:
    """The last item that a source yields. about: what editd says of a merge, beside OpenAI's fields."""

    finish_reason: FinishReason
    usage: Usage
    about: Mapping[str, Any] | None = None


Source = AsyncGenerator["str | End", None]
"""Text in pieces, then its end; raises ``EditdError`` instead."""


@dataclass(slots=True)
class Answer:
    """An ASGI answer. ``source``: begins the work; it is closed when the client has disconnected.

    seconds: the most that it may take, from now on, waiting and sending included. turns: one is held
    from the call to the end; who finds none left is told to come again.
    """

    reply: Reply
    source: Callable[[], Source]
    seconds: float
    turns: asyncio.Semaphore
    stream: bool = False
    with_usage: bool = False
    _begun: bool = field(default=False, init=False)  # a status has been sent
    _streams: bool = field(default=False, init=False)  # events follow it

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, unless the client disconnects first. Raises ``HttpError`` if too many wait."""
        if self.turns.locked():
            raise _TOO_MANY
        async with self.turns:  # at once: nothing came between
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, transmit: Send) -> None:
        async def send(message: Message) -> None:
            await transmit(message)  # what is cancelled in here was not begun
            self._begun = True

        telling = asyncio.create_task(self._tell(scope, receive, send))
        leaving = asyncio.create_task(_until_gone(receive))
        try:
            await asyncio.wait(
                {telling, leaving}, timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            overdue = not telling.done() and not leaving.done()
            for task in (telling, leaving):
                task.cancel()
            outcomes = await asyncio.gather(telling, leaving, return_exceptions=True)
        if overdue:
            await self._fail(_overdue(self.seconds), scope, receive, send)
        elif isinstance(outcomes[0], Exception):
            raise outcomes[0]

    async def _tell(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with aclosing(self.source()) as source:
                await (
                    self._stream(source, send)
                    if self.stream
                    else self._whole(source, scope, receive, send)
                )
        except EditdError as error:
            await self._fail(http_error(error), scope, receive, send)

    async def _whole(self, source: Source, scope: Scope, receive: Receive, send: Send) -> None:
        pieces: list[str] = []
        async for piece in source:
            if isinstance(piece, End):
                body = self.reply.whole(
                    "".join(pieces), piece.finish_reason, piece.usage, piece.about
                )
                await JSONResponse(body)(scope, receive, send)
                return
            pieces.append(piece)

    async def _stream(self, source: Source, send: Send) -> None:
        async for piece in source:
            # The status waits for the first of it: what goes wrong before has a status of its own.
            if not self._begun:
                self._streams = True
                await _begin(send)
                if opening := self.reply.opening():
                    await _send(send, event(opening))
            if isinstance(piece, str):
                await _send(send, event(self.reply.piece(piece)))
                continue
            last = event(self.reply.closing(piece.finish_reason, piece.about))
            if self.with_usage:
                last += event(self.reply.usage(piece.usage))
            await _send(send, last + DONE, more=False)

    async def _fail(self, error: HttpError, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._begun:
            await error.response()(scope, receive, send)
            return
        if not self._streams:
            return  # cut off: nothing else fits into an answer of a known length
        # Who has not read for so long need not read this either.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_SECONDS):
                await _send(send, event(error.body), more=False)


_FAREWELL_SECONDS = 1.0
_TOO_MANY = HttpError(
    429,
    "Too many requests are waiting: try again when some have ended.",
    kind="rate_limit_error",
    code="rate_limit_exceeded",
    retry=True,
)


async def _until_gone(receive: Receive) -> None:
    """Return when the client hangs up; its body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _begin(send: Send) -> None:
    headers = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),  # a proxy in between shall not wait for more
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


async def _send(send: Send, data: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": more})


def _overdue(seconds: float) -> HttpError:
    return HttpError(
        504,
        f"The request was stopped after {seconds:g} s: ask for less, or allow more "
        "(editd serve --timeout).",
        kind="server_error",
        code="timeout",
    )
