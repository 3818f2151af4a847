"""Finds the daemon, or starts it: one daemon, however many clients ask at once.

Knows locks (``flock`` on a file, which end with the process that holds them), paths and processes; of
messages only the empty frame.
Two locks beside the socket decide:

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
from editd.daemon.spawning import daemon_command, last_words, spawn

START_SECONDS = 60.0  # for a daemon to answer; it loads no model before it does
TAKE_OVER_SECONDS = 30.0  # for a leaving daemon to be gone
LEAVING = " leaving"  # noted in the lock's file by a daemon that will be gone soon
_POLL_SECONDS = 0.02
_LOOK_AGAIN_SECONDS = 0.5
_GLANCE_SECONDS = 0.3  # longer than any process but a daemon holds the lock
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def reach(*, start: bool, command: Sequence[str] | None = None) -> Streams:
    """A connection to this version's daemon, which is started if it must be and ``start`` allows.

    command: starts a daemon in the foreground; by default this editd.
    Raises ``DaemonUnreachable`` with the reason if that fails.
    """
    place = _SocketPath()
    if streams := await _try_to_connect(place.path):
        return streams
    if not start:
        raise DaemonUnreachable("No editd daemon is running: `editd daemon` starts one.")
    deadline = _now() + START_SECONDS
    while True:
        if lock := FileLock.try_acquire(place.path.with_suffix(".start")):
            try:
                return await _start(place, command or daemon_command(), deadline)
            finally:
                lock.release()
        await asyncio.sleep(_POLL_SECONDS)  # another process is starting it
        place.look_again()
        if streams := await _try_to_connect(place.path):
            return streams
        if _now() > deadline:
            raise DaemonUnreachable(
                "Another program is starting the editd daemon and takes too long: try again."
            )


async def take_over(path: Path, seconds: float = TAKE_OVER_SECONDS) -> FileLock:
    """In a new daemon: the lock that makes it the daemon of ``path``.

    Waits for a daemon that is exiting. Raises ``DaemonUnreachable`` if another one keeps running.
    """
    deadline = _now() + seconds
    seen_enough = _now() + _GLANCE_SECONDS
    while True:
        if lock := FileLock.try_acquire(lock_path(path)):
            return lock
        holder = FileLock.read_note(lock_path(path))
        if holder.endswith(LEAVING):
            complaint = "is still finishing its edits: `editd stop --force` ends it at once."
        else:
            complaint = "is already running: `editd stop` ends it."
        if _now() > (deadline if holder.endswith(LEAVING) else seen_enough):
            process = holder.split(" ")[0] or "unknown"
            raise DaemonUnreachable(f"An editd daemon (process {process}) {complaint}")
        await asyncio.sleep(_POLL_SECONDS)


async def dismiss_others(path: Path) -> int:
    """Ask the daemons of other versions to finish and exit; returns how many were asked.

    Files of dead daemons are removed.
    """
    asked = 0
    for other in transport.sibling_sockets(path):
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
                asked += 1
            writer.close()
    return asked


def is_running(path: Path) -> bool:
    """Whether a daemon holds the lock of the socket ``path``, even if it does not answer."""
    if not lock_path(path).exists():
        return False
    if lock := FileLock.try_acquire(lock_path(path)):
        lock.release()
        return False
    return True


def kill(path: Path) -> int:
    """Kill the daemon that holds the lock of the socket ``path``; returns its process id.

    Raises ``DaemonUnreachable`` if there is none: the note in a free lock is stale.
    """
    if not is_running(path):
        raise DaemonUnreachable("No editd daemon is running.")
    note = FileLock.read_note(lock_path(path)).removesuffix(LEAVING)
    if not note.isdecimal() or int(note) < 2:  # it has just taken the lock, or its disk is full
        raise DaemonUnreachable(
            f"The editd daemon has not said which process it is (in {lock_path(path)}): try again."
        )
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(note), signal.SIGKILL)
    return int(note)


def lock_path(path: Path) -> Path:
    """The file that the daemon of the socket ``path`` keeps locked while it runs."""
    return path.with_suffix(".lock")


class _SocketPath:
    """The socket path of the daemon of the code on disk.

    The code may change between this process's check and a child's, so it is checked again while waiting.
    """

    def __init__(self) -> None:
        self.path = transport.socket_path()
        self._looked = _now()

    def look_again(self, *, at_once: bool = False) -> None:
        """Check again, at most at intervals unless ``at_once``."""
        if at_once or _now() > self._looked + _LOOK_AGAIN_SECONDS:
            self.path, self._looked = transport.socket_path(), _now()
            others = transport.sibling_sockets(self.path)
            if any(transport.same_build(self.path, other) for other in others):
                raise DaemonUnreachable(
                    "editd was upgraded while this program ran: restart it (or your editor)."
                )


async def _start(place: _SocketPath, command: Sequence[str], deadline: float) -> Streams:
    """With the start lock held: connect after all, or start a daemon and wait until it answers."""
    if streams := await _try_to_connect(place.path):
        return streams
    child = spawn(command)
    while True:
        died = child.poll() is not None
        place.look_again(at_once=died)
        if streams := await _try_to_connect(place.path):
            return streams
        if died:
            raise DaemonUnreachable(f"The editd daemon could not start: {last_words()}")
        if _now() > deadline:
            child.terminate()
            raise DaemonUnreachable(
                f"The editd daemon did not answer within {START_SECONDS:.0f} seconds: {last_words()}"
            )
        await asyncio.sleep(_POLL_SECONDS)


async def _try_to_connect(path: Path) -> Streams | None:
    try:
        return await transport.connect(path)
    except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
        return None
    except OSError as error:
        raise DaemonUnreachable(f"{path} cannot be reached: {error.strerror}.") from error


def _now() -> float:
    return asyncio.get_running_loop().time()
