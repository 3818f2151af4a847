"""A checkpoint in other engines' formats, made once and kept in the user's cache.

Keyed by what a conversion reads: every file of the checkpoint, byte for byte, and the recipe. So a
changed weight, converter or library release makes a new one, and the same one is found again
wherever the checkpoint lies.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from editd.files.local_cache import cache_dir

_KEEP = 4  # conversions of each kind; older ones are removed
_READ = {".json", ".safetensors", ".model", ".txt", ".jinja"}


def converted(checkpoint: Path, kind: str, recipe: str, build: Callable[[Path], None]) -> Path:
    """The folder that ``build`` filled from ``checkpoint``; built now if it is not there.

    kind: a short name for the folder. recipe: all else that the result depends on: settings,
    releases of libraries. Two processes at once build it once.
    """
    root = cache_dir() / "compare"
    root.mkdir(parents=True, exist_ok=True)
    folder = root / f"{kind}-{conversion_key(checkpoint, recipe)}"
    with (root / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # let go of when the file is closed, however that comes
        if folder.is_dir():
            folder.touch()
            return folder
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=root))
        try:
            build(unfinished)
            unfinished.rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        _forget_old(root, kind)
    return folder


def conversion_key(checkpoint: Path, recipe: str) -> str:
    """Of the names and contents of the checkpoint's files, and of the recipe."""
    digest = hashlib.sha256(recipe.encode())
    for file in sorted(checkpoint.iterdir()):
        if file.suffix in _READ and file.is_file():
            digest.update(f"\0{file.name}\0".encode())
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()[:16]


def _forget_old(root: Path, kind: str) -> None:
    folders = sorted(root.glob(f"{kind}-*/"), key=lambda folder: folder.stat().st_mtime)
    for folder in folders[:-_KEEP]:
        shutil.rmtree(folder, ignore_errors=True)
