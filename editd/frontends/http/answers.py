"""Answers and errors in OpenAI's form, sent whole or piece by piece, for as long as a client waits.

The fields of an answer are in ``Reply``. Knows ASGI's ``receive`` and ``send``; the caller makes the pieces. A client
that hangs up, or the time limit, ends the work at once.
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

DONE = b"data: [DONE]\n\n"
_FAREWELL_SECONDS = 1.0


class HttpError(Exception):
    """Ends a request with ``status`` and an error in OpenAI's form.

    kind, code: of the error. retry: whether the client should try again. close: the connection is closed, too.
    """

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
        """The error in OpenAI's form."""
        fields = {"message": str(self), "type": self.kind, "param": None, "code": self.code or None}
        return {"error": fields}

    @property
    def headers(self) -> dict[str, str]:
        """The header that tells OpenAI's clients whether to retry, and ``connection: close`` if ``close``."""
        headers = {"x-should-retry": "true" if self.retry else "false"}
        return {**headers, "connection": "close"} if self.close else headers

    def response(self) -> JSONResponse:
        """The error as a response."""
        return JSONResponse(self.body, self.status, self.headers)


_TOO_MANY = HttpError(
    429,
    "Too many requests are waiting: try again when some have ended.",
    kind="rate_limit_error",
    code="rate_limit_exceeded",
    retry=True,
)


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
    """The last item that a source yields. about: a merge, in fields of editd's beside OpenAI's."""

    finish_reason: AnswerEnd
    usage: Mapping[str, Any]
    about: Mapping[str, Any] | None = None

    def own(self) -> dict[str, Any]:
        """The field ``editd`` of an answer; none if there is nothing about a merge."""
        return {} if self.about is None else {"editd": self.about}


@dataclass(frozen=True, slots=True)
class Reply:
    """The fields of one answer, whole or in the parts of a stream. chat: it continues a conversation, else a prompt."""

    model: str
    chat: bool
    id: str = field(default_factory=lambda: uuid4().hex)
    created: int = field(default_factory=lambda: int(time()))

    def whole(self, text: str, end: End) -> dict[str, Any]:
        """The JSON fields of a whole answer: the text as the only choice, its end, token counts, and the field
        ``editd`` if ``end`` is about a merge.
        """
        content = (
            {"message": {"role": "assistant", "content": text}} if self.chat else {"text": text}
        )
        choices = [_choice(content, end.finish_reason)]
        return {**self._head(), "choices": choices, "usage": end.usage, **end.own()}

    def opening(self) -> dict[str, Any] | None:
        """The first part of a chat's stream, which names the role before any text; ``None`` for a prompt, whose stream
        has none.
        """
        if not self.chat:
            return None
        return self._chunk({"delta": {"role": "assistant", "content": ""}})

    def piece(self, text: str) -> dict[str, Any]:
        """A part of a stream with more text."""
        return self._chunk({"delta": {"content": text}} if self.chat else {"text": text})

    def closing(self, end: End) -> dict[str, Any]:
        """The part that ends a stream's text."""
        ended = self._chunk({"delta": {}} if self.chat else {"text": ""}, end.finish_reason)
        return {**ended, **end.own()}

    def usage(self, usage: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a stream with token counts, for clients that ask for it."""
        return {**self._head(stream=True), "choices": [], "usage": usage}

    def _chunk(
        self, content: Mapping[str, Any], finish_reason: AnswerEnd | None = None
    ) -> dict[str, Any]:
        """A part of a stream with one choice."""
        return {**self._head(stream=True), "choices": [_choice(content, finish_reason)]}

    def _head(self, *, stream: bool = False) -> dict[str, Any]:
        """The fields at the beginning of a whole answer or, with ``stream``, of a part: id (by which chats and
        prompts differ), kind, time and model.
        """
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
    """The bytes of a server-sent event."""
    return (
        b"data: " + json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"
    )


def _choice(content: Mapping[str, Any], finish_reason: AnswerEnd | None) -> dict[str, Any]:
    """The only choice of an answer; ``None``: it goes on."""
    return {"index": 0, **content, "logprobs": None, "finish_reason": finish_reason}


Pieces = AsyncGenerator["str | End", None]
"""Text in pieces, then its end; raises ``EditdError`` instead."""


@dataclass(slots=True)
class Answer:
    """An ASGI application that answers one request.

    source: begins the work; closed when the client has disconnected. seconds: the most that the answer may take,
    waiting and sending included. turns: one is held while answering; if none is left the request is refused (429).
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
        """Send the answer, unless the client disconnects first. Raises ``HttpError`` if too many requests wait."""
        if self.turns.locked():
            raise _TOO_MANY
        async with self.turns:  # at once: nothing runs between
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, transmit: Send) -> None:
        """Send the answer until it is complete, the client disconnects, or ``self.seconds`` are over, for which an
        error is sent; the source is closed in any case. Raises what the source raises but ``EditdError``, and not for
        a disconnect.
        """

        async def send(message: Message) -> None:
            await transmit(message)  # what is cancelled in here was not begun
            self._begun = True

        sending = asyncio.create_task(self._send_answer(scope, receive, send))
        leaving = asyncio.create_task(_until_gone(receive))
        try:
            await asyncio.wait(
                {sending, leaving}, timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            overdue = not sending.done() and not leaving.done()
            for task in (sending, leaving):
                task.cancel()
            outcomes = await asyncio.gather(sending, leaving, return_exceptions=True)
        if overdue:
            await self._fail(_overdue(self.seconds), scope, receive, send)
        elif isinstance(outcomes[0], Exception):
            raise outcomes[0]

    async def _send_answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what the source yields, whole or as a stream; an ``EditdError`` of it is sent as an HTTP error, other
        exceptions are passed on. Closes the source.
        """
        try:
            async with aclosing(self.source()) as source:
                await (
                    self._send_stream(source, send)
                    if self.stream
                    else self._send_whole(source, scope, receive, send)
                )
        except EditdError as error:
            await self._fail(http_error(error), scope, receive, send)

    async def _send_whole(self, source: Pieces, scope: Scope, receive: Receive, send: Send) -> None:
        """Collect the pieces and send the answer in one response when the source yields its ``End``; sends nothing if
        it never does.
        """
        pieces: list[str] = []
        async for piece in source:
            if isinstance(piece, End):
                body = self.reply.whole("".join(pieces), piece)
                await JSONResponse(body)(scope, receive, send)
                return
            pieces.append(piece)

    async def _send_stream(self, source: Pieces, send: Send) -> None:
        """Send the pieces as events, when they come; the status and a chat's role only with the first, since an error
        before it has a status of its own. The ``End`` is sent with token counts, if wanted, and ``[DONE]``, and
        completes the response.
        """
        async for piece in source:
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
        """Send an error: as a response if nothing was sent yet, in a stream that has begun as its last event (giving
        up silently after one second); nothing in the middle of a whole answer.
        """
        if not self._begun:
            await error.response()(scope, receive, send)
            return
        if not self._streams:
            return  # cut off: nothing else fits into an answer of a known length
        # A client that has not read for so long need not read this either.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_SECONDS):
                await _send(send, event(error.body), more=False)


async def _until_gone(receive: Receive) -> None:
    """Return when the client hangs up; its body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _begin(send: Send) -> None:
    """Send the head of a stream."""
    headers = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),  # a proxy in between shall not wait for more
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


async def _send(send: Send, data: bytes, *, more: bool = True) -> None:
    """Send a part of a body. more: others follow."""
    await send({"type": "http.response.body", "body": data, "more_body": more})


def _overdue(seconds: float) -> HttpError:
    """The error of a request that took too long."""
    return HttpError(
        504,
        f"The request was stopped after {seconds:g} s: ask for less, or allow more "
        "(editd serve --timeout).",
        kind="server_error",
        code="timeout",
    )
