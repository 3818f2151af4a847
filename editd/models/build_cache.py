"""Model folders built on this machine (the embedded model, OpenVINO's conversions), once, in the user's cache.

If two processes build one at once, the second waits for the first and uses its result.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from editd.errors import ModelError
from editd.files.local_cache import not_kept
from editd.models.llama_cpp.weights import check_file
from editd.models.model_folder import read_weights


def build_once(
    folder: Path, fill: Callable[[Path], None], title: str, *, num_kept: int = 1
) -> Path:
    """Fill ``folder`` by ``fill``, unless it exists and is whole (``_is_whole``); returns
    ``folder``. Waits for another process that builds it.

    fill: writes the files into the temporary folder given, which is then renamed; what stood in its
        place is deleted.
    title: of the model, for an error sentence.
    num_kept: after building, of the folders whose names agree up to the last ``-``, all but so many
        of the newest are deleted.

    Raises ``ModelError`` if the cache cannot be written, also for an ``OSError`` or
    ``SafetensorError`` of ``fill``, and whatever else ``fill`` raises. If ``fill`` raises,
    ``folder`` stays as it was, and nothing is left behind but a lock file beside it.
    """
    from safetensors import SafetensorError

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not _is_whole(folder):
            # The operating system lets go of the lock however the process ends.
            with folder.with_name(f"{folder.name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not _is_whole(folder):  # else another process has just made it
                    _build(folder, fill)
                    _delete_old(folder, num_kept)
    except SafetensorError as error:  # of writing; it has no number of the system's
        raise ModelError(not_kept(title, folder.parent, OSError(str(error)))) from error
    except OSError as error:
        raise ModelError(not_kept(title, folder.parent, error)) from error
    return folder


def _build(folder: Path, fill: Callable[[Path], None]) -> None:
    """Replace ``folder`` by a new one that ``fill`` has written into a temporary folder beside it.

    If ``fill`` raises, ``folder`` stays as it was, and the temporary one is deleted. Raises
    ``OSError``.
    """
    unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=folder.parent))
    try:
        fill(unfinished)
        unfinished.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)  # a damaged one
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _is_whole(folder: Path) -> bool:
    """Whether ``folder`` holds ``editd.json`` and complete weights: of a GGUF file only the
    beginning is looked at, of safetensors the headers against the size.
    """
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


def _delete_old(folder: Path, num_kept: int) -> None:
    """Delete the folders named like ``folder`` up to the last ``-`` (itself is one), and their lock
    files, but for the newest ``num_kept`` by their time. Failures to delete folders are ignored.
    """
    generations = folder.parent.glob(f"{folder.name.rpartition('-')[0]}-*/")
    for old in sorted(generations, key=lambda path: path.stat().st_mtime)[:-num_kept]:
        shutil.rmtree(old, ignore_errors=True)
        old.with_name(f"{old.name}.lock").unlink(missing_ok=True)
