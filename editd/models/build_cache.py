"""Model folders built on this machine (``demo``, ``embedded``), once, in the user's cache.

If two processes build one at once, the second waits for the first and uses its result.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from editd.errors import ModelError
from editd.models.llama_cpp.weights import check_file
from editd.models.model_folder import read_weights


def build_once(folder: Path, make: Callable[[Path], None], title: str, *, keep: int = 1) -> Path:
    """``folder``, filled by ``make`` where it is not there or not whole.

    keep: of folders whose names agree up to the last ``-``, the newest so many stay. Raises
    ``ModelError`` if there is no place for it; what ``make`` raises leaves nothing behind.
    """
    from safetensors import SafetensorError

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not _is_whole(folder):
            # The operating system lets go of the lock however the process ends.
            with folder.with_name(f"{folder.name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not _is_whole(folder):  # else another process has just made it
                    _make(folder, make)
                    _forget_old(folder, keep)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(
            f"{title} cannot be kept in {folder.parent} ({reason}): make room there, or set "
            "EDITD_CACHE_DIR to a folder of your own."
        ) from error
    return folder


def _make(folder: Path, make: Callable[[Path], None]) -> None:
    unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=folder.parent))
    try:
        make(unfinished)
        unfinished.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)  # a damaged one
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _is_whole(folder: Path) -> bool:
    if not (folder / "editd.json").is_file():
        return False
    try:
        for file in folder.glob("*.gguf"):
            check_file(file)
            return True
        read_weights(folder)
    except ModelError:  # they are gone, or cut short
        return False
    return True


def _forget_old(folder: Path, keep: int) -> None:
    alike = folder.parent.glob(f"{folder.name.rpartition('-')[0]}-*/")
    for old in sorted(alike, key=lambda one: one.stat().st_mtime)[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
        old.with_name(f"{old.name}.lock").unlink(missing_ok=True)
