"""How a daemon comes to be: found if it runs, started if it does not, one however many ask.

Knows processes, locks and paths; nothing of messages. Two locks beside the socket decide:

- ``….start`` is held by the one client that starts a daemon, until the daemon answers;
- ``….lock`` is held by the daemon for life. Only its holder may remove a socket found in its place,
  so a dead daemon's socket is cleared away and a living one's never.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import editd
from editd.daemon import logs, transport
from editd.daemon.locks import FileLock
from editd.errors import DaemonUnreachable

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

START_SECONDS = 60.0  # for a daemon to answer; it loads no model before it does
TAKE_OVER_SECONDS = 30.0  # for a leaving daemon to be gone

LEAVING = " leaving"  # noted in the lock's file by a daemon that will be gone soon

_POLL_SECONDS = 0.02
_LOOK_AGAIN_SECONDS = 0.5

# What the daemon inherits of the environment of whoever happened to start it: who and where the
# user is, and what its libraries want to know of this machine. A workspace's own variables, and
# whatever could make Python or the linker load other code, stay behind.
_INHERITED = frozenset(
    [
        "HOME",
        "LANG",
        "LANGUAGE",
        "LD_LIBRARY_PATH",
        "LOGNAME",
        "NUMEXPR_NUM_THREADS",
        "PATH",
        "SYSTEMROOT",
        "TMPDIR",
        "TZ",
        "USER",
        "VIRTUAL_ENV",
    ]
)
_INHERITED_PREFIXES = (
    "CUBLAS_", "CUDA_", "CUDNN_", "EDITD_", "GOMP_", "GPU_", "HF_", "HIP_", "HSA_", "HUGGINGFACE_", "KMP_", "LC_",
    "MKL_", "MPS_", "NVIDIA_", "OMP_", "OPENBLAS_", "PYTORCH_", "ROCM_", "ROCR_", "SAFETENSORS_",
    "TOKENIZERS_", "TORCH_", "TRANSFORMERS_", "VECLIB_", "XDG_",
)  # fmt: skip


async def reach(*, start: bool, command: Sequence[str] | None = None) -> Streams:
    """A connection to this version's daemon, which is started if it must be and ``start`` allows.

    command: what starts a daemon that serves in the foreground; by default this very editd.
    Raises ``DaemonUnreachable`` with the reason if there is none in the end.
    """
    path = transport.socket_path()
    if streams := await _try_to_connect(path):
        return streams
    if not start:
        raise DaemonUnreachable("No editd daemon is running: `editd daemon` starts one.")
    deadline = _now() + START_SECONDS
    while True:
        if lock := FileLock.try_acquire(path.with_suffix(".start")):
            try:
                return await _start(path, command or daemon_command(), deadline)
            finally:
                lock.release()
        await asyncio.sleep(_POLL_SECONDS)  # somebody else is starting it
        if streams := await _try_to_connect(path):
            return streams
        if _now() > deadline:
            raise DaemonUnreachable(
                "Another program has been starting the editd daemon for too long."
            )


async def take_over(path: Path, seconds: float = TAKE_OVER_SECONDS) -> FileLock:
    """In a new daemon: the lock that makes it the daemon of ``path``.

    Waits for a daemon that is leaving. Raises ``DaemonUnreachable`` if one is there to stay.
    """
    deadline = _now() + seconds
    while True:
        if lock := FileLock.try_acquire(lock_path(path)):
            return lock
        holder = FileLock.note_in(lock_path(path))
        if holder.endswith(LEAVING):
            complaint = "is still finishing its edits: `editd stop --force` ends it at once."
        else:
            complaint = "is already running: `editd stop` ends it."
        if not holder.endswith(LEAVING) or _now() > deadline:
            process = holder.split(" ")[0] or "unknown"
            raise DaemonUnreachable(f"An editd daemon (process {process}) {complaint}")
        await asyncio.sleep(_POLL_SECONDS)


def kill(path: Path) -> int:
    """Kill the daemon that holds the lock of the socket ``path``; returns its process id.

    Raises ``DaemonUnreachable`` if there is none: the note of a lock that nobody holds is old.
    """
    if lock := FileLock.try_acquire(lock_path(path)):
        lock.release()
        raise DaemonUnreachable("No editd daemon is running.")
    process = int(FileLock.note_in(lock_path(path)).removesuffix(LEAVING))
    os.kill(process, signal.SIGKILL)
    return process


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
    # Relative to the directory of whoever starts it, and the daemon lives elsewhere.
    for name in (transport.ENV_RUNTIME_DIR, logs.ENV_STATE_DIR):
        if value := environment.get(name):
            environment[name] = str(Path(value).absolute())
    # An editd that was found through PYTHONPATH or the current directory must be found again.
    source = str(Path(editd.__file__).resolve().parent.parent)
    searched = sys.path[:1]
    if python_path := os.environ.get("PYTHONPATH"):
        searched = [*searched, *python_path.split(os.pathsep)]
    if source in {str(Path(entry or os.curdir).resolve()) for entry in searched}:
        environment["PYTHONPATH"] = source
    return environment


def lock_path(path: Path) -> Path:
    """The file that the daemon of the socket ``path`` holds locked while it lives."""
    return path.with_suffix(".lock")


async def _start(path: Path, command: Sequence[str], deadline: float) -> Streams:
    """With the start lock held: connect after all, or start a daemon and wait until it answers."""
    if streams := await _try_to_connect(path):
        return streams
    child = _spawn(command)
    asked = _now()
    while True:
        died = child.poll() is not None
        if streams := await _try_to_connect(path):
            return streams
        if died:
            raise DaemonUnreachable(f"The editd daemon could not start: {_last_words()}")
        if _now() > deadline:
            child.terminate()
            raise DaemonUnreachable(
                f"The editd daemon did not answer within {START_SECONDS:.0f} seconds: {_last_words()}"
            )
        await asyncio.sleep(_POLL_SECONDS)
        if _now() > asked + _LOOK_AGAIN_SECONDS:
            # The code on disk may have changed between this process' look at it and the child's.
            path, asked = transport.socket_path(), _now()
            if any(transport.same_build(path, other) for other in transport.sibling_sockets(path)):
                raise DaemonUnreachable(
                    "editd was upgraded while this program ran: restart it (or your editor)."
                )


def _spawn(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a daemon that survives this process, its terminal and its directory."""
    path = logs.stderr_path()
    if path.exists() and path.stat().st_size:  # perhaps why the last one ended
        path.replace(path.with_suffix(".stderr.1"))
    # Appending, so that the file can be emptied while the daemon writes to it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW
    output = os.open(path, flags, 0o600)
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
    # An editor's process lives longer than a daemon: somebody has to take note of its end.
    threading.Thread(target=child.wait, name="editd-daemon-reaper", daemon=True).start()
    return child


async def _try_to_connect(path: Path) -> Streams | None:
    try:
        return await transport.connect(path)
    except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
        return None
    except OSError as error:
        raise DaemonUnreachable(f"{path} cannot be connected to: {error.strerror}.") from error


def _last_words() -> str:
    """The last line that a daemon wrote to standard error, for a sentence that needs a reason."""
    try:
        lines = logs.stderr_path().read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][-300:] if lines else f"see {logs.log_path()}."


def _now() -> float:
    return asyncio.get_running_loop().time()
