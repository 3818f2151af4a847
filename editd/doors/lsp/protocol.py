"""pygls' JSON-RPC with its gaps closed: every request gets exactly one answer.

pygls alone sends none when params are missing, wrong or hold a key named ``jsonrpc``, nor after
``shutdown``; it reads params into named tuples, logs message bodies, and starts coroutines later
than the messages behind them are handled. Here a route names a handler and the type of its params;
the handler is called at once, in the order of arrival, and may return something to be awaited.
Nothing of a message's content is ever logged.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from cattrs import Converter
from lsprotocol import types
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

from editd.doors.lsp.framing import BadFrame
from editd.doors.lsp.wire import describe
from editd.errors import EditdError

log = logging.getLogger(__name__)

MsgId = str | int


class Phase(Enum):
    """The phase of the conversation, which decides what requests are allowed."""

    NEW = auto()
    RUNNING = auto()
    SHUT_DOWN = auto()


@dataclass(frozen=True, slots=True)
class Route:
    """Who handles a method. ``params``: their type, ``None`` for unchecked params.

    A handler is called with the params; it returns the answer, or an awaitable of it.
    """

    handler: Callable[[Any], Any]
    params: Any = None


class RequestFailed(JsonRpcException):
    """A valid request that cannot be fulfilled; ``data.code`` says why to a program."""

    CODE = types.LSPErrorCodes.RequestFailed.value
    MESSAGE = "Request failed"


class Protocol(JsonRPCProtocol):
    """One conversation with one client."""

    def __init__(self, server: JsonRPCServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.phase = Phase.NEW
        self._routes: Mapping[str, Route] = {}
        self._send: Callable[[bytes], None] = lambda _: None
        # Work of notifications; the event loop alone would not keep it alive.
        self._unanswered: set[asyncio.Future[Any]] = set()
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs bodies, from DEBUG to ERROR

    def connect(self, send: Callable[[bytes], None], routes: Mapping[str, Route]) -> None:
        """Where messages go, and who handles which method."""
        self._send = send
        self._routes = routes

    # --- from the client -------------------------------------------------------------------------

    def receive(self, body: bytes | BadFrame) -> None:
        """Handle one message of any kind."""
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
        if msg_id in self._request_futures:
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
        # pygls' annotations know only the other kind of future; a task is what it puts there too.
        future: Any = asyncio.ensure_future(outcome)
        self._request_futures[msg_id] = future
        future.add_done_callback(lambda done: self._send_handler_result(done, msg_id=msg_id))

    def _receive_notification(self, method: str, params: Any) -> None:
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
        future = self._request_futures.get(msg_id)
        if not isinstance(future, Future) or future.done():  # theirs are asyncio's
            log.warning("the client answered a request that does not wait for an answer")
        elif "error" in message:
            self._request_futures.pop(msg_id)
            error = message["error"] if isinstance(message["error"], dict) else {}
            future.set_exception(RequestFailed(str(error.get("message") or "The client refused.")))
        else:
            self._handle_response(msg_id, message.get("result"))

    def _check_phase(self, method: str) -> None:
        """Raise unless a request for ``method`` is allowed now."""
        if self.phase is Phase.SHUT_DOWN:
            raise JsonRpcInvalidRequest("The server has been shut down.")
        if self.phase is Phase.NEW and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("Send initialize first.")
        if self.phase is Phase.RUNNING and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("The server has been initialized already.")

    def _call(self, method: str, params: Any) -> Any:
        route = self._routes.get(method)
        if route is None:
            raise JsonRpcMethodNotFound.of(method)
        if route.params is None:
            return route.handler(params)
        try:
            typed = self._converter.structure({} if params is None else params, route.params)
        except Exception as error:
            raise JsonRpcInvalidParams(f"{method}: {describe(error)}") from error
        return route.handler(typed)

    def _cancel(self, params: Any) -> None:
        msg_id = params.get("id") if isinstance(params, dict) else None
        if isinstance(msg_id, str | int) and msg_id in self._request_futures:
            self._handle_cancel_notification(msg_id)
        # Else it was answered before the cancellation came: no harm done.

    # --- to the client ---------------------------------------------------------------------------

    async def ask(self, method: str, params: Any, answer: Any = None) -> Any:
        """Send a request and wait for its result, of type ``answer``; raises ``RequestFailed``."""
        result = await self.send_request_async(method, params)
        try:
            return result if answer is None else self._converter.structure(result, answer)
        except Exception as error:
            raise RequestFailed(f"The client's answer to {method} could not be read.") from error

    def to_json(self, value: Any) -> Any:
        """``value`` as plain JSON values."""
        return self._converter.unstructure(value)

    def from_json(self, value: Any, cls: Any) -> Any:
        """Plain JSON values as a ``cls``; raises what ``wire.describe`` puts in words."""
        return self._converter.structure(value, cls)

    def _send_handler_result(self, future: Future[Any], *, msg_id: MsgId) -> None:
        """Send the result of a handler that was awaited."""
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self._answer_error(msg_id, JsonRpcRequestCancelled())
        elif (error := future.exception()) is not None:
            self._answer_error(msg_id, error)
        else:
            self._answer(msg_id, future.result())

    def _answer(self, msg_id: MsgId, result: Any) -> None:
        try:
            self._send_response(msg_id, result)
        except Exception as error:  # noqa: BLE001  a result that is no JSON is still to be answered
            self._answer_error(msg_id, error)

    def _answer_error(self, msg_id: MsgId | None, error: BaseException) -> None:
        if isinstance(error, EditdError):
            error = RequestFailed(str(error), data={"code": error.code, "message": str(error)})
        elif not isinstance(error, JsonRpcException):
            log_internal_error(f"request {msg_id}", error)
            error = JsonRpcInternalError("An internal error of editd; its log has the details.")
        if msg_id is None:  # must be said as null, which lsprotocol leaves out
            problem = {"code": error.code, "message": error.message}
            self._send_data({"jsonrpc": self.VERSION, "id": None, "error": problem})
        else:
            self._send_response(msg_id, error=error.to_response_error())

    def _send_data(self, data: Any) -> None:
        """Send one message. pygls' own would log it."""
        message = self._converter.unstructure(data)
        try:
            body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:  # half a surrogate pair, which JSON can only say escaped
            body = json.dumps(message).encode()
        self._send(body)


def _log_failure(method: str) -> Callable[[asyncio.Future[Any]], None]:
    def check(future: asyncio.Future[Any]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            log_internal_error(method, error)

    return check


def log_internal_error(what: str, error: BaseException) -> None:
    """Log where an unexpected error happened, without its message: that may quote the buffer."""
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(f"{code.co_filename}:{traceback.tb_lineno} in {code.co_name}")
        traceback = traceback.tb_next
    log.error("%s failed: %s at %s", what, type(error).__name__, " < ".join(reversed(frames)))
