"""HTTP to one server in a separate thread; callers poll and never block for long.

Connections are reused. A dropped request closes its connection at once, which frees the server's slot. Proxies and
credentials of the environment are not used: text goes only to the ``server``'s address.

A request on a reused connection that the server closed before answering is sent once more. Finding the events in a
body is left to ``events``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

import httpx2

from editd.errors import EditdError, ServerFailed
from editd.models.remote import faults
from editd.models.remote.events import Body, Event, NotEvents, object_in
from editd.models.remote.server import Address

_CONNECT_SECONDS, _WRITE_SECONDS = 10.0, 60.0
_DRAIN_SECONDS = 1.0
_MOST_ERROR_BYTES = 1 << 16  # of an error that are read
_MOST_LIST_BYTES = 8 << 20  # of a list of models

logging.getLogger("httpx2").setLevel(logging.WARNING)  # it tells of every request

DONE: Event = {}
"""The event that stands for the server's declaration that nothing follows."""

_ANSWERED = (200, 201)
_WHOLE = {"Accept": "application/json"}
_STREAMED = {"Accept": "text/event-stream", "Content-Type": "application/json"}


class Refusal(Exception):
    """The server answered with an HTTP status that is no success. body: its beginning. error: for the user."""

    def __init__(self, status: int, body: bytes, error: EditdError) -> None:
        super().__init__(status)
        self.status, self.body, self.error = status, body, error


@dataclass(frozen=True, slots=True)
class _Order:
    """A request to send.

    content: the body of a request that is answered with events; ``None`` asks for one JSON object.
    """

    path: str
    content: bytes | None = None
    model: str = ""


class PendingResponse:
    """The response to a request in flight, taken piece by piece."""

    def __init__(self) -> None:
        self.ended = False
        self._over = False
        self._events: SimpleQueue[Event | Exception | None] = SimpleQueue()
        self._error: Exception | None = None  # that comes after the events that were taken
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def take(self, seconds: float) -> list[Event]:
        """Take the events received by now; waits up to ``seconds`` for the first, and returns an
        empty list if none comes.

        Sets ``ended`` after the last; returns nothing from then on. Raises ``EditdError`` or
        ``Refusal`` once if the request failed, after the events before the failure have been taken.
        """
        found: list[Event] = []
        while not self.ended and self._error is None:
            try:
                event = self._events.get(timeout=0 if found else seconds)
            except Empty:
                break
            if isinstance(event, Exception):
                self._error = event
            elif event is None:
                self.ended = self._over = True
            else:
                found.append(event)
        if self._error is not None and not found:
            self.ended = True
            error, self._error = self._error, None
            raise error
        return found

    def close(self) -> None:
        """Set ``ended`` and cancel the request, which closes its connection, unless the end of the
        response was taken. Safe to call twice.
        """
        self.ended = True
        if self._over:
            return  # what is left of the connection may serve the next request
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    def put(self, event: Event | Exception | None) -> None:
        """Add an event, an exception that ends the response, or ``None`` at its end; from the HTTP thread."""
        self._events.put(event)


class HttpThread:
    """The connections to one server; ``close`` ends them and the thread."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._client: httpx2.AsyncClient | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="editd-remote", daemon=True)
        self._thread.start()

    def get(self, path: str) -> PendingResponse:
        """Request one JSON object."""
        return self._start(_Order(path))

    def post(self, path: str, body: Mapping[str, Any]) -> PendingResponse:
        """Request a stream of events, of which ``DONE`` may be one."""
        return self._start(_Order(path, json.dumps(body).encode(), str(body.get("model", ""))))

    def close(self) -> None:
        """Stop the thread, which cancels all requests and closes the connections; waits 5 s at most
        for it. Safe to call twice.
        """
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)

    def _start(self, order: _Order) -> PendingResponse:
        """Queue the request for the HTTP thread; returns its response at once, before anything is
        sent.
        """
        exchange = PendingResponse()

        def begin() -> None:
            task = self._loop.create_task(self._serve(exchange, order))
            exchange._loop, exchange._task = self._loop, task  # noqa: SLF001  two halves of one thing
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if exchange.ended:
                task.cancel()

        self._loop.call_soon_threadsafe(begin)
        return exchange

    def _run(self) -> None:
        """The thread: run requests until ``close``; then cancel them, close the connections and the
        event loop.
        """
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            for task in self._tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*self._tasks, return_exceptions=True))
            if self._client is not None:
                self._loop.run_until_complete(self._client.aclose())
        finally:
            self._loop.close()

    async def _serve(self, exchange: PendingResponse, order: _Order) -> None:
        """Send the request, a second time if a reused connection was closed, and put the events
        into ``exchange``, then ``None`` at the end or an exception.

        The exception is an ``EditdError`` or a ``Refusal``. Raises nothing but ``CancelledError``
        for failures of HTTP and the server's form.
        """
        try:
            if not await self._send(exchange, order):
                await self._send(exchange, order, is_last=True)
        except (EditdError, Refusal) as error:
            exchange.put(error)
        except NotEvents as error:
            remedy = "try again" if order.content else "check model.url, which usually ends in /v1"
            exchange.put(ServerFailed(f"{self._address.origin} {error}: {remedy}."))
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            exchange.put(faults.of_exception(self._address, error))
        else:
            exchange.put(None)

    def _new_client(self) -> httpx2.AsyncClient:
        """An HTTP client without a time limit for reading and without the environment's proxies;
        connecting may take 10 s, a write 60 s.
        """
        # What is read of certificates takes a tenth of a second, and is of no use without TLS.
        # SSL_CERT_FILE is the one thing of the environment that counts.
        tls = self._address.origin.startswith("https://")
        return httpx2.AsyncClient(
            headers={**self._address.headers, "Accept-Encoding": "identity"},
            # The caller sets the timeout for silence.
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS, write=_WRITE_SECONDS),
            trust_env=False,
            verify=httpx2.create_ssl_context() if tls else False,
        )

    async def _send(
        self, exchange: PendingResponse, order: _Order, *, is_last: bool = False
    ) -> bool:
        """Send the request and forward the response into ``exchange``. Opens the client at the
        first call.

        Returns false, with nothing forwarded, if the server closed a reused connection before
        answering, unless ``is_last``: then raises httpx2's exception, as for every other failed
        connection. Raises as ``_forward_response``.
        """
        if self._client is None:
            self._client = self._new_client()
        streams = order.content is not None
        is_new = False  # the connection

        async def note(name: str, _info: Mapping[str, Any]) -> None:
            nonlocal is_new
            is_new = is_new or name.startswith("connection.connect_")

        request = self._client.build_request(
            "POST" if streams else "GET",
            self._address.url + order.path,
            content=order.content,
            headers=_STREAMED if streams else _WHOLE,
            extensions={"trace": note},
        )
        try:
            response = await self._client.send(request, stream=True)
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            if is_new or is_last:
                raise
            return False
        try:
            await self._forward_response(response, exchange, order)
        finally:
            await response.aclose()
        return True

    async def _forward_response(
        self, response: httpx2.Response, exchange: PendingResponse, order: _Order
    ) -> None:
        """Put the events of ``response`` into ``exchange``, or the one JSON object that ``order``
        asks for.

        Raises ``Refusal`` for a status other than 200 and 201, ``NotEvents`` for a body in no known
        form, httpx2's exceptions.
        """
        status = response.status_code
        if status not in _ANSWERED:
            body = await _beginning(response, _MOST_ERROR_BYTES)
            error = faults.of_status(self._address, status, response.headers, body, order.model)
            raise Refusal(status, body, error)
        if order.content is None:
            exchange.put(object_in(await _beginning(response, _MOST_LIST_BYTES)))
            return
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        await _forward_events(response, exchange, Body(kind))


async def _forward_events(response: httpx2.Response, exchange: PendingResponse, body: Body) -> None:
    """Put the events of a stream into ``exchange``, and ``DONE`` and ``None`` if the server
    declares its end.

    Reads on for up to a second after that, so that the connection can be reused. Raises
    ``NotEvents`` and httpx2's exceptions.
    """
    stream = response.aiter_bytes()
    async for data in stream:
        for event in body.feed(data):
            exchange.put(event)
        if body.done:
            break
    for event in body.finish():
        exchange.put(event)
    if body.done:
        exchange.put(DONE)
        exchange.put(None)
        # A connection serves again once all has been read of what it brought.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                async for _ in stream:
                    pass


async def _beginning(response: httpx2.Response, most: int) -> bytes:
    """The first ``most`` bytes of a response's body, all of it if it is shorter; stops reading
    then.
    """
    data = b""
    async for piece in response.aiter_bytes():
        data += piece
        if len(data) > most:
            break
    return data[:most]
