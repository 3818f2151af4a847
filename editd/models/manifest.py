"""``editd.json``: what a model's folder says about its edits, for every backend."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from editd.errors import ModelDamaged

FILE_NAME = "editd.json"


def edit_format(manifest: dict[str, Any]) -> str | None:
    """The format of edits that a model was made for, if its maker says so."""
    named = manifest.get("format")
    return named if isinstance(named, str) else None


def read_manifest(folder: Path) -> dict[str, Any]:
    """Its content; empty where there is none. Raises ``ModelDamaged`` for anything but an object."""
    file = folder / FILE_NAME
    if not file.is_file():
        return {}
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelDamaged(
            f"{file} cannot be read ({error}): pull or copy the model again."
        ) from error
    if not isinstance(told, dict):
        raise ModelDamaged(f"{file} holds no JSON object: pull or copy the model again.")
    return told
