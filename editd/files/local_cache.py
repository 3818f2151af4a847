"""The user's cache folder, JSON objects on the disk, and results that are measured once.

Measured once are, for example, the width of bitwise passes, and whether a recurrent state can be restored. Measuring
again at the next start could give another result, and so another reference text, or cost another minute. Deleting the
file is safe.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

_MOST_BYTES = 1 << 24


def cache_dir() -> Path:
    """The folder for this user's rebuildable files; ``EDITD_CACHE_DIR`` overrides it."""
    override = os.environ.get("EDITD_CACHE_DIR")
    return Path(override) if override else platformdirs.user_cache_path("editd", appauthor=False)


def not_kept(title: str, folder: Path, error: OSError) -> str:
    """The sentence for a file of the cache that could not be written to ``folder``, with a remedy by ``error``: to make
    room if the disk is full. title: what cannot be kept, as the beginning of the sentence.
    """
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    remedy = "make room there, or set" if is_full else "set"
    reason = error.strerror or " ".join(str(error).split())
    return f"{title} cannot be kept in {folder} ({reason}): {remedy} EDITD_CACHE_DIR to a folder of your own."


def recall(key: str, name: str) -> Any:
    """The value stored under ``name`` for ``key``; ``None`` if there is none."""
    return _read_results().get(key, {}).get(name)


def keep(key: str, name: str, value: Any) -> None:
    """Store ``value``, which JSON can hold, under ``name`` for ``key`` in the cache folder's one
    file of measured results, in place of an older one; the file is read and replaced as a whole.

    Never raises ``OSError``: a failure costs another measurement. Raises ``TypeError`` for a value
    that JSON cannot hold.
    """
    known = _read_results()
    known.setdefault(key, {})[name] = value
    with contextlib.suppress(OSError):
        _results_file().parent.mkdir(parents=True, exist_ok=True)
        write_whole(_results_file(), json.dumps(known, indent=1, sort_keys=True).encode())


def write_whole(path: Path, *parts: bytes) -> None:
    """Replace ``path`` atomically by a file of these bytes, readable by this user only.

    For files that can be rebuilt: nothing is synced, so a crash of the machine may lose it. Raises ``OSError``, with
    the old file as it was and no temporary file left.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 - it is open already
            file.writelines(parts)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _results_file() -> Path:
    """The file of stored results."""
    return cache_dir() / "measured.json"


def _read_results() -> dict[str, dict[str, Any]]:
    """The stored results, by key and name."""
    return {
        key: entry for key, entry in json_object(_results_file()).items() if isinstance(entry, dict)
    }


def json_object(file: Path) -> dict[str, Any]:
    """The JSON object in ``file``; empty if the file is missing, unreadable, no regular file, above 16 MiB, no JSON, or
    holds anything but an object.
    """
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return {}
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
