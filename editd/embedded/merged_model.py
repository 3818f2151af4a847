"""The embedded model of this machine: base model and adapter merged once, kept in the user's cache.

The folder holds a GGUF file where llama.cpp can run it (a quarter of the size, and no torch), else a
checkpoint for torch; the rest of editd sees a model like any other. Keyed by what goes into it. Two
callers at once do not collide: the second waits for the first and finds the result.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from editd.backends.llama_cpp.library import is_library_here
from editd.embedded import adapter, base_model
from editd.embedded.model_files import GGUF, SAFETENSORS, write_model
from editd.errors import ModelError
from editd.local_cache import cache_dir

_FORMAT_VERSION = 3  # raise it when the code changes what is written

Report = Callable[[str, float], None]
"""Progress: called with one sentence and how much of the work is done, 0 to 1."""


def embedded_model_dir(report: Report | None = None) -> Path:
    """The folder of the embedded model; merged now, in a few seconds, if it is not there.

    Raises ``ModelNotFound`` if the base weights are not on this machine, ``ModelError`` if there is
    no place for the result.
    """
    root = cache_dir() / "embedded"
    added = _shipped("adapter.safetensors")
    families = json.loads(_shipped("families.json"))["families"]
    form = GGUF if is_library_here() else SAFETENSORS
    key = hashlib.sha256(
        f"{_FORMAT_VERSION} {base_model.SHA256} {families} {form}".encode() + added
    )
    folder = root / f"merged-{key.hexdigest()[:16]}"
    if _is_whole(folder):
        return folder
    base = base_model.base_file()
    try:
        with _only_one(root / "merging.lock"):
            if _is_whole(folder):  # another process has just merged it
                return folder
            _merge(folder, base, added, families, form, report or (lambda _message, _done: None))
    except OSError as error:
        raise ModelError(
            f"The embedded model cannot be kept in {root} ({error.strerror or error}): make room "
            "there (540 MB at most), or set EDITD_CACHE_DIR to a folder of your own."
        ) from error
    return folder


def _merge(
    folder: Path, base: Path, added: bytes, families: Sequence[str], form: str, report: Report
) -> None:
    report("merging the embedded model, once", 0.1)
    root = folder.parent
    unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=root))
    try:
        write_model(unfinished, base, adapter.read(added), families, form)
        unfinished.chmod(0o755)
        for old in root.glob("merged-*"):  # of an earlier adapter, or damaged
            shutil.rmtree(old, ignore_errors=True)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    report("merged the embedded model", 1.0)


def _shipped(name: str) -> bytes:
    return (files("editd.embedded") / "weights" / name).read_bytes()


def _is_whole(folder: Path) -> bool:
    from editd.backends.llama_cpp.weights import check_file
    from editd.backends.torch.files.weight_files import read_weights

    if not (folder / "editd.json").is_file():
        return False
    files = list(folder.glob("*.gguf"))
    try:
        if files:
            check_file(files[0])
        else:
            read_weights(folder)
    except ModelError:  # they are gone, or cut short
        return False
    return True


@contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Hold the lock file; the operating system lets go of it however the process ends."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
