"""Answers and errors in OpenAI's form, as JSON and server-sent events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from time import time
from typing import Any, Literal
from uuid import uuid4

from starlette.responses import JSONResponse

from editd.doors.completions.words import Usage
from editd.errors import (
    AnswerCutOff,
    DaemonUnreachable,
    EditCancelled,
    EditdError,
    EditRefused,
    ModelError,
    ScopeTooLarge,
    UsageError,
)

FinishReason = Literal["stop", "length"]

_WRONG, _SERVER = "invalid_request_error", "server_error"


class HttpError(Exception):
    """A request that ends with ``status`` and OpenAI's form of an error. close: the connection, too."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = _WRONG,
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
    """What went wrong in the daemon, as an HTTP answer."""
    for cls, status, kind, code in _STATUS:
        if isinstance(error, cls):
            retry = cls in (DaemonUnreachable, EditCancelled)
            return HttpError(status, str(error), kind=kind, code=code or error.code, retry=retry)
    return HttpError(500, str(error), kind=_SERVER, code=error.code)


# The first that fits; clients tell a wrong request (4xx) from one to be tried elsewhere.
_STATUS: tuple[tuple[type[EditdError], int, str, str], ...] = (
    (UsageError, 400, _WRONG, ""),
    (ScopeTooLarge, 400, _WRONG, "context_length_exceeded"),
    (EditRefused, 422, _WRONG, ""),
    (AnswerCutOff, 504, _SERVER, ""),
    (DaemonUnreachable, 503, _SERVER, ""),
    (EditCancelled, 503, _SERVER, ""),
    (ModelError, 500, _SERVER, ""),
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What all parts of one answer have in common. chat: else of a prompt."""

    model: str
    chat: bool
    id: str = field(default_factory=lambda: uuid4().hex)
    created: int = field(default_factory=lambda: int(time()))

    def whole(
        self,
        text: str,
        finish_reason: FinishReason,
        usage: Usage,
        about: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The answer in one piece. about: of a merge, as ``editd``."""
        said = {"message": {"role": "assistant", "content": text}} if self.chat else {"text": text}
        choices = [_choice(said, finish_reason)]
        return {**self._head(), "choices": choices, "usage": asdict(usage), **_own(about)}

    def opening(self) -> dict[str, Any] | None:
        """What comes before the first text of a stream; prompts have nothing."""
        if not self.chat:
            return None
        return self._chunk({"delta": {"role": "assistant", "content": ""}})

    def piece(self, text: str) -> dict[str, Any]:
        """More text of a stream."""
        return self._chunk({"delta": {"content": text}} if self.chat else {"text": text})

    def closing(
        self, finish_reason: FinishReason, about: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The end of a stream's text. about: as of ``whole``."""
        ended = self._chunk({"delta": {}} if self.chat else {"text": ""}, finish_reason)
        return {**ended, **_own(about)}

    def usage(self, usage: Usage) -> dict[str, Any]:
        """Token counts, if ``stream_options`` ask for them."""
        return {**self._head(stream=True), "choices": [], "usage": asdict(usage)}

    def _chunk(
        self, said: Mapping[str, Any], finish_reason: FinishReason | None = None
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


def _own(about: Mapping[str, Any] | None) -> dict[str, Any]:
    return {} if about is None else {"editd": about}


def _choice(said: Mapping[str, Any], finish_reason: FinishReason | None) -> dict[str, Any]:
    return {"index": 0, **said, "logprobs": None, "finish_reason": finish_reason}
