"""Where indexes are stored: in the user's private cache folder, one file per project and tokenizer.

Never in a project. Indexes that are no longer used are removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import editd
from editd.models.llama_cpp.header import tokenizer_file
from editd.workspace.index import FORMAT_VERSION

_KEEP = 12
_KEEP_SECONDS = 30 * 24 * 3600.0
_STALE_SECONDS = 3600.0  # an unfinished file older than this has lost its writer


def tokenizer_identity(folder: Path) -> str:
    """What token ids depend on: the tokenizer's file and this version's reading of it.

    Raises ``OSError`` where there is none.
    """
    digest = hashlib.sha256(f"{FORMAT_VERSION} {editd.__version__} ".encode())
    digest.update(tokenizer_file(folder).read_bytes())
    return digest.hexdigest()[:32]


def index_path(cache: Path, root: Path, identity: str) -> Path:
    """The index file of ``root`` in the tokens of ``identity``."""
    key = hashlib.sha256(f"{root}\0{identity}".encode(errors="surrogateescape")).hexdigest()[:32]
    return cache / "workspace" / f"{key}.index"


def make_private(folder: Path) -> None:
    """Make the folder, for this user alone. Raises ``OSError`` if it belongs to another user."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user")
    folder.chmod(0o700)


@contextmanager
def only_builder(path: Path) -> Iterator[None]:
    """Hold the lock of the index ``path``; the second builder waits for the first."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def forget_old(folder: Path, now: float | None = None) -> None:
    """Remove indexes that were not used for long, all but the last few, and unfinished files."""
    now = time.time() if now is None else now
    indexes = sorted(folder.glob("*.index"), key=_age, reverse=True)
    for rank, path in enumerate(indexes):
        if rank >= _KEEP or now - _age(path) > _KEEP_SECONDS:
            path.unlink(missing_ok=True)
            path.with_suffix(".lock").unlink(missing_ok=True)
    for path in folder.glob(".*.index.*"):
        if now - _age(path) > _STALE_SECONDS:
            path.unlink(missing_ok=True)


def mark_used(path: Path) -> None:
    """Note that this index is in use."""
    with contextlib.suppress(OSError):
        os.utime(path)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
