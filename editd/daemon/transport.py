"""The socket between client and daemon: a Unix socket in a private directory.

The only file that knows that a Unix socket exists; a Windows named pipe would join here. It knows
nothing of frames, messages, or of how a daemon is started.

Not every system respects the permissions of a socket file, all respect those of its directory:
so the directory belongs to this user and has mode 0700, or nothing is opened (watchman's rule).
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import socket
import stat
import struct
import sys
from collections.abc import Awaitable, Callable
from io import FileIO
from pathlib import Path
from time import monotonic

from editd.errors import DaemonUnreachable
from editd.messages import PROTOCOL_VERSION

ENV_RUNTIME_DIR = "EDITD_RUNTIME_DIR"

# sockaddr_un.sun_path without its closing NUL: 108 bytes on Linux, 104 on macOS and the BSDs.
MAX_SOCKET_PATH = 107 if sys.platform == "linux" else 103

_STREAM_LIMIT = 1 << 20  # asyncio stops reading from the kernel at twice this
_BACKLOG = 128  # many clients may connect at the moment when a daemon starts
CONNECT_SECONDS = 10.0  # a live daemon accepts at once, even when busy
_POLL_SECONDS = 0.02

AcceptClient = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None] | None]


def socket_name() -> str:
    """The name of this version's socket: the protocol and a hash of the code on disk.

    Two daemons of different code never share a socket. An editor's process that is older than the
    code on disk finds the daemon of the newer code, as long as the protocol is the same.
    """
    return f"editd-{PROTOCOL_VERSION}-{build_id()}.sock"


def socket_path(name: str | None = None) -> Path:
    """The path of the socket ``name``, by default this version's; makes its private directory. A
    path that is too long for the kernel becomes a hashed name in the temporary directory.

    Raises ``DaemonUnreachable`` if the directory cannot be trusted, or the system has no Unix
    sockets.
    """
    _require_unix_sockets()
    name = name or socket_name()
    directory = runtime_directory()
    path = directory / name
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        make_private(directory)
        return path
    # Too long for the kernel: a short name in /tmp, made of the configured directory and the name.
    fallback = _temporary_directory()
    make_private(fallback)
    return fallback / f"{_digest(os.fsencode(directory))}-{_digest(name.encode())}.sock"


def sibling_sockets(path: Path) -> list[Path]:
    """The sockets of other versions in the directory of the socket ``path``."""
    family = path.name.split("-")[0]  # "editd", or the digest of the configured directory
    return [other for other in path.parent.glob(f"{family}-*.sock") if other != path]


def is_build(path: Path, build: str) -> bool:
    """Whether the name of a socket ends in that hash of the code; false for a short name in ``/tmp``."""
    return path.stem.split("-")[-1] == build


def same_build(path: Path, other: Path) -> bool:
    """Whether two socket names end in the same hash of the code; their protocols may differ."""
    return (
        path.name.split("-")[0] == "editd" and path.name.split("-")[2:] == other.name.split("-")[2:]
    )


def runtime_directory() -> Path:
    """The directory of sockets and locks: ``$EDITD_RUNTIME_DIR``, else ``editd`` in the session's
    directory (``$XDG_RUNTIME_DIR`` or ``/run/user/UID``, if it exists and is this user's), else one
    in /tmp. Makes nothing.
    """
    if chosen := os.environ.get(ENV_RUNTIME_DIR):
        return Path(chosen).absolute()
    # The variable is missing in containers, under cron and after su; the directory may exist.
    for session in (os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{os.getuid()}"):
        if session.startswith("/") and _is_own_directory(Path(session)):
            return Path(session) / "editd"
    return _temporary_directory()


def make_private(directory: Path) -> None:
    """Make ``directory`` and its parents if missing, and set its mode to 0700, so that only this
    user has access.

    Raises ``DaemonUnreachable`` if it cannot be made or opened, is a symbolic link, another user's,
    or stays accessible to others: anyone who can enter it could read every buffer or answer in the
    daemon's place.
    """
    advice = f"remove it, or set {ENV_RUNTIME_DIR} to a directory of your own"
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=0o700)
        if directory.is_symlink():
            raise DaemonUnreachable(f"{directory} is a symbolic link, which is not safe: {advice}.")
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            status = os.fstat(descriptor)
            if status.st_uid != os.getuid():
                raise DaemonUnreachable(
                    f"{directory} belongs to another user, which is not safe: {advice}."
                )
            if stat.S_IMODE(status.st_mode) != 0o700:
                os.fchmod(descriptor, 0o700)
                status = os.fstat(descriptor)
            if status.st_mode & 0o077:
                raise DaemonUnreachable(
                    f"{directory} can be entered by other users and that cannot be changed: {advice}."
                )
        finally:
            os.close(descriptor)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DaemonUnreachable(f"{directory} cannot be used ({reason}): {advice}.") from error


class DaemonSilent(DaemonUnreachable):
    """The program that holds the daemon's socket does not answer."""

    def __init__(self) -> None:
        super().__init__("The editd daemon does not answer: `editd stop --force` ends it.")


async def connect(
    path: Path, patience: float = CONNECT_SECONDS
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the daemon at the socket ``path``; raises ``OSError`` if no process listens.

    Raises ``DaemonSilent`` if the daemon has accepted no connection for ``patience`` seconds, and
    ``DaemonUnreachable`` if its process belongs to another user, or to one that the kernel does not
    report.
    """
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        peer.setblocking(False)
        await _connect(peer, path, patience)
        reader, writer = await asyncio.open_unix_connection(sock=peer, limit=_STREAM_LIMIT)
    except BaseException:
        peer.close()
        raise
    if (uid := peer_uid(writer)) != os.getuid():
        writer.close()
        raise DaemonUnreachable(
            f"The process behind {path} belongs to another user."
            if uid is not None
            else f"The owner of the process behind {path} is unknown, so it is not trusted."
        )
    return reader, writer


async def _connect(peer: socket.socket, path: Path, patience: float) -> None:
    """Connect ``peer``, waiting while the backlog is full, which asyncio would take for a connection.

    Raises ``DaemonSilent`` after ``patience`` seconds, or ``OSError``.
    """
    deadline = monotonic() + patience
    while True:
        try:
            peer.connect(str(path))
        except BlockingIOError:
            if monotonic() > deadline:
                raise DaemonSilent from None
            await asyncio.sleep(_POLL_SECONDS)
        else:
            return


def bind(path: Path) -> socket.socket:
    """Make a listening socket at ``path``, for this user alone, replacing an old socket there.

    The caller must know that the old socket is stale, by holding the daemon's lock. Raises
    ``DaemonUnreachable`` if no socket can be made there, or something else than a socket has the
    path.
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISSOCK(path.lstat().st_mode):
                listener.close()
                raise DaemonUnreachable(f"{path} is not a socket: remove it.")
            path.unlink()
        listener.bind(str(path))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        reason = error.strerror or error  # a path that is too long has none
        raise DaemonUnreachable(f"A socket cannot be created at {path}: {reason}.") from error
    finally:
        os.umask(before)
    return listener


async def listen(listener: socket.socket, accept: AcceptClient) -> asyncio.Server:
    """Start a server that calls ``accept`` with the streams of each connection to ``listener``, and return it."""
    listener.setblocking(False)
    return await asyncio.start_unix_server(
        accept, sock=listener, limit=_STREAM_LIMIT, backlog=_BACKLOG
    )


def identity(path: Path) -> int | None:
    """The inode of the socket file at ``path``, by which a later file is told from it; ``None`` if no file exists."""
    try:
        return path.lstat().st_ino
    except OSError:
        return None


def remove(path: Path, expected: int | None) -> None:
    """Remove the socket file at ``path`` if its ``identity`` is still ``expected``."""
    if identity(path) == expected:
        path.unlink(missing_ok=True)


def peer_uid(writer: asyncio.StreamWriter) -> int | None:
    """The user id of the process at the other end, from the kernel; ``None`` if the kernel does not report it."""
    peer = writer.get_extra_info("socket")
    try:
        return _peer_uid_linux(peer) if sys.platform == "linux" else _peer_uid_bsd(peer)
    except (OSError, struct.error):
        return None


def package_folder() -> str:
    """The folder of the code that runs in this process."""
    return str(Path(__file__).parent.parent)


def build_id(package: str = "") -> str:
    """Eight hexadecimal digits: a hash of the names and contents of the ``.py`` files in
    ``package``, by default ``package_folder``, read from disk.

    Over contents, not times: two environments with the same version share one daemon, and a
    developer's change gets a new one. Takes a few milliseconds, so it is done when connecting, and
    without pathlib, which would double the time.
    """
    package = package or package_folder()
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(package):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py") and not name.startswith("."):
                source = f"{folder}/{name}"
                digest.update(f"{source.removeprefix(package)}\0".encode())
                with contextlib.suppress(FileNotFoundError), FileIO(source) as file:
                    digest.update(file.readall())
    return digest.hexdigest()[:8]


def _digest(data: bytes) -> str:
    """Eight hexadecimal digits of a hash of ``data``."""
    return hashlib.sha256(data).hexdigest()[:8]


def _peer_uid_linux(peer: socket.socket) -> int | None:
    """The peer's user id by ``SO_PEERCRED``; raises ``OSError``."""
    # struct ucred: pid, uid, gid
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int(struct.unpack("=iII", credentials)[1])


def _peer_uid_bsd(peer: socket.socket) -> int | None:
    """The user id of the process at the other end by ``LOCAL_PEERCRED``; ``None`` for an unknown
    version of its answer. Raises ``OSError`` and ``struct.error``.
    """
    # macOS too. SOL_LOCAL is 0 and LOCAL_PEERCRED is 1, Python names neither;
    # struct xucred: version, uid, number of groups, 16 groups.
    credentials = peer.getsockopt(0, 1, 76)
    version, uid = struct.unpack_from("=II", credentials)
    return int(uid) if version == 0 else None


def _temporary_directory() -> Path:
    """The path of this user's directory in /tmp."""
    # Not $TMPDIR: it may differ between two terminals, and it is long on macOS.
    return Path("/tmp") / f"editd-{os.getuid()}"  # noqa: S108 - its owner and mode are checked


def _is_own_directory(path: Path) -> bool:
    """Whether ``path`` is a directory of this user; ``False`` if it does not exist or cannot be
    read.
    """
    try:
        status = path.stat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def _require_unix_sockets() -> None:
    """Raise ``DaemonUnreachable`` on Windows."""
    if sys.platform == "win32":
        raise DaemonUnreachable("editd's daemon needs Unix sockets: on Windows, run editd in WSL.")
