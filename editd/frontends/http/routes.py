"""The HTTP routes: each turns a request's body into a request for the daemon; ``answers`` sends the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import editd
from editd.config_sources import check_option
from editd.daemon.engine_client import EngineClient, refuse_half_characters
from editd.diff.hunk import notes
from editd.errors import (
    ConfigError,
    DaemonUnreachable,
    EditCancelled,
    EditdError,
    EditRefused,
    UsageError,
)
from editd.frontends.checked_edit import checked_edit
from editd.frontends.http.answers import Answer, End, HttpError, Pieces, Reply, http_error
from editd.frontends.http.apply_chats import ApplyRequest, apply_request
from editd.frontends.http.completions import (
    NOT_DONE_IN_CHATS,
    NOT_DONE_WITH_PROMPTS,
    ChatParams,
    Params,
    PromptParams,
    asked_options,
    chat_request,
    prompt_request,
    read,
    usage_of,
)
from editd.frontends.http.edit_prompts import with_prediction
from editd.frontends.http.guard import Access, Keyed, RequestGuard
from editd.messages import CompleteRequest, CompleteResult, EditRequest, TextDelta
from editd.messages.options import EditOptions
from editd.offload import offload

# The second is for clients that send a prediction only to models whose name they know.
ALIASES = ("editd", "editd-Fast-Apply")
_BODY_BYTES = 16 << 20  # more than any model here reads
_BODY_SECONDS = 30.0  # an honest client has written its body by then
_MOST_WAITING = 60  # the daemon's queue takes 64 of one client
_METHOD = "This server"  # as the subject of a refusal


class Models:
    """The names of the model. configured: as in the configuration; of a folder the last part is served.

    edit_format: the prompt format of a model that accepts only its own edits.
    """

    def __init__(self, configured: str, edit_format: str = "") -> None:
        self._abilities: dict[str, Any] = {"version": editd.__version__, "fields": ["prediction"]}
        if edit_format:
            self._abilities["format"] = edit_format
        path = Path(configured.removeprefix("llama_cpp:"))
        shown = path.name if path.is_absolute() else configured
        self.names = tuple(dict.fromkeys([*ALIASES, shown]))

    def check(self, name: str | None) -> str:
        """The name to answer with: ``name`` itself, or ``editd`` for ``None``. Raises ``HttpError`` (404) for a name
        that is not served.
        """
        if name is None:
            return ALIASES[0]
        if name not in self.names:
            known = ", ".join(self.names)
            raise HttpError(
                404,
                f"There is no such model here: use one of {known}.",
                code="model_not_found",
            )
        return name

    def listing(self) -> dict[str, Any]:
        """The names, in OpenAI's form."""
        return {"object": "list", "data": [self.card(name) for name in self.names]}

    def card(self, name: str) -> dict[str, Any]:
        """A model in OpenAI's form; its field ``editd`` is for an editd on another machine."""
        card = {"id": name, "object": "model", "created": 0, "owned_by": "editd"}
        return {**card, "editd": self._abilities}


def make_app(service: Service, access: Access) -> Starlette:
    """Make the ASGI application: the routes, with and without ``/v1``, behind, in this order, the check of Host and
    Origin, CORS if origins are allowed, and the check of the key. Errors are answered by ``_error_response``.
    """
    paths: list[tuple[str, Callable[[Request], Awaitable[Any]], str]] = [
        ("/health", service.health, "GET"),
        ("/models", service.list_models, "GET"),
        ("/models/{name:path}", service.one_model, "GET"),
        ("/chat/completions", service.chat, "POST"),
        ("/completions", service.complete, "POST"),
    ]
    middleware = [Middleware(RequestGuard, access=access)]
    if access.origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=access.origins,
                allow_methods=["GET", "POST"],
                allow_headers=["*"],
            )
        )
    middleware.append(Middleware(Keyed, access=access))
    return Starlette(
        routes=[
            Route(prefix + path, handler, methods=[method])
            for prefix in ("/v1", "")
            for path, handler, method in paths
        ],
        middleware=middleware,
        exception_handlers=dict.fromkeys((HTTPException, HttpError, EditdError), _error_response),
    )


@dataclass(frozen=True, slots=True)
class Service:
    """The handlers of the routes. options: the defaults of every request. seconds: the most that a request may take."""

    engine: EngineClient
    models: Models
    options: EditOptions
    seconds: float
    _turns: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_MOST_WAITING), init=False
    )

    async def health(self, _: Request) -> Response:
        """``/health``: the daemon's state and queue, with status 503 while a model loads; ``idle`` if no daemon runs,
        and none is started. Raises ``DaemonUnreachable`` if the daemon is of another version or does not answer as one.
        """
        try:
            report = await self.engine.status()
        except DaemonUnreachable as error:
            if type(error) is not DaemonUnreachable:  # it is there, and silent or no daemon of ours
                raise
            # The next request starts one.
            return JSONResponse({"status": "ok", "state": "idle", "queue": 0})
        if report.state == "loading":
            loading = next((m for m in report.models if m.state == "loading"), None)
            fields = {"status": "loading", "message": report.message}
            return JSONResponse({**fields, "progress": loading and loading.fraction}, 503)
        return JSONResponse({"status": "ok", "state": report.state, "queue": report.queue})

    async def list_models(self, _: Request) -> Response:
        """``/models``: the model's names."""
        return JSONResponse(self.models.listing())

    async def one_model(self, request: Request) -> Response:
        """``/models/{name}``: one of them; raises ``HttpError`` for another name."""
        models = self.models
        return JSONResponse(models.card(models.check(request.path_params["name"])))

    async def chat(self, request: Request) -> Answer:
        """``/chat/completions``: an assistant's next message, or a file with a sketch merged into it. Raises on bad requests."""
        body = await _body_of(request)
        return await offload(len(body), self._chat, body, _program(request))

    async def complete(self, request: Request) -> Answer:
        """``/completions``: the text after a prompt. Raises on bad requests."""
        body = await _body_of(request)
        return await offload(len(body), self._complete, body, _program(request))

    # --- from a body to a request ------------------------------------------------------------------

    def _chat(self, data: bytes, program: str) -> Answer:
        """Read the body of a chat and return the application that will answer it: by the model, or with a merged file
        if its messages ask for a merge (``apply_request``). Nothing is sent to the daemon before the application
        runs.

        program: the client's name, whose newer requests supersede its older ones. Raises ``UsageError`` if the body
        is wrong or asks for what is not supported, and ``HttpError`` for a model that is not served.
        """
        params = read(_json(data), ChatParams, NOT_DONE_IN_CHATS, _METHOD)
        model = self.models.check(params.model)
        request = chat_request(params, self._options(params))
        refuse_half_characters(request)
        applied = apply_request(request.messages)
        if params.editd and params.editd.way and not applied:
            raise UsageError("editd.way is for merges, and this is a chat: leave it out.")
        source = (
            self._applied(applied, params) if applied else self._completed(request, params, program)
        )
        return self._answer(Reply(model, chat=True), source, params)

    def _complete(self, data: bytes, program: str) -> Answer:
        """Read the body of a completion and return the application that will answer it; nothing is sent to the daemon
        before that runs. program: the client's name. Raises ``UsageError`` if the body is wrong or asks for what is
        not supported, and ``HttpError`` for a model that is not served.
        """
        params = read(_json(data), PromptParams, NOT_DONE_WITH_PROMPTS, _METHOD)
        model = self.models.check(params.model)
        request = prompt_request(params, self._options(params))
        refuse_half_characters(request)
        source = self._completed(request, params, program)
        return self._answer(Reply(model, chat=False), source, params)

    # --- from a request to an answer ---------------------------------------------------------------

    def _completed(
        self, request: CompleteRequest, params: Params, program: str
    ) -> Callable[[], Pieces]:
        """A function that begins the completion and yields its text, in pieces if ``params`` ask for a stream, else
        whole, then its ``End``. The prediction that the prompt holds is added to the request.

        program: the client's name. What the function returns raises the engine's error, and ``EditRefused`` if the
        completion of a prompt that names a file is cancelled, as a newer request for the file does.
        """
        request, form = with_prediction(request, program)
        request = replace(request, stream=params.stream is True)

        async def source() -> Pieces:
            try:
                async with aclosing(self.engine.ask(request)) as messages:
                    async for message in messages:
                        if isinstance(message, TextDelta):
                            yield message.text
                        if isinstance(message, CompleteResult):
                            if not request.stream:
                                yield message.text
                            yield End(message.finish_reason, usage_of(message.stats, form))
            except EditCancelled as error:
                if request.document:  # its client has typed on, and has no use for it
                    raise EditRefused(str(error)) from error
                raise

        return source

    def _applied(self, merge: ApplyRequest, params: ChatParams) -> Callable[[], Pieces]:
        """A function that begins the merge and yields the merged file, in one piece even of a stream, since it is
        checked before it is sent, then its ``End``, with what is to be said about the merge. Of ``params`` only
        ``merge`` and ``editd.way`` count; the other options are the server's. The source raises the errors of
        ``checked_edit``.
        """

        async def source() -> Pieces:
            way = params.editd.way if params.editd else None
            request = EditRequest(
                uuid4().hex,
                merge.text,
                merge.instruction,
                options=replace(self.options, way=way),
                sketch=merge.sketch,
                merge=params.merge or "auto",
            )
            result = await checked_edit(self.engine, request)
            assert result.text is not None  # noqa: S101  or it had been refused
            yield merge.answer(result.text)
            about = {
                "written_by": result.stats.written_by,
                "summary": result.summary,
                "notices": result.notices,
                "notes": notes(result.hunks),
                "ways": [asdict(other) for other in result.ways],
            }
            yield End("stop", usage_of(result.stats), about)

        return source

    def _answer(self, reply: Reply, source: Callable[[], Pieces], params: Params) -> Answer:
        """The application that sends the answer of ``source`` as ``params`` ask for it: whole or streamed, a stream
        with or without token counts. Nothing runs yet.
        """
        usage = params.stream_options is not None and params.stream_options.include_usage is True
        stream = params.stream is True
        return Answer(reply, source, self.seconds, self._turns, stream, usage)

    def _options(self, params: Params) -> EditOptions:
        """The options that ``params`` give over the server's. Raises ``UsageError``, which names the option, for a
        wrong value.
        """
        given = asked_options(params)
        for name, value in given.items():
            try:
                given[name] = check_option(name, value, name)
            except ConfigError as error:
                raise UsageError(str(error)) from None
        return replace(self.options, **given)


def _program(request: Request) -> str:
    """The name of the client's program, which supersedes its own requests only."""
    return request.headers.get("user-agent", "")[:200]


def _json(data: bytes) -> Mapping[str, Any]:
    """Parse a body. Raises ``UsageError`` unless it is a JSON object; ``NaN``, infinities and objects too deeply
    nested are no JSON.
    """
    try:
        body = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise UsageError("The body is not JSON.") from None
    if not isinstance(body, dict):
        raise UsageError("The request is wrong: expected an object.")
    return body


async def _body_of(request: Request) -> bytes:
    """Read the body. Raises ``HttpError`` if it has more than 16 MiB (413), takes more than 30 seconds (408), or is cut
    off (400).
    """
    too_large = HttpError(
        413,
        f"The body is larger than {_BODY_BYTES >> 20} MiB: send less.",
        code="request_too_large",
    )
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > _BODY_BYTES:
        raise too_large
    data = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for chunk in request.stream():
                data += chunk
                if len(data) > _BODY_BYTES:
                    raise too_large
    except TimeoutError:
        raise HttpError(408, f"The body did not come within {_BODY_SECONDS:g} s.") from None
    except ClientDisconnect:
        raise HttpError(400, "The body was cut off.") from None
    return bytes(data)


def _no_number(constant: str) -> NoReturn:
    """Raise ``ValueError`` for ``NaN`` and infinities, which are no JSON."""
    raise ValueError(constant)


async def _error_response(_: Request, error: Exception) -> Response:
    """A response in OpenAI's form for an error: an ``HttpError`` as it is, an ``EditdError`` by its outcome;
    Starlette's by its status and all others as 500, with a general sentence in place of their message.
    """
    if isinstance(error, EditdError):
        error = http_error(error)
    if not isinstance(error, HttpError):  # Starlette's own
        status = error.status_code if isinstance(error, HTTPException) else 500
        sentences = {404: "There is no such route.", 405: "This route needs another method."}
        error = HttpError(status, sentences.get(status, "The request is wrong."))
    return error.response()
