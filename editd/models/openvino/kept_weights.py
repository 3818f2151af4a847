"""What was converted for OpenVINO and lies in the user's cache; imports no library."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from editd.errors import ModelDamaged
from editd.files.local_cache import cache_dir
from editd.models.manifest import read_manifest

_FORMAT = 1  # raise it when the code changes what is written


def folder_of(source: Path, files: Iterable[Path]) -> Path:
    """Where the weights of ``source``, which lies in ``files``, are kept or would be."""
    seen = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    name = hashlib.sha256(os.fsencode(source.absolute())).hexdigest()[:12]
    stamp = hashlib.sha256(json.dumps([_FORMAT, seen]).encode()).hexdigest()[:12]
    return _home() / f"{source.stem}-{name}-{stamp}"


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder, and what its weights were converted from."""

    source: Path
    size_bytes: int
    folder: Path

    def delete(self) -> None:
        """Remove it; who reads it just now keeps what it has."""
        self.folder.with_name(f"{self.folder.name}.lock").unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def kept() -> list[Kept]:
    """All that there is."""
    found = []
    for folder in sorted(_home().glob("*/")):
        with suppress(ModelDamaged):
            if source := read_manifest(folder).get("source"):
                size = sum(file.stat().st_size for file in folder.iterdir())
                found.append(Kept(Path(source), size, folder))
    return found


def _home() -> Path:
    return cache_dir() / "openvino"
