"""A conversation in JSON-RPC: every request gets exactly one answer, every value the type it should have.

pygls sends our requests and notifications, and matches answers to them. Messages of the client are read here, because
pygls has gaps there: it sends no answer when params are missing, wrong or hold a key named ``jsonrpc``, nor after
``shutdown``; it reads params into named tuples, logs message bodies, and starts coroutines later than the messages
after them are handled. Here a route names a handler and the type of its params; the handler is called at once, in the
order of arrival, and may return an awaitable. Nothing of a message's content is ever logged.

One cattrs converter serves standard LSP types (as lsprotocol registers them) and our own dataclasses
(camelCase, unknown fields ignored as LSP asks, nothing coerced: ``"3"`` is not a number).
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import InvalidStateError
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, cast

from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override
from lsprotocol import types
from lsprotocol.converters import get_converter
from lsprotocol.types import OptionalVersionedTextDocumentIdentifier, Position, Range
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import JsonRPCProtocol
from pygls.server import JsonRPCServer

from editd.daemon.logs import discreet
from editd.errors import EditdError
from editd.files import strict_json
from editd.files.strict_json import as_object, make_strict, object_hook
from editd.frontends.lsp import methods
from editd.frontends.lsp.stdio import BadFrame
from editd.messages.reports import Stats

log = logging.getLogger(__name__)

MsgId = str | int
# Types of lsprotocol that our params hold; its own hooks would coerce what is wrong in them.
_OBJECTS: tuple[type, ...] = (Position, Range, OptionalVersionedTextDocumentIdentifier)


class Phase(Enum):
    """The phase of the conversation, which decides what requests are allowed."""

    NEW = auto()
    RUNNING = auto()
    SHUT_DOWN = auto()


@dataclass(frozen=True, slots=True)
class Route:
    """The handler of a method, called with the params; it returns the answer, or an awaitable of it.

    params: their type; ``None``: they are not checked.
    """

    handler: Callable[[Any], Any]
    params: Any = None


class RequestFailed(JsonRpcException):
    """A valid request that cannot be fulfilled; ``data.code`` says why to a program."""

    CODE = types.LSPErrorCodes.RequestFailed.value
    MESSAGE = "Request failed"

    @classmethod
    def because(cls, code: str | None, message: str) -> RequestFailed:
        """Make the error; ``code``: as of an ``EditdError``."""
        return cls(message, data={"code": code, "message": message})


class Protocol:
    """The conversation with the client. phase: set by the handlers of ``initialize`` and ``shutdown``."""

    def __init__(self) -> None:
        self.phase = Phase.NEW
        self._converter = make_converter()
        self._routes: Mapping[str, Route] = {}
        self._send: Callable[[bytes], None] = lambda _: None
        self._answering: dict[MsgId, asyncio.Future[Any]] = {}  # the client's requests
        # Work of notifications; the event loop alone would not keep it alive.
        self._unanswered: set[asyncio.Future[Any]] = set()
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs bodies, from DEBUG to ERROR
        self._client = JsonRPCServer(JsonRPCProtocol, make_converter).protocol

    def connect(self, send: Callable[[bytes], None], routes: Mapping[str, Route]) -> None:
        """Set the function that sends a message (a JSON text), for answers and for requests of this server, and the
        handlers by method.
        """
        self._send = send
        self._routes = routes
        self._client.set_writer(_Writer(send), include_headers=False)

    # --- from the client -------------------------------------------------------------------------

    def receive(self, body: bytes | BadFrame) -> None:
        """Handle a message of the client: call the handler of a request or notification, or pass an answer on; never
        raises. Bytes that are no frame, no JSON, or neither request nor response are answered with an error.
        """
        if isinstance(body, BadFrame):
            self._answer_error(None, JsonRpcParseError(f"Not a frame: {body.reason}."))
            return
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as error:
            log.warning("a message of %d bytes is not JSON: %s", len(body), type(error).__name__)
            self._answer_error(None, JsonRpcParseError("Not JSON."))
            return
        match message:
            case {"method": str(method), "id": str() | int() | float() as msg_id}:
                self._receive_request(msg_id, method, message.get("params"))
            case {"method": str(method)} if "id" not in message:
                self._receive_notification(method, message.get("params"))
            case {"id": str() | int() as msg_id} if "method" not in message:
                self._receive_response(msg_id, message)
            case {"error": _} if "method" not in message:
                log.warning("the client could not read a message of ours")
            case _:
                self._answer_error(None, JsonRpcInvalidRequest("Neither request nor response."))

    def _receive_request(self, msg_id: Any, method: str, params: Any) -> None:
        """Call the handler, and send its answer now, or, of an awaitable, when that is done; an exception is sent as
        an error. So is an id that is being worked on, and a phase that does not allow the method: the handler is not
        called then.
        """
        if msg_id in self._answering:
            error = JsonRpcInvalidRequest(f"Another request with id {msg_id!r} is being worked on.")
            self._answer_error(msg_id, error)
            return
        try:
            self._check_phase(method)
            outcome = self._call(method, params)
        except Exception as error:  # noqa: BLE001  whatever it is, it is this request's answer
            self._answer_error(msg_id, error)
            return
        if not inspect.isawaitable(outcome):
            self._answer(msg_id, outcome)
            return
        future = self._answering[msg_id] = asyncio.ensure_future(outcome)
        future.add_done_callback(lambda done: self._answer_with(msg_id, done))

    def _receive_notification(self, method: str, params: Any) -> None:
        """Call the handler, which may go on as a task; exceptions are logged, and an unknown method is passed over.
        Ignored unless the conversation is running, but for ``exit`` and ``$/cancelRequest``, which cancels a request.
        """
        try:
            if method == types.CANCEL_REQUEST:
                self._cancel(params)
            elif method == types.EXIT or self.phase is Phase.RUNNING:
                outcome = self._call(method, params)
                if inspect.isawaitable(outcome):
                    task = asyncio.ensure_future(outcome)
                    self._unanswered.add(task)
                    task.add_done_callback(self._unanswered.discard)
                    task.add_done_callback(_log_failure(method))
        except JsonRpcMethodNotFound:
            log.debug("notification %s is not handled", method)
        except JsonRpcException as error:
            log.warning("notification %s: %s", method, error.message)
        except Exception as error:  # noqa: BLE001  a notification has no answer
            log_internal_error(method, error)

    def _receive_response(self, msg_id: MsgId, message: dict[str, Any]) -> None:
        """Pass the client's result or error to the request of ours that waits for it; logs a warning if none does."""
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": msg_id}
        if "error" in message:
            error = message["error"] if isinstance(message["error"], dict) else {}
            words = str(error.get("message") or "The client refused.")
            response["error"] = {"code": RequestFailed.CODE, "message": words}
        else:
            response["result"] = message.get("result")
        try:
            self._client.handle_message(self._client.structure_message(response))
        except InvalidStateError:  # nobody waits for it any more
            log.warning("the client answered a request that does not wait for an answer")

    def _check_phase(self, method: str) -> None:
        """Raise a ``JsonRpcException`` unless a request for ``method`` is allowed in this phase: before ``initialize``
        nothing else, after it no second one, after ``shutdown`` nothing.
        """
        if self.phase is Phase.SHUT_DOWN:
            raise JsonRpcInvalidRequest("The server has been shut down.")
        if self.phase is Phase.NEW and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("Send initialize first.")
        if self.phase is Phase.RUNNING and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("The server has been initialized already.")

    def _call(self, method: str, params: Any) -> Any:
        """Check the params and call the handler; returns its answer or an awaitable. Raises ``JsonRpcMethodNotFound``
        without a handler, ``JsonRpcInvalidParams`` for wrong params, and what the handler raises.
        """
        route = self._routes.get(method)
        if route is None:
            raise JsonRpcMethodNotFound.of(method)
        if route.params is not None:
            params = self.from_json(params, route.params, f"{method}: ")
        return route.handler(params)

    def _cancel(self, params: Any) -> None:
        """Cancel the task of the request whose id is in ``params``, which is answered as cancelled; no effect if it
        has been answered, is unknown, or for wrong params.
        """
        msg_id = params.get("id") if isinstance(params, dict) else None
        if isinstance(msg_id, str | int) and msg_id in self._answering:
            self._answering[msg_id].cancel()
        # Else it was answered before the cancellation came: no harm done.

    # --- to the client ---------------------------------------------------------------------------

    def notify(self, method: str, params: Any) -> None:
        """Send a notification. Its params are plain JSON when pygls gets them: it drops what it cannot send."""
        self._client.notify(method, self.to_json(params))

    async def ask(self, method: str, params: Any, answer: Any = None) -> Any:
        """Send a request and wait for its result, read as the type ``answer`` (``None``: as it is). Raises
        ``RequestFailed`` if the client refuses it, or its result cannot be read.
        """
        try:
            result = await self._client.send_request_async(method, self.to_json(params))
        except JsonRpcException as error:
            raise RequestFailed(error.message) from error
        try:
            return result if answer is None else self._converter.structure(result, answer)
        except Exception as error:
            raise RequestFailed(f"The client's answer to {method} could not be read.") from error

    def to_json(self, value: Any) -> Any:
        """Convert a value to plain JSON values."""
        return self._converter.unstructure(value)

    def from_json(self, value: Any, cls: Any, about: str = "", path: str = "params") -> Any:
        """Read plain JSON values (``None`` as an empty object) as a ``cls``. Raises ``JsonRpcInvalidParams``:
        ``about``, then what is wrong at ``path``.
        """
        try:
            return self._converter.structure({} if value is None else value, cls)
        except Exception as error:
            problem = strict_json.describe(error, path, camel)
            raise JsonRpcInvalidParams(about + problem) from error

    def _answer_with(self, msg_id: MsgId, done: asyncio.Future[Any]) -> None:
        """Send the result or the exception of a finished handler, or that it was cancelled, as the answer to request
        ``msg_id``, which is free for another request again.
        """
        self._answering.pop(msg_id, None)
        if done.cancelled():
            self._answer_error(msg_id, JsonRpcRequestCancelled())
        elif (error := done.exception()) is not None:
            self._answer_error(msg_id, error)
        else:
            self._answer(msg_id, done.result())

    def _answer(self, msg_id: MsgId, result: Any) -> None:
        """Send a result; for one that cannot be made JSON or sent an error is sent instead."""
        try:
            self._write(msg_id, {"result": self.to_json(result)})
        except Exception as error:  # noqa: BLE001  a result that is no JSON is still to be answered
            self._answer_error(msg_id, error)

    def _answer_error(self, msg_id: MsgId | None, error: BaseException) -> None:
        """Send an error: an ``EditdError`` as ``RequestFailed`` with its code and sentence, a ``JsonRpcException`` as
        it is; any other is logged, and sent as an internal error without its message. msg_id: ``None`` for a message
        whose id is unknown.
        """
        if isinstance(error, EditdError):
            error = RequestFailed.because(error.code, str(error))
        elif not isinstance(error, JsonRpcException):
            log_internal_error(f"request {msg_id}", error)
            error = JsonRpcInternalError("An internal error of editd; its log has the details.")
        fields = {"code": error.code, "message": error.message, "data": error.data}
        self._write(msg_id, {"error": {key: v for key, v in fields.items() if v is not None}})

    def _write(self, msg_id: MsgId | None, answer: dict[str, Any]) -> None:
        """Send an answer."""
        message = {"jsonrpc": "2.0", "id": msg_id, **answer}
        self._send(json.dumps(message, separators=(",", ":")).encode())


@dataclass(frozen=True, slots=True)
class _Writer:
    """The stream that pygls writes its messages to."""

    write: Callable[[bytes], None]

    def close(self) -> None:
        """No effect: the transport ends with the server."""


def _log_failure(method: str) -> Callable[[asyncio.Future[Any]], None]:
    """Make a callback for a future that logs, for ``method``, its exception if it has one."""

    def check(future: asyncio.Future[Any]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            log_internal_error(method, error)

    return check


def log_internal_error(what: str, error: BaseException) -> None:
    """Log where an unexpected error happened, without its message: that may quote the buffer."""
    log.error("%s failed: %s", what, discreet(error))


@functools.cache
def make_converter() -> Converter:
    """The converter of params and answers between JSON and dataclasses, strict about types, with camelCase names on
    the wire. Costly to make and without a state, so it is made once.
    """
    converter = make_strict(get_converter(), _renames)
    for cls in _OBJECTS:
        converter.register_structure_hook(cls, object_hook(converter, cls, {}))
    converter.register_structure_hook(methods.EditToken, _read_token)
    converter.register_structure_hook(
        str | int | None, lambda value, _: None if value is None else _read_token(value, int)
    )
    converter.register_structure_hook(methods.HunkIds, _read_hunk_ids)
    converter.register_structure_hook_func(
        lambda cls: cls == dict[str, Any], lambda value, _: dict(as_object(value))
    )
    converter.register_unstructure_hook_factory(
        dataclasses.is_dataclass,
        lambda cls: make_dict_unstructure_fn(cls, converter, **_renames(cls)),
    )
    return converter


def camel(name: str) -> str:
    """Convert a name to camel case: ``edit_token`` → ``editToken``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _renames(cls: type) -> dict[str, Any]:
    """The overrides of a dataclass's fields by name, as cattrs takes them: camelCase names on the wire (or the name
    in the metadata ``wire``); a field that is ``None`` by default is left out if ``None``. Empty for ``Stats``, which
    keeps its names.
    """
    if cls is Stats:
        return {}
    return {
        field.name: override(
            rename=field.metadata.get("wire", camel(field.name)),
            omit_if_default=field.default is None,
        )
        for field in dataclasses.fields(cls)
    }


def _read_token(value: Any, _: Any) -> methods.EditToken:
    """Read a token; raises ``TypeError`` unless it is a string or an integer."""
    if type(value) not in (str, int):
        raise TypeError("expected a string or an integer")
    return cast("methods.EditToken", value)


def _read_hunk_ids(value: Any, _: Any) -> methods.HunkIds:
    """Read the ids of hunks: ``"all"``, or a tuple of integers. Raises ``TypeError`` for anything else."""
    if value == "all":
        return "all"
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        raise TypeError('expected "all" or an array of integers')
    return tuple(value)
