"""What was measured once on this machine and is not measured again.

Which width bitwise passes have, and whether compiled graphs are faster: both are chosen by
measurement, and a choice that came out otherwise at the next start would be another reference, or
another minute lost. Kept by model, device, dtype and version of torch in the user's cache folder;
deleting the file is safe.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

from editd.files.json_object import json_object


def cache_dir() -> Path:
    """Where this user's rebuildable files go; ``EDITD_CACHE_DIR`` overrides it."""
    override = os.environ.get("EDITD_CACHE_DIR")
    return Path(override) if override else platformdirs.user_cache_path("editd", appauthor=False)


def recall(key: str, name: str) -> Any:
    """What was kept under ``name`` for ``key``; ``None`` if nothing was."""
    return _read().get(key, {}).get(name)


def keep(key: str, name: str, value: Any) -> None:
    """Keep a plain ``value``. A disk that refuses costs another measurement, nothing else."""
    known = _read()
    known.setdefault(key, {})[name] = value
    with contextlib.suppress(OSError):
        folder = _path().parent
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix="measured-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1, sort_keys=True)
        Path(temporary).replace(_path())


def _path() -> Path:
    return cache_dir() / "measured.json"


def _read() -> dict[str, dict[str, Any]]:
    return {key: entry for key, entry in json_object(_path()).items() if isinstance(entry, dict)}
