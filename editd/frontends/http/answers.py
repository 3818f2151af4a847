"""Answers and errors in OpenAI's form, sent whole or piece by piece, for as long as a client waits.

Knows ASGI's ``receive`` and ``send``; the caller makes the pieces. A client that hangs up, or the time limit,
ends the work at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from time import time
from typing import Any
from uuid import uuid4

from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from editd.errors import AnswerEnd, EditdError
from editd.outcome import outcome_of


class HttpError(Exception):
    """A request that ends with ``status`` and OpenAI's form of an error. close: the connection, too."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        code: str = "",
        retry: bool = False,
        close: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.code = code
        self.retry = retry
        self.close = close

    @property
    def body(self) -> dict[str, Any]:
        """As OpenAI's clients read it."""
        told = {"message": str(self), "type": self.kind, "param": None, "code": self.code or None}
        return {"error": told}

    @property
    def headers(self) -> dict[str, str]:
        """Tells OpenAI's clients whether to retry, regardless of the status."""
        told = {"x-should-retry": "true" if self.retry else "false"}
        return {**told, "connection": "close"} if self.close else told

    def response(self) -> JSONResponse:
        """The whole answer."""
        return JSONResponse(self.body, self.status, self.headers)


def http_error(error: EditdError) -> HttpError:
    """The HTTP answer to a request that ends with ``error``."""
    outcome = outcome_of(error)
    return HttpError(
        outcome.http_status,
        str(error),
        kind=outcome.http_type,
        code=outcome.http_code or error.code,
        retry=outcome.http_retry,
    )


@dataclass(frozen=True, slots=True)
class End:
    """The last item that a source yields. about: what editd says of a merge, beside OpenAI's fields."""

    finish_reason: AnswerEnd
    usage: Mapping[str, Any]
    about: Mapping[str, Any] | None = None

    def own(self) -> dict[str, Any]:
        """``about`` as a field of an answer."""
        return {} if self.about is None else {"editd": self.about}


@dataclass(frozen=True, slots=True)
class Reply:
    """What all parts of one answer have in common. chat: else of a prompt."""

    model: str
    chat: bool
    id: str = field(default_factory=lambda: uuid4().hex)
    created: int = field(default_factory=lambda: int(time()))

    def whole(self, text: str, end: End) -> dict[str, Any]:
        """The answer in one piece."""
        said = {"message": {"role": "assistant", "content": text}} if self.chat else {"text": text}
        choices = [_choice(said, end.finish_reason)]
        return {**self._head(), "choices": choices, "usage": end.usage, **end.own()}

    def opening(self) -> dict[str, Any] | None:
        """What comes before the first text of a stream; prompts have nothing."""
        if not self.chat:
            return None
        return self._chunk({"delta": {"role": "assistant", "content": ""}})

    def piece(self, text: str) -> dict[str, Any]:
        """More text of a stream."""
        return self._chunk({"delta": {"content": text}} if self.chat else {"text": text})

    def closing(self, end: End) -> dict[str, Any]:
        """The end of a stream's text."""
        ended = self._chunk({"delta": {}} if self.chat else {"text": ""}, end.finish_reason)
        return {**ended, **end.own()}

    def usage(self, usage: Mapping[str, Any]) -> dict[str, Any]:
        """Token counts, if ``stream_options`` ask for them."""
        return {**self._head(stream=True), "choices": [], "usage": usage}

    def _chunk(
        self, said: Mapping[str, Any], finish_reason: AnswerEnd | None = None
    ) -> dict[str, Any]:
        return {**self._head(stream=True), "choices": [_choice(said, finish_reason)]}

    def _head(self, *, stream: bool = False) -> dict[str, Any]:
        kind, prefix = "text_completion", "cmpl"
        if self.chat:
            kind, prefix = "chat.completion.chunk" if stream else "chat.completion", "chatcmpl"
        return {
            "id": f"{prefix}-{self.id}",
            "object": kind,
            "created": self.created,
            "model": self.model,
        }


def event(data: Mapping[str, Any]) -> bytes:
    """One server-sent event."""
    return (
        b"data: " + json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"
    )


DONE = b"data: [DONE]\n\n"


def _choice(said: Mapping[str, Any], finish_reason: AnswerEnd | None) -> dict[str, Any]:
    return {"index": 0, **said, "logprobs": None, "finish_reason": finish_reason}


Pieces = AsyncGenerator["str | End", None]
"""Text in pieces, then its end; raises ``EditdError`` instead."""


@dataclass(slots=True)
class Answer:
    """An ASGI answer. ``source``: begins the work; it is closed when the client has disconnected.

    seconds: the most that it may take, from now on, waiting and sending included. turns: one is held
    from the call to the end; who finds none left is told to come again.
    """

    reply: Reply
    source: Callable[[], Pieces]
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

    async def _whole(self, source: Pieces, scope: Scope, receive: Receive, send: Send) -> None:
        pieces: list[str] = []
        async for piece in source:
            if isinstance(piece, End):
                body = self.reply.whole("".join(pieces), piece)
                await JSONResponse(body)(scope, receive, send)
                return
            pieces.append(piece)

    async def _stream(self, source: Pieces, send: Send) -> None:
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
            last = event(self.reply.closing(piece))
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
