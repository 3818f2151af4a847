"""OpenAI's words in vLLM's API server: ``prediction`` in requests, what became of it in ``usage``.

Knows HTTP as ASGI tells it; vLLM's answers are read by ``inside``. A request's prediction moves to its
``vllm_xargs``, which vLLM hands to its worker; everything else passes byte for byte. Answers to
requests with a prediction get OpenAI's counts where vLLM says what it counted, and each model of
``/v1/models`` says that predictions are honoured here.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import editd_vllm
from editd.errors import UsageError
from editd_vllm import inside
from editd_vllm.fields import FIELDS, with_fields

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_COMPLETIONS = ("/v1/chat/completions", "/v1/completions")
_MODELS = "/v1/models"
_DRAFTER = "editd_vllm.Proposer"
_EVENT_END = b"\n\n"


class PredictionMiddleware:
    """Pure ASGI, for ``vllm serve --middleware editd_vllm.PredictionMiddleware``."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", "")).removeprefix(scope.get("root_path", ""))
        drafts = scope["type"] == "http" and inside.is_drafting(scope["app"], _DRAFTER)
        if drafts and scope["method"] == "POST" and path in _COMPLETIONS:
            await self._complete(scope, receive, send)
        elif drafts and path == _MODELS:
            says: dict[str, Any] = {"version": editd_vllm.__version__, "fields": list(FIELDS)}
            says["usage"] = inside.is_counting(scope["app"])
            await self._app(scope, receive, Amended(send, lambda answer: _advertise(answer, says)))
        else:
            await self._app(scope, receive, send)

    async def _complete(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return  # whoever asked is gone
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
        try:
            body, has_prediction = _read(body)
        except UsageError as error:
            await _refuse(send, str(error))
            return
        headers = [pair for pair in scope["headers"] if pair[0].lower() != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        rest: Message | None = {"type": "http.request", "body": body, "more_body": False}

        async def receive_read() -> Message:
            nonlocal rest
            if rest is None:
                return await receive()
            message, rest = rest, None
            return message

        await self._app(
            {**scope, "headers": headers},
            receive_read,
            Amended(send, _count) if has_prediction else send,
        )


class Amended:
    """A ``send`` that lets ``amend`` change JSON answers and JSON events; all else passes as it is.

    amend: changes an answer in place, and says whether it did.
    """

    def __init__(self, send: Send, amend: Callable[[dict[str, Any]], bool]) -> None:
        self._send, self._amend = send, amend
        self._start: Message | None = None  # of an answer that is read whole before it is sent
        self._streams = False
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = dict(message["headers"]).get(b"content-type", b"")
            self._streams = kind.startswith(b"text/event-stream")
            if message["status"] == 200 and kind.startswith(b"application/json"):
                self._start = message
            else:
                await self._send(message)
        elif message["type"] != "http.response.body":
            await self._send(message)
        elif self._start is not None:
            await self._whole(self._start, message)
        elif self._streams:
            await self._send({**message, "body": self._events(message)})
        else:
            await self._send(message)

    async def _whole(self, start: Message, message: Message) -> None:
        self._body += message.get("body", b"")
        if message.get("more_body", False):
            return
        body = self._changed(self._body)
        headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        await self._send({**start, "headers": headers})
        await self._send({**message, "body": body})

    def _events(self, message: Message) -> bytes:
        """The events that are whole by now, at the end all there is."""
        *events, self._body = (self._body + message.get("body", b"")).split(_EVENT_END)
        changed = [self._event(event) + _EVENT_END for event in events]
        if not message.get("more_body", False):
            changed.append(self._body)
        return b"".join(changed)

    def _event(self, event: bytes) -> bytes:
        opening = b"data: "
        if not event.startswith(opening) or b'"usage"' not in event:
            return event
        return opening + self._changed(event.removeprefix(opening))

    def _changed(self, text: bytes) -> bytes:
        try:
            answer = json.loads(text)
        except ValueError:
            return text
        if not isinstance(answer, dict) or not self._amend(answer):
            return text
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def _read(body: bytes) -> tuple[bytes, bool]:
    """The body as vLLM takes it, and whether it says a prediction. Raises ``UsageError``."""
    try:
        request = json.loads(body)
    except ValueError:
        return body, False  # vLLM says what is wrong with it
    if not isinstance(request, dict):
        return body, False
    is_moved = "prediction" in request
    fields = with_fields(request)
    return json.dumps(request).encode() if is_moved else body, bool(fields.prediction)


def _count(answer: dict[str, Any]) -> bool:
    """Say in ``usage`` how many tokens of the drafts were accepted and rejected."""
    usage, counted = answer.get("usage"), inside.counted(answer)
    if not isinstance(usage, dict) or counted is None:
        return False
    details = usage.get("completion_tokens_details") or {}
    names = ("accepted_prediction_tokens", "rejected_prediction_tokens")
    usage["completion_tokens_details"] = {**details, **dict(zip(names, counted, strict=True))}
    return True


def _advertise(answer: dict[str, Any], says: dict[str, Any]) -> bool:
    for model in answer.get("data", ()):
        model["editd"] = says
    return True


async def _refuse(send: Send, sentence: str) -> None:
    error = {"message": sentence, "type": "invalid_request_error", "param": None, "code": 400}
    body = json.dumps({"error": error}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body})
