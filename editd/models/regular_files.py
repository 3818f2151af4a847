"""A model is read from regular files only: reading a pipe or a device may never end."""

from __future__ import annotations

import stat
from pathlib import Path

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
