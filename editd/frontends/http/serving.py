"""Listens for HTTP, only while ``editd serve`` runs. No other part of editd listens on a network.

Binds a loopback port or a Unix socket of this user; any other address needs a key. uvicorn's HTTP/1.1 gets time
limits for three clients that it would wait for without limit: one that does not finish the head of its
request, one that goes on with a body after its answer, and one that does not read its answer. The limits
for bodies that are read are in ``routes``, those for whole requests in ``answers``.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from editd import interrupts
from editd.config_sources import Resolved
from editd.daemon import transport
from editd.daemon.client import SocketEngineClient
from editd.daemon.engine_client import EngineClient
from editd.errors import DaemonUnreachable, UsageError
from editd.frontends.http.guard import LOOPBACK_HOSTS, Access
from editd.frontends.http.routes import Models, Service, make_app
from editd.frontends.planning_client import PlanningClient
from editd.frontends.worded_client import WordedClient

HEAD_SECONDS = 10.0  # that the head of a request may take, from the connection or its first byte on
REST_SECONDS = 5.0  # that a client may go on with a body that was answered before its end
REST_BYTES = 1 << 20  # of it that are read, so that the client gets to reading its answer
UNREAD_SECONDS = 60.0  # that a client may leave unread what it was sent

KEY_VARIABLE = "EDITD_API_KEY"

_BACKLOG = 128
_MOST_CONNECTIONS = 256  # open at once; more get 503
_IDLE_SECONDS = 30  # that a connection is kept for its next request
_LEAVE_SECONDS = 5  # that requests are waited for when the server is stopped


class TimedConnection(H11Protocol):
    """uvicorn's connection that is closed when the client exceeds a time limit."""

    _head: asyncio.TimerHandle | None = None  # runs while the head of a request is awaited
    _rest: asyncio.TimerHandle | None = None  # runs while the rest of an answered body comes
    _rest_bytes = 0
    _unread: asyncio.TimerHandle | None = None  # runs while something sent waits to be read

    def connection_made(self, transport: Any) -> None:
        """Begin the time limit (10 s) for the head of the first request, and set the transport so that
        ``pause_writing`` is called for any unread byte.
        """
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request, and stop or start time limits; closes the connection, and drops the bytes, after
        more than 1 MiB of a body that was answered before its end. More bytes of a head do not extend its time.
        """
        self._rest_bytes -= len(data)
        if self._rest is not None and self._rest_bytes < 0:
            self.transport.close()
            return
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._await_head()
        else:
            _stop(self._head)
            self._head = None
        if not self._is_answered_early:
            _stop(self._rest)
            self._rest = None

    def on_response_complete(self) -> None:
        """If the answer was sent before the request's body has ended, close the connection after five seconds more,
        or 1 MiB of the body.
        """
        super().on_response_complete()
        if self._is_answered_early:
            self._rest_bytes = REST_BYTES
            self._rest = self.loop.call_later(REST_SECONDS, self.transport.close)

    def send_400_response(self, msg: str) -> None:
        """Close the connection because of bytes that are no HTTP, which ends the work for a running request. Before
        that, answer with 400, unless the body of an answer has begun or was sent.
        """
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        self.transport.close()
        if self.cycle is not None:
            self.cycle.disconnected = True  # nobody can be answered any more
            self.cycle.message_event.set()

    def pause_writing(self) -> None:
        """Start the time limit for unread bytes."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the time limit for unread bytes, because the client has read everything."""
        super().resume_writing()
        _stop(self._unread)
        self._unread = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all time limits of the connection, so that none closes it later."""
        for timer in (self._head, self._rest, self._unread):
            _stop(timer)
        super().connection_lost(exc)

    @property
    def _is_answered_early(self) -> bool:
        """Whether the answer is sent and the body has not ended."""
        return self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete

    def _await_head(self) -> None:
        """Start the time limit for a request's head, unless it runs."""
        if self._head is None:
            self._head = self.loop.call_later(HEAD_SECONDS, self.transport.close)


def _stop(timer: asyncio.TimerHandle | None) -> None:
    """Cancel a timer, if there is one."""
    if timer is not None:
        timer.cancel()


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """An address and port, or the ``path`` of a Unix socket, which takes precedence. names: other hosts that a request's ``Host`` may name."""

    host: str = "127.0.0.1"
    port: int = 0
    path: Path | None = None
    names: tuple[str, ...] = ()

    def check(self, key: str) -> None:
        """Raise ``UsageError`` for an address that others can reach, unless there is a key."""
        if self.path is None and not self.is_private and not key:
            raise UsageError(
                f"{self.host} can be reached from other machines: set a key ({KEY_VARIABLE} or "
                f"--api-key-file), or listen on 127.0.0.1."
            )

    @property
    def is_private(self) -> bool:
        """Whether only this machine can connect: a Unix socket, ``localhost`` or a loopback address; false for any
        other name.
        """
        if self.path is not None or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False  # a name may mean anything

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that a request's ``Host`` may name, ``names`` among them; empty for a Unix socket and for addresses
        that others can reach, where it is not checked.
        """
        if self.path is not None or not self.is_private:
            return frozenset()
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return LOOPBACK_HOSTS | {shown} | {name.lower() for name in self.names}


def serve(
    resolved: Resolved,
    place: ListenAddress,
    *,
    key: str = "",
    origins: Sequence[str] = (),
    seconds: float,
    say: Callable[[str], None],
    edit_format: str = "",
) -> None:
    """Bind the listener, connect to the daemon, which is started if none runs, and serve HTTP until interrupted; then
    close the listener (and remove the Unix socket). Sets up logging to standard error.

    key: required of clients unless empty. origins: of web pages that may ask. seconds: the most that a request may
    take. say: called with a sentence once the daemon is connected, just before serving. edit_format: as of
    ``Models``. Raises ``UsageError`` for a place that others can reach without a key, or that is taken, and for the
    origin ``*``; ``DaemonUnreachable``.
    """
    place.check(key)
    if "*" in origins:
        raise UsageError("--allow-origin names one page's origin, such as http://localhost:3000.")
    listener = bind(place)
    models = Models(resolved.config.model.name, edit_format)
    access = Access(place.hosts, tuple(origins), key)

    async def serving() -> None:
        logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
        logging.getLogger("uvicorn").setLevel(logging.ERROR)
        daemon = await SocketEngineClient.connect(client="http")

        async def connected() -> EngineClient:
            return daemon

        async with aclosing(daemon):
            engine = WordedClient(PlanningClient(connected), "http")
            service = Service(engine, models, resolved.edit_options(file_is_fresh=False), seconds)
            say(f"Serving {_address(place, listener)}; the model is {resolved.config.model.name}.")
            await make_server(make_app(service, access)).serve(sockets=[listener])

    try:
        interrupts.run(serving())
    finally:
        listener.close()
        if place.path is not None:
            place.path.unlink(missing_ok=True)


def read_key(file: str | None) -> str:
    """Read the key from the first line of ``file``, or, if that is ``None``, from the environment variable
    ``EDITD_API_KEY``; without blanks around it, empty for none.

    Never from the command line, which other users can see. Raises ``UsageError`` for a file that cannot be read or
    whose first line is blank.
    """
    if file is None:
        return os.environ.get(KEY_VARIABLE, "").strip()
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"{file} cannot be read: {reason}.") from error
    key = lines[0].strip() if lines else ""
    if not key:
        raise UsageError(f"{file} contains no key: its first line is empty.")
    return key


def bind(place: ListenAddress) -> socket.socket:
    """Bind a listening socket to ``place``; of several addresses of a name the first. Raises ``UsageError`` if the
    host is no address of this machine, or the port or path is taken or not allowed.
    """
    if place.path is not None:
        return _bind_path(place.path)
    try:
        family, _, _, _, address = socket.getaddrinfo(
            place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{place.host} is not an address of this machine.") from error
    dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(address, family=family, backlog=_BACKLOG, dualstack_ipv6=dual)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise UsageError(
            f"{place.host} port {place.port} is not available ({reason}): choose another (--port)."
        ) from error


def _bind_path(path: Path) -> socket.socket:
    """Bind a Unix socket that only this user can open, in place of a stale one. Raises ``UsageError`` if a server
    answers there, or it cannot be bound.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, contextlib.suppress(OSError):
        probe.connect(str(path))
        raise UsageError(f"Another server uses {path}: choose another (--socket).")
    try:
        return transport.bind(path)
    except DaemonUnreachable as error:
        raise UsageError(str(error)) from error


def make_server(app: Starlette) -> uvicorn.Server:
    """Make uvicorn's server of ``app``: HTTP/1.1 alone, with limits, without a log of its own."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=TimedConnection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=_IDLE_SECONDS,
            timeout_graceful_shutdown=_LEAVE_SECONDS,
        )
    )


def _address(place: ListenAddress, listener: socket.socket) -> str:
    """The base URL with the port that was bound, or the Unix socket's path in words."""
    if place.path is not None:
        return f"the Unix socket {place.path}"
    host = f"[{place.host}]" if ":" in place.host else place.host
    return f"http://{host}:{listener.getsockname()[1]}/v1"
