"""HTTP to one server in a separate thread; callers poll and never block for long.

Connections are kept between requests. A dropped request closes its connection at once, which frees the
server's slot. Proxies and credentials of the environment are not used: text goes only where the
``server``'s address says.

A request on a connection that was kept, and that the server has closed before it answered, is sent once more. Finding the
events in a body is left to ``events``.
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
"""The event that stands for the server's word that nothing follows."""


class Refusal(Exception):
    """The server answered with an HTTP status that is none of success, and this ``body``. error: for the user."""

    def __init__(self, status: int, body: bytes, error: EditdError) -> None:
        super().__init__(status)
        self.status, self.body, self.error = status, body, error


@dataclass(frozen=True, slots=True)
class _Order:
    """A request. content: a body, which is answered with events, or ``None`` for one JSON object."""

    path: str
    content: bytes | None = None
    model: str = ""


class Exchange:
    """One request on its way. The caller learns of it by ``take``."""

    def __init__(self) -> None:
        self.ended = False
        self._over = False
        self._events: SimpleQueue[Event | Exception | None] = SimpleQueue()
        self._error: Exception | None = None  # that comes after the events that were taken
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def take(self, seconds: float) -> list[Event]:
        """The events by now; waits for the first, but no longer than ``seconds``.

        Raises an ``EditdError`` or ``Refusal`` where the request came to nothing, once all events before it were
        taken. ``ended`` once all has been taken.
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
        """Close the connection if the answer is not over. Safe to call twice."""
        self.ended = True
        if self._over:
            return  # what is left of the connection may serve the next request
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    def put(self, event: Event | Exception | None) -> None:
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

    def get(self, path: str) -> Exchange:
        """Ask for one JSON object."""
        return self._begin(_Order(path))

    def post(self, path: str, body: Mapping[str, Any]) -> Exchange:
        """Ask for a stream of events, of which ``DONE`` may be one."""
        return self._begin(_Order(path, json.dumps(body).encode(), str(body.get("model", ""))))

    def close(self) -> None:
        """End all requests. Safe to call twice."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)

    def _begin(self, order: _Order) -> Exchange:
        exchange = Exchange()

        def begin() -> None:
            task = self._loop.create_task(self._ask(exchange, order))
            exchange._loop, exchange._task = self._loop, task  # noqa: SLF001  two halves of one thing
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if exchange.ended:
                task.cancel()

        self._loop.call_soon_threadsafe(begin)
        return exchange

    def _run(self) -> None:
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

    async def _ask(self, exchange: Exchange, order: _Order) -> None:
        try:
            if not await self._exchange(exchange, order):
                await self._exchange(exchange, order, is_last=True)
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

    async def _exchange(self, exchange: Exchange, order: _Order, *, is_last: bool = False) -> bool:
        """Send the request and pass the answer on.

        Returns false if it took a kept connection that the server closed without an answer, unless ``is_last``.
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
            await self._pass_on(response, exchange, order)
        finally:
            await response.aclose()
        return True

    async def _pass_on(self, response: httpx2.Response, exchange: Exchange, order: _Order) -> None:
        status = response.status_code
        if status not in _ANSWERED:
            body = await _beginning(response, _MOST_ERROR_BYTES)
            error = faults.of_status(self._address, status, response.headers, body, order.model)
            raise Refusal(status, body, error)
        if order.content is None:
            exchange.put(object_in(await _beginning(response, _MOST_LIST_BYTES)))
            return
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        await _pass_on_events(response, exchange, Body(kind))


_ANSWERED = (200, 201)
_WHOLE = {"Accept": "application/json"}
_STREAMED = {"Accept": "text/event-stream", "Content-Type": "application/json"}


async def _pass_on_events(response: httpx2.Response, exchange: Exchange, body: Body) -> None:
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
    data = b""
    async for piece in response.aiter_bytes():
        data += piece
        if len(data) > most:
            break
    return data[:most]
