"""Spawns a daemon: its command, environment and standard error; and the environment of an engine's process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import editd
from editd.daemon import logs, transport
from editd.errors import DaemonUnreachable

if sys.platform != "win32":
    pass


# The daemon inherits from the environment of the process that happened to start it: who and where the
# user is, and what its libraries need to know of this machine. A workspace's own variables, and
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
    """The command that runs a daemon in the foreground, with this interpreter and this editd.

    ``-P``: Python searches only installed directories for modules.
    """
    return [sys.executable, "-P", "-m", "editd", "daemon", "--foreground"]


def daemon_environment() -> dict[str, str]:
    """The environment variables of a daemon: an allowed part of this process's, so that no
    workspace influences it; folders of editd's own made absolute; and ``PYTHONPATH`` as in
    ``_source_path``.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in _INHERITED or name.startswith(_INHERITED_PREFIXES)
    }
    # Relative to the directory of the process that starts it; the daemon runs elsewhere.
    for name in (transport.ENV_RUNTIME_DIR, logs.ENV_STATE_DIR):
        if value := environment.get(name):
            environment[name] = str(Path(value).absolute())
    return environment | _source_path()


def engine_environment() -> dict[str, str]:
    """The environment variables of an engine's process: all of this process's, with editd's folder
    first in ``PYTHONPATH`` if editd was found by that (``_source_path``).
    """
    environment = dict(os.environ)
    for name, source in _source_path().items():
        entries = environment.get(name, "").split(os.pathsep)
        environment[name] = os.pathsep.join([source, *(entry for entry in entries if entry)])
    return environment


def _source_path() -> dict[str, str]:
    """``PYTHONPATH`` with editd's folder, if this process found editd by that variable or the current directory.

    Else empty: a child finds an installed editd by itself.
    """
    source = str(Path(editd.__file__).resolve().parent.parent)
    searched = sys.path[:1]
    if python_path := os.environ.get("PYTHONPATH"):
        searched = [*searched, *python_path.split(os.pathsep)]
    if source in {str(Path(entry or os.curdir).resolve()) for entry in searched}:
        return {"PYTHONPATH": source}
    return {}


def spawn(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a daemon that survives this process, its terminal and its directory; a thread collects
    its exit status.

    Its output goes to the emptied ``logs.stderr_path()``. Raises ``DaemonUnreachable`` if it cannot
    be run or that file cannot be written.
    """
    output = _open_empty_stderr(logs.stderr_path())
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


def last_output_or_log() -> str:
    """The last line of a daemon that could not start, or "see" and the log's path: the end of a sentence."""
    return last_output() or f"see {logs.log_path()}."


def last_output() -> str:
    """The last 300 characters of the last line that a daemon wrote to standard error; empty if it
    wrote none or its file cannot be read.
    """
    try:
        lines = logs.stderr_path().read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][-300:] if lines else ""


def _open_empty_stderr(path: Path) -> int:
    """Open an empty file at ``path``, for appending, and return its descriptor; the last daemon's
    output moves to ``….stderr.1``.

    Raises ``DaemonUnreachable`` if that fails.
    """
    # Appending, so that the file can be emptied while the daemon writes to it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW
    try:
        if path.exists() and path.stat().st_size:
            path.replace(path.with_suffix(".stderr.1"))
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise DaemonUnreachable(f"{path} cannot be written ({error.strerror}).") from error
