"""The demo model of this machine: solved once, kept in the user's cache folder.

Keyed by what goes into it, so that a changed edit or solver gets a new folder. Two callers at once
do not collide: the second waits for the first and finds the result.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from editd.backends.torch.files.weight_files import read_weights
from editd.demo import Report
from editd.demo.edits import Edit, demo_folder, load_edits
from editd.errors import ModelError
from editd.local_cache import cache_dir

_FORMAT_VERSION = 1  # raise it when something outside the key's files changes what is written
_KEEP = 3  # older folders than the newest few are removed: each edit of the solver makes one


def demo_model_dir(report: Report | None = None) -> Path:
    """The folder of the demo model; solved now, in some ten seconds, if it is not there."""
    return solved_model_dir(load_edits(demo_folder()), "demo", report)


def solved_model_dir(edits: Sequence[Edit], size: str, report: Report | None = None) -> Path:
    """As ``demo_model_dir``, for any edits and any of ``shape.SHAPES``.

    Raises ``ModelError`` if there is no place for it.
    """
    from safetensors import SafetensorError

    root = cache_dir() / "solved"
    try:
        return _solved(root, edits, size, report)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(
            f"The demo model cannot be kept in {root} ({reason}): make room there, or set "
            "EDITD_CACHE_DIR to a folder of your own."
        ) from error


def _solved(root: Path, edits: Sequence[Edit], size: str, report: Report | None) -> Path:
    """The folder below ``root``, made if it is not there or not whole."""
    root.mkdir(parents=True, exist_ok=True)
    folder = root / f"{size}-{_key(edits, size)}"
    if _is_whole(folder):
        return folder
    with _only_one(root / f"{folder.name}.lock"):
        if _is_whole(folder):  # another process has just solved it
            return folder
        from editd.demo.checkpoint import build
        from editd.demo.shape import SHAPES

        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=root))
        try:
            build(unfinished, edits, SHAPES[size], report or (lambda _message, _done: None))
            unfinished.chmod(0o755)
            shutil.rmtree(folder, ignore_errors=True)  # a damaged one
            unfinished.rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        _forget_old(root, size)
    return folder


def _key(edits: Sequence[Edit], size: str) -> str:
    """Of the edits, the code that solves them, and the code that turns edits into ids."""
    from editd.backends.text import codec
    from editd.backends.text import token_bytes as vocabulary
    from editd.backends.text import tokenizer_file as tokenizer
    from editd.demo.script import prompt_of

    digest = hashlib.sha256(f"{_FORMAT_VERSION} {size}".encode())
    for edit in edits:
        digest.update(repr((edit, prompt_of(edit))).encode())
    sources = [Path(str(module.__file__)) for module in (codec, tokenizer, vocabulary)]
    for source in [*sources, *sorted(Path(__file__).parent.glob("*.py"))]:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _is_whole(folder: Path) -> bool:
    if not (folder / "editd.json").is_file():
        return False
    try:
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


def _forget_old(root: Path, size: str) -> None:
    folders = sorted(root.glob(f"{size}-*/"), key=lambda folder: folder.stat().st_mtime)
    for folder in folders[:-_KEEP]:
        shutil.rmtree(folder, ignore_errors=True)
        (root / f"{folder.name}.lock").unlink(missing_ok=True)
