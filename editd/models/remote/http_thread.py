"""HTTP to one server in a separate thread; callers poll and never block for long.

Connections are kept between requests. A dropped request closes its connection at once, which frees the
server's slot. Proxies and credentials of the environment are not used: text goes only where the
``server``'s address says.

Answers are server-sent events, as OpenAI's API sends them. They are read more strictly than HTTP clients
do: invalid UTF-8 and half a character (``\\ud800``) are errors, not U+FFFD, because the text is written
into a file.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

import httpx2

from editd.errors import EditdError, ServerFailed
from editd.models.remote import faults
from editd.models.remote.server import Address

_CONNECT_SECONDS, _WRITE_SECONDS = 10.0, 60.0
_DRAIN_SECONDS = 1.0
_MOST_ERROR_BYTES = 1 << 16  # of an error that are read
_MOST_ANSWER_BYTES = 8 << 20  # of an answer in one piece

logging.getLogger("httpx2").setLevel(logging.WARNING)  # it tells of every request

_MOST_BYTES = 4 << 20  # of one line
_NO_TEXT = "sent text that is no UTF-8"


class Rejected(Exception):
    """The server does not take some ``fields`` of the request; without them, it may."""

    def __init__(self, fields: Collection[str]) -> None:
        super().__init__(*fields)
        self.fields = fields


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request. content: a body, which is answered with events, or ``None`` for one JSON object."""

    path: str
    content: bytes | None = None
    model: str = ""
    spare: Collection[str] = ()


class Exchange:
    """One request on its way. The caller learns of it by ``take``."""

    def __init__(self) -> None:
        self.ended = False
        self._over = False
        self._heard: SimpleQueue[dict[str, Any] | Exception | None] = SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def take(self, seconds: float) -> list[dict[str, Any]]:
        """What has come; waits for something, but no longer than so many seconds.

        Raises an ``EditdError`` or ``Rejected`` where the request came to nothing. ``ended`` once
        all has been taken.
        """
        found: list[dict[str, Any]] = []
        while not self.ended:
            try:
                heard = self._heard.get(timeout=0 if found else seconds)
            except Empty:
                break
            if isinstance(heard, Exception):
                self.ended = True
                raise heard
            if heard is None:
                self.ended = self._over = True
            else:
                found.append(heard)
        return found

    def close(self) -> None:
        """Close the connection if the answer is not over. Safe to call twice."""
        self.ended = True
        if self._over:
            return  # what is left of the connection may serve the next request
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    def put(self, event: dict[str, Any] | Exception | None) -> None:
        self._heard.put(event)


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
        return self._begin(_Asked(path))

    def post(
        self, path: str, body: Mapping[str, Any], *, model: str, spare: Collection[str] = ()
    ) -> Exchange:
        """Ask for a stream of events.

        spare: fields of ``body``; ``Rejected`` is raised where the server does not take them.
        """
        return self._begin(_Asked(path, json.dumps(body).encode(), model, spare))

    def close(self) -> None:
        """End all requests. Safe to call twice."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)

    def _begin(self, asked: _Asked) -> Exchange:
        exchange = Exchange()

        def begin() -> None:
            task = self._loop.create_task(self._ask(exchange, asked))
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

    async def _ask(self, exchange: Exchange, asked: _Asked) -> None:
        try:
            await self._exchange(exchange, asked)
        except (EditdError, Rejected) as error:
            exchange.put(error)
        except NotEvents as error:
            exchange.put(ServerFailed(f"{self._address.origin} {error}: try again."))
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

    async def _exchange(self, exchange: Exchange, asked: _Asked) -> None:
        if self._client is None:
            self._client = self._new_client()
        streams = asked.content is not None
        headers = {"Accept": "text/event-stream" if streams else "application/json"}
        if streams:
            headers["Content-Type"] = "application/json"
        method, url = "POST" if streams else "GET", self._address.url + asked.path
        async with self._client.stream(
            method, url, content=asked.content, headers=headers
        ) as response:
            if response.status_code != 200:
                body = await _beginning(response, _MOST_ERROR_BYTES)
                if response.status_code in (400, 422) and (
                    fields := faults.blamed(body, asked.spare)
                ):
                    raise Rejected(fields)
                raise faults.of_status(
                    self._address, response.status_code, response.headers, body, asked.model
                )
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if not streams:
                exchange.put(object_in(await _beginning(response, _MOST_ANSWER_BYTES)))
                return
            if kind == "application/json":  # it does not stream
                exchange.put(whole_answer(await _beginning(response, _MOST_ANSWER_BYTES)))
                exchange.put({"done": True})
                return
            if kind != "text/event-stream":
                raise NotEvents("answers with something that is no stream of events")
            await _pass_on_events(response, exchange)


async def _pass_on_events(response: httpx2.Response, exchange: Exchange) -> None:
    events = Events()
    async for data in response.aiter_bytes():
        for event in events.feed(data):
            exchange.put(event)
        if events.done:
            break
    for event in events.finish():
        exchange.put(event)
    if events.done:
        exchange.put({"done": True})
        exchange.put(None)
        # A connection serves again once all has been read of what it brought.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await response.aread()


async def _beginning(response: httpx2.Response, most: int) -> bytes:
    data = b""
    async for piece in response.aiter_bytes():
        data += piece
        if len(data) > most:
            break
    return data[:most]


class NotEvents(ValueError):
    """The bytes are no events; the message says what they are, as the rest of a sentence."""


def object_in(data: bytes) -> dict[str, Any]:
    """The JSON object that a whole body is; raises ``NotEvents``."""
    return _object(
        data, "answers with something that is no JSON", "answers with JSON that is no object"
    )


def whole_answer(data: bytes) -> dict[str, Any]:
    """The one event that an answer in one piece would be, if it streamed; raises ``NotEvents``."""
    answer = object_in(data)
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        if answer.get("error") is None:
            raise NotEvents("answers in one piece, in which there is no text")
        return answer
    return {**answer, "choices": [{"delta": choice.get("message"), **choice}]}


class Events:
    """Feed on bytes; give each event's JSON. ``done``: the server has said that nothing follows."""

    def __init__(self) -> None:
        self.done = False
        self._open = b""

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """The events that ``data`` completes; raises ``NotEvents``."""
        *lines, self._open = (self._open + data).split(b"\n")
        if len(self._open) > _MOST_BYTES:
            raise NotEvents("sent a line that never ends")
        return [event for line in lines if (event := self._event(line)) is not None]

    def finish(self) -> list[dict[str, Any]]:
        """The stream is over; what it ended with without a line end."""
        rest, self._open = self._open, b""
        return [event] if (event := self._event(rest)) is not None else []

    def _event(self, line: bytes) -> dict[str, Any] | None:
        try:
            text = line.decode().rstrip("\r")
        except UnicodeDecodeError:
            raise NotEvents(_NO_TEXT) from None
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if self.done or name != "data" or not value:
            return None  # comments keep a connection alive, other fields mean nothing here
        if value == "[DONE]":
            self.done = True
            return None
        return _object(
            value.encode(), "sent an event that is no JSON", "sent an event that is no object"
        )


def _object(data: bytes, no_json: str, no_object: str) -> dict[str, Any]:
    """The object of a JSON text, in which no string holds half a character; else what is to be said."""
    try:
        value = json.loads(data)
        if b"\\ud" in data.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        raise NotEvents(_NO_TEXT) from None
    except (ValueError, RecursionError):
        raise NotEvents(no_json) from None
    if not isinstance(value, dict):
        raise NotEvents(no_object)
    return value
