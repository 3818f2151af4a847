"""Finds the daemon, or starts it: one daemon, however many clients ask at once; also dismisses and kills daemons.

Knows locks, paths and processes; of messages only the empty frame. Two locks in the socket's directory decide:

- ``….start`` is held by the one client that starts a daemon, until the daemon answers;
- ``….lock`` is held by the daemon for life. Only its holder may remove a socket found in its place,
  so a dead daemon's socket is cleared away and a living one's never.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from editd.daemon import framing, transport
from editd.errors import DaemonUnreachable

if sys.platform != "win32":
    pass

from editd.daemon.file_lock import FileLock
from editd.daemon.spawning import daemon_command, last_output_or_log, spawn

START_SECONDS = 60.0  # for a daemon to answer; it loads no model before it does
TAKE_OVER_SECONDS = 30.0  # for an exiting daemon to be gone
EXITING = " leaving"  # added to the process id in the lock's file by a daemon that exits soon
WATCH_SECONDS = 2.0  # between two looks of a daemon at its socket file
_POLL_SECONDS = 0.02
_CHECK_SECONDS = 0.5
_GLANCE_SECONDS = 0.3  # longer than any process but a daemon holds the lock
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


_LOST = "The editd daemon has lost its socket and exits when its edits have ended: `editd stop --force` ends it at once."


async def reach(*, start: bool, command: Sequence[str] | None = None) -> Streams:
    """Connect to this version's daemon, first starting it if none answers and ``start`` is true.

    command: runs a daemon in the foreground; by default this editd. Raises ``DaemonUnreachable``
    with the reason if none answers, without ``start`` at once, else within ``START_SECONDS``.
    """
    socket_file = _CurrentSocketPath()
    if streams := await _try_to_connect(socket_file.path):
        return streams
    if not start:
        if is_running(socket_file.path):
            raise DaemonUnreachable(_LOST)
        raise DaemonUnreachable("No editd daemon is running: `editd daemon` starts one.")
    deadline = _now() + START_SECONDS
    while True:
        if lock := FileLock.try_acquire(socket_file.path.with_suffix(".start")):
            try:
                return await _start_daemon(socket_file, command or daemon_command(), deadline)
            finally:
                lock.release()
        await asyncio.sleep(_POLL_SECONDS)  # another process is starting it
        socket_file.check_again()
        if streams := await _try_to_connect(socket_file.path):
            return streams
        if _now() > deadline:
            raise DaemonUnreachable(
                "Another program is starting the editd daemon and takes too long: try again."
            )


async def take_over(path: Path, seconds: float = TAKE_OVER_SECONDS) -> FileLock:
    """In a new daemon: acquire the lock that makes this process the daemon of the socket ``path``,
    and write into it the process id and editd's folder.

    Waits at most ``seconds`` for a daemon that is exiting, for any other only ``_GLANCE_SECONDS``,
    and ``2 * WATCH_SECONDS`` more if there is no socket at the beginning, so that it notices the
    loss. Raises ``DaemonUnreachable`` if the other daemon still has the lock then, or the lock's
    file cannot be locked or written.
    """
    deadline = _now() + seconds
    glance_deadline = _now() + _GLANCE_SECONDS
    if transport.identity(path) is None:
        glance_deadline += 2 * WATCH_SECONDS
    while True:
        if lock := FileLock.try_acquire(lock_path(path)):
            lock.write_note(f"{os.getpid()}\n{transport.package_folder()}")
            return lock
        holder = FileLock.read_note(lock_path(path))
        if holder.endswith(EXITING):
            complaint = "is still finishing its edits: `editd stop --force` ends it at once."
        else:
            complaint = "is already running: `editd stop` ends it."
        if _now() > (deadline if holder.endswith(EXITING) else glance_deadline):
            process = (holder.split() or ["unknown"])[0]
            raise DaemonUnreachable(f"An editd daemon (process {process}) {complaint}")
        await asyncio.sleep(_POLL_SECONDS)


async def dismiss_others(path: Path, *, spare_installed: bool = False) -> int:
    """Ask the daemons of versions other than ``path``'s to finish and exit; returns the number of
    daemons asked.

    Removes the sockets of dead daemons; daemons that cannot be reached are left alone.
    spare_installed: not those of other installations, whose programs would start them again at each
    edit. Raises ``DaemonUnreachable`` if a lock file cannot be locked.
    """
    dismissed = 0
    for other in transport.sibling_sockets(path):
        if spare_installed and _is_installed(other):
            continue
        try:
            _, writer = await transport.connect(other, patience=_GLANCE_SECONDS)
        except ConnectionRefusedError:
            if lock := FileLock.try_acquire(lock_path(other)):
                other.unlink(missing_ok=True)
                lock.release()
        except (OSError, DaemonUnreachable):
            continue
        else:
            with contextlib.suppress(OSError):
                writer.write(framing.LEAVE)
                await writer.drain()
                dismissed += 1
            writer.close()
    return dismissed


def _is_installed(path: Path) -> bool:
    """Whether the code of the living daemon of the socket ``path`` is still on disk, unchanged, in
    the folder that its lock names, so that it is another installation's. Hashes that folder.
    """
    _, _, package = FileLock.read_note(lock_path(path)).partition("\n")
    is_there = bool(package) and is_running(path) and os.path.isdir(package)  # noqa: PTH112
    return is_there and transport.is_build(path, transport.build_id(package))


def is_running(path: Path) -> bool:
    """Whether a daemon holds the lock of the socket ``path``, even if it does not answer. A free
    lock is taken for a moment, and its file removed. Raises ``DaemonUnreachable`` if it cannot be
    locked.
    """
    if not lock_path(path).exists():
        return False
    if lock := FileLock.try_acquire(lock_path(path)):
        lock.release()
        return False
    return True


def kill(path: Path) -> int:
    """Kill the daemon that holds the lock of the socket ``path``, with SIGKILL; returns its process
    id.

    Raises ``DaemonUnreachable`` if no daemon holds the lock, or it has not written its process id
    into it.
    """
    if not is_running(path):
        raise DaemonUnreachable("No editd daemon is running.")
    note = FileLock.read_note(lock_path(path)).partition("\n")[0].removesuffix(EXITING)
    if not note.isdecimal() or int(note) < 2:  # it has only now taken the lock, or its disk is full
        raise DaemonUnreachable(
            f"The editd daemon has not said which process it is (in {lock_path(path)}): try again."
        )
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(note), signal.SIGKILL)
    return int(note)


def lock_path(path: Path) -> Path:
    """The path of the file that the daemon of the socket ``path`` holds locked while it runs."""
    return path.with_suffix(".lock")


class _CurrentSocketPath:
    """The socket path of the daemon of the code on disk, computed anew while a client waits.

    The code on disk may change between this process's check and a child's.
    """

    def __init__(self) -> None:
        self.path = transport.socket_path()
        self._checked_at = _now()

    def check_again(self, *, at_once: bool = False) -> None:
        """Compute ``path`` anew, unless that was done within ``_CHECK_SECONDS`` and not ``at_once``.

        Raises ``DaemonUnreachable`` if a daemon of the code on disk has another protocol than this process.
        """
        if at_once or _now() > self._checked_at + _CHECK_SECONDS:
            self.path, self._checked_at = transport.socket_path(), _now()
            others = transport.sibling_sockets(self.path)
            if any(transport.same_build(self.path, other) for other in others):
                raise DaemonUnreachable(
                    "editd was upgraded while this program ran: restart it (or your editor)."
                )


async def _start_daemon(
    socket_file: _CurrentSocketPath, command: Sequence[str], deadline: float
) -> Streams:
    """Connect if a daemon answers by now, else start a daemon and wait until it answers. The start
    lock must be held.

    Raises ``DaemonUnreachable`` if the daemon exits or does not answer before ``deadline``, in the
    loop's time (it is terminated then), or cannot be run.
    """
    if streams := await _try_to_connect(socket_file.path):
        return streams
    child = spawn(command)
    while True:
        exited = child.poll() is not None
        socket_file.check_again(at_once=exited)
        if streams := await _try_to_connect(socket_file.path):
            return streams
        if exited:
            raise DaemonUnreachable(f"The editd daemon could not start: {last_output_or_log()}")
        if _now() > deadline:
            child.terminate()
            raise DaemonUnreachable(
                f"The editd daemon did not answer within {START_SECONDS:.0f} seconds: {last_output_or_log()}"
            )
        await asyncio.sleep(_POLL_SECONDS)


async def _try_to_connect(path: Path) -> Streams | None:
    """Connect to the socket ``path``; ``None`` if no process listens. Raises ``DaemonUnreachable``
    or its kind ``DaemonSilent`` if the connection fails otherwise.
    """
    try:
        return await transport.connect(path)
    except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
        return None
    except OSError as error:
        raise DaemonUnreachable(f"{path} cannot be reached: {error.strerror}.") from error


def _now() -> float:
    """The running event loop's time, in seconds."""
    return asyncio.get_running_loop().time()
