"""JSON that another program, or this one, left on the disk: an object, or nothing."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

_MOST_BYTES = 1 << 24


def json_object(file: Path) -> dict[str, Any]:
    """The object in ``file``; empty where there is none that can be read."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return {}
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
