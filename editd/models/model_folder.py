"""What every backend reads of a model folder: regular files only, and ``editd.json``, its maker's word on edits."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from editd.errors import ModelDamaged


def check_regular(*places: Path) -> None:
    """Raise ``ModelDamaged`` for a file, or a file right in a folder, that is no regular one.

    What does not exist is for others to miss.
    """
    for place in places:
        try:
            files = [place, *place.iterdir()] if place.is_dir() else [place]
        except (OSError, ValueError):
            continue
        for file in files:
            try:
                mode = file.stat().st_mode
            except (OSError, ValueError):
                continue
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise ModelDamaged(
                    f"{file} is a pipe or a device, not a regular file: pull or copy the model again."
                )


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
