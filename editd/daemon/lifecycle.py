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
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import editd
from editd.daemon import framing, logs, transport
from editd.errors import DaemonUnreachable

if sys.platform != "win32":
    import fcntl


class FileLock:
    """A lock that is held from ``try_acquire`` to ``release``, or to the end of the process."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def try_acquire(cls, path: Path) -> FileLock | None:
        """The lock of ``path``, or ``None`` at once if another process has it."""
        try:
            while (lock := cls._open(path)) is None:
                pass  # its last holder removed the file meanwhile: that one is no one's
        except BlockingIOError:
            return None
        except OSError as error:
            raise DaemonUnreachable(
                f"{path} cannot be locked ({error.strerror}): set EDITD_RUNTIME_DIR to a directory "
                f"on a local disk."
            ) from error
        try:
            lock.note(str(os.getpid()))
        except DaemonUnreachable:
            lock.release()
            raise
        return lock

    @classmethod
    def _open(cls, path: Path) -> FileLock | None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return cls(path, descriptor)
        except FileNotFoundError:
            pass
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    @staticmethod
    def note_in(path: Path) -> str:
        """The last note of the lock's holder; empty if there is none."""
        try:
            return path.read_text()
        except OSError:
            return ""

    def note(self, text: str) -> None:
        """Write ``text`` into the file for others to read; initially it is the process id."""
        try:
            os.pwrite(self._descriptor, text.encode(), 0)
            os.truncate(self._descriptor, len(text.encode()))
        except OSError as error:
            raise DaemonUnreachable(
                f"{self._path} cannot be written ({error.strerror})."
            ) from error

    def release(self) -> None:
        """Release it. The file is removed first, while no other process can hold it."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        os.close(self._descriptor)


# What the daemon inherits of the environment of the process that happened to start it: who and where the
# user is, and what its libraries want to know of this machine. A workspace's own variables, and
# whatever could make Python or the linker load other code, stay behind.
#
# Of the variables of GPU libraries those stay that choose among the devices and drivers which are
# installed, or say how one computes: flags, numbers and names. Left behind is what names a file to load,
# such as GGML_BACKEND_PATH, VK_DRIVER_FILES, VK_LAYER_PATH or GGML_METAL_PATH_RESOURCES; who needs one
# starts `editd daemon` with it.
_INHERITED = frozenset(
    (
        *("HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER"),
        *("DRI_PRIME", "MESA_VK_DEVICE_SELECT", "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE"),
        *("VK_LOADER_DEVICE_SELECT", "VK_LOADER_DRIVERS_DISABLE", "VK_LOADER_DRIVERS_SELECT"),
        *("GGML_METAL_DEVICES", "ONEAPI_DEVICE_SELECTOR", "ZE_AFFINITY_MASK"),
    )
)
_INHERITED_PREFIXES = tuple(
    f"{name}_"
    for name in (
        *("EDITD", "LC", "XDG"),
        *("HF", "HUGGINGFACE", "PYTORCH", "SAFETENSORS", "TOKENIZERS", "TORCH", "TRANSFORMERS"),
        *("CUBLAS", "CUDA", "CUDNN", "NVIDIA", "HIP", "HSA", "ROCM", "ROCR"),
        *("GGML_CUDA", "GGML_SYCL", "GGML_VK"),
        *("GOMP", "KMP", "MKL", "NUMEXPR", "OMP", "OPENBLAS", "VECLIB"),
    )
)


def daemon_command() -> list[str]:
    """What starts a daemon in the foreground: this interpreter and this editd.

    ``-P``: no directory but the installed ones is searched for modules.
    """
    return [sys.executable, "-P", "-m", "editd", "daemon", "--foreground"]


def daemon_environment() -> dict[str, str]:
    """The variables that a daemon is started with."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in _INHERITED or name.startswith(_INHERITED_PREFIXES)
    }
    # Relative to the directory of the process that starts it; the daemon runs elsewhere.
    for name in (transport.ENV_RUNTIME_DIR, logs.ENV_STATE_DIR):
        if value := environment.get(name):
            environment[name] = str(Path(value).absolute())
    return environment | _source()


def engine_environment() -> dict[str, str]:
    """The variables that the engine's process is started with: those of this process."""
    environment = dict(os.environ)
    for name, source in _source().items():
        entries = environment.get(name, "").split(os.pathsep)
        environment[name] = os.pathsep.join([source, *(entry for entry in entries if entry)])
    return environment


def _source() -> dict[str, str]:
    """An editd that was found through PYTHONPATH or the current directory must be found again."""
    source = str(Path(editd.__file__).resolve().parent.parent)
    searched = sys.path[:1]
    if python_path := os.environ.get("PYTHONPATH"):
        searched = [*searched, *python_path.split(os.pathsep)]
    if source in {str(Path(entry or os.curdir).resolve()) for entry in searched}:
        return {"PYTHONPATH": source}
    return {}


def spawn(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a daemon that survives this process, its terminal and its directory."""
    output = _fresh_stderr(logs.stderr_path())
    try:
        child = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=daemon_environment(),
            umask=0o077,
            start_new_session=True,
        )
    except OSError as error:
        raise DaemonUnreachable(f"{command[0]} cannot be run: {error.strerror}.") from error
    finally:
        os.close(output)
    # An editor outlives a daemon, so the daemon's exit status has to be collected.
    threading.Thread(target=child.wait, name="editd-daemon-reaper", daemon=True).start()
    return child


def last_words() -> str:
    """What a daemon said that could not start, for a sentence that needs a reason."""
    return final_words() or f"see {logs.log_path()}."


def final_words() -> str:
    """The last line that a daemon wrote to standard error; empty if it wrote none."""
    try:
        lines = logs.stderr_path().read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][-300:] if lines else ""


def _fresh_stderr(path: Path) -> int:
    """A descriptor of the emptied file; what the last daemon left there is kept beside it."""
    # Appending, so that the file can be emptied while the daemon writes to it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW
    try:
        if path.exists() and path.stat().st_size:
            path.replace(path.with_suffix(".stderr.1"))
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise DaemonUnreachable(f"{path} cannot be written ({error.strerror}).") from error


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

START_SECONDS = 60.0  # for a daemon to answer; it loads no model before it does
TAKE_OVER_SECONDS = 30.0  # for a leaving daemon to be gone

LEAVING = " leaving"  # noted in the lock's file by a daemon that will be gone soon

_POLL_SECONDS = 0.02
_LOOK_AGAIN_SECONDS = 0.5
_GLANCE_SECONDS = 0.3  # longer than any process but a daemon holds the lock


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
        holder = FileLock.note_in(lock_path(path))
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
    note = FileLock.note_in(lock_path(path)).removesuffix(LEAVING)
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
