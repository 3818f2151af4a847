"""Listens for HTTP, only while ``editd serve`` runs. No other part of editd does.

Binds a loopback port or a Unix socket of this user; any other address needs a key.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from editd import interrupts
from editd.daemon.client import SocketEngineClient
from editd.doors.http.connection import Connection
from editd.doors.http.guard import LOOPBACK_HOSTS, Access
from editd.doors.http.model_names import Models
from editd.doors.http.routes import Service, make_app
from editd.errors import UsageError
from editd.settings import Resolved

KEY_VARIABLE = "EDITD_API_KEY"

_BACKLOG = 128
_MOST_CONNECTIONS = 256  # open at once; more get 503
_IDLE_SECONDS = 30  # that a connection is kept for its next request
_LEAVE_SECONDS = 5  # that requests are waited for when the server is stopped


@dataclass(frozen=True, slots=True)
class Place:
    """Where to listen: ``path``, of a Unix socket, takes precedence over an address."""

    host: str = "127.0.0.1"
    port: int = 0
    path: Path | None = None

    def check(self, key: str) -> None:
        """Raise ``UsageError`` for an address that others can reach, unless there is a key."""
        if self.path is None and not self.is_private and not key:
            raise UsageError(
                f"{self.host} can be reached from other machines: set a key ({KEY_VARIABLE} or "
                f"--api-key-file), or listen on 127.0.0.1."
            )

    @property
    def is_private(self) -> bool:
        """Whether only this machine can connect."""
        if self.path is not None or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False  # a name may mean anything

    @property
    def hosts(self) -> frozenset[str]:
        """What a request's ``Host`` may name; empty where it need not be checked."""
        if self.path is not None or not self.is_private:
            return frozenset()
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return LOOPBACK_HOSTS | {shown}


def serve(
    resolved: Resolved,
    place: Place,
    *,
    key: str = "",
    origins: Sequence[str] = (),
    seconds: float,
    say: Callable[[str], None],
    edit_format: str = "",
) -> None:
    """Serve until interrupted. say: gets the address, once requests are accepted. edit_format: as of
    ``Models``.
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
        async with aclosing(await SocketEngineClient.connect(client="http")) as engine:
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
    """The key in the first line of ``file``, else in the environment; empty for none.

    Never from the command line, which other users can see.
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


def bind(place: Place) -> socket.socket:
    """A socket bound to ``place`` and listening; raises ``UsageError`` if there can be none."""
    if place.path is not None:
        return _bind_path(place.path)
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{place.host} is not an address of this machine.") from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        reason = error.strerror or error
        raise UsageError(
            f"{place.host} port {place.port} is not available ({reason}): choose another (--port)."
        ) from error
    return listener


def _bind_path(path: Path) -> socket.socket:
    """A Unix socket that only this user can open; a stale one is replaced."""
    _make_room(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        reason = error.strerror or error
        raise UsageError(f"A socket cannot be created at {path} ({reason}).") from error
    finally:
        os.umask(before)
    return listener


def _make_room(path: Path) -> None:
    """Remove a stale socket; raises ``UsageError`` for anything else at ``path``."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise UsageError(f"{path} exists and is not a socket: choose another (--socket).")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            if probe.connect_ex(str(path)) == 0:
                raise UsageError(f"Another server uses {path}: choose another (--socket).")
        path.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{path} cannot be used: {error.strerror}.") from error


def make_server(app: Starlette) -> uvicorn.Server:
    """``app`` behind HTTP/1.1 alone, with limits and without its own log."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Connection,
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


def _address(place: Place, listener: socket.socket) -> str:
    if place.path is not None:
        return f"the Unix socket {place.path}"
    host = f"[{place.host}]" if ":" in place.host else place.host
    return f"http://{host}:{listener.getsockname()[1]}/v1"
