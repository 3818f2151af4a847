"""A network in the user's cache: its weights converted once, mapped from there, and its graph built of them at each load.

One process converts, and nothing half-made stays (``build_cache``). A folder holds the weights in one safetensors
file and what they were made of in another; to build the graph takes less than a second. No more than some rows are in
memory, whether they are read or written. Knows files; what is in them is ``weights``'.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from editd.errors import ModelDamaged
from editd.files.local_cache import cache_dir
from editd.models.build_cache import build_once
from editd.models.model_folder import FILE_NAME, read_manifest
from editd.models.openvino.weights import (
    NAMES,
    Graph,
    Matrix,
    Shape,
    Sizes,
    TensorFile,
    Weight,
    named,
    stamped,
)
from editd.stores.hub import gigabytes

_PIECE = 1 << 20  # elements that are converted at once
_WEIGHTS = "model.safetensors"
_FORMAT = 4  # raise it when the code changes what is written
_FOREIGN = (KeyError, TypeError, ValueError, ModelDamaged)


@dataclass(frozen=True, slots=True)
class Conversion:
    """The network of ``source``, which lies in ``files``; ``read`` gives its shape and its weights, still in the files."""

    source: Path
    files: list[Path]
    read: Callable[[], tuple[Shape, list[Weight]]]

    def sizes(self) -> Sizes:
        """Those of it converted. Raises what ``read`` raises."""
        shape, weights = self.read()
        return Sizes(shape.context, shape.token_bytes, sum(weight.nbytes for weight in weights))

    def graph(self, tell: Callable[[float], Any]) -> Graph:
        """It converted, now if that is not there. tell: how far that is.

        Raises what ``read`` and ``tell`` raise, and ``ModelError`` where there is no room.
        """
        folder, built = _home() / self.name, False

        def make(unfinished: Path) -> None:
            nonlocal built
            shape, weights = self.read()
            _write(unfinished / _WEIGHTS, weights, tell)
            kinds = Counter[str]()
            for one in weights:
                kinds[one.kind] += one.nbytes
            about = {
                "source": str(self.source.absolute()),
                "shape": asdict(shape),
                "parameters": sum(weight.parameters for weight in weights),
                "kinds": [kind for kind, _ in kinds.most_common()],
                "bytes": (unfinished / _WEIGHTS).stat().st_size,
            }
            (unfinished / FILE_NAME).write_text(json.dumps(about), encoding="utf-8")
            built = True

        size = gigabytes(sum(file.stat().st_size for file in self.files))
        title = f"{self.source.name} as OpenVINO reads it ({size} or more)"
        build_once(folder, make, title)
        try:
            found = _opened(folder)
        except _FOREIGN:  # whole, but not what is written here
            shutil.rmtree(folder, ignore_errors=True)
            found = _opened(build_once(folder, make, title))
        return replace(found, is_new=built)

    @property
    def name(self) -> str:
        """The source as it is now, and its folder's name."""
        return stamped(self.source, self.files, _FORMAT)


def _opened(folder: Path) -> Graph:
    """What ``Conversion`` has made there; raises one of ``_FOREIGN`` for anything else."""
    from editd.models.openvino.graph import network

    about, file = read_manifest(folder), TensorFile(folder / _WEIGHTS)
    shape, size = Shape(**about["shape"]), (folder / _WEIGHTS).stat().st_size
    if about["bytes"] != size:
        raise ValueError("these are the weights of another model")

    def weight(name: str) -> Matrix | None:
        values, scales, offsets = (
            file.array(part) if part in file.shapes else None
            for part in (name, f"{name}.scales", f"{name}.offsets")
        )
        return None if values is None else Matrix(values, scales, offsets)

    return Graph(
        network(shape, weight),
        shape.vocab_size,
        Sizes(shape.context, shape.token_bytes, size),
        int(about["parameters"]),
        about["kinds"],
        file,
    )


def _write(path: Path, weights: list[Weight], tell: Callable[[float], Any]) -> None:
    """A safetensors file; of each weight some rows at a time are in memory. Raises ``OSError``."""
    header, places = _laid_out(weights)
    total, done = sum(weight.nbytes for weight in weights), 0
    with path.open("wb") as file:
        file.write(header)
        for one in weights:
            step = max(1, _PIECE * one.rows // one.parameters)
            for first in range(0, one.rows, step):
                last = min(first + step, one.rows)
                for name, rows in named(one.name, one.read(first, last)).items():
                    start, row_bytes = places[name]
                    file.seek(start + first * row_bytes)
                    file.write(np.ascontiguousarray(rows).data)
                tell((done + one.nbytes * last // one.rows) / total)
            done += one.nbytes


def _laid_out(weights: list[Weight]) -> tuple[bytes, dict[str, tuple[int, int]]]:
    """A file's header; where in the file each tensor begins, and the bytes of a row of it."""
    rows = [(name, row, one.rows) for one in weights for name, row in one.row.items()]
    # The widest numbers first, so that each lies where a processor likes to read it.
    rows.sort(key=lambda entry: -entry[1].itemsize)
    entries, places, end = {}, {}, 0
    for name, row, count in rows:
        places[name] = (end, row.nbytes)
        entries[name] = {
            "dtype": NAMES[row.dtype],
            "shape": [count, *row.shape[1:]],
            "data_offsets": [end, end := end + count * row.nbytes],
        }
    told = json.dumps(entries).encode()
    told += b" " * (-len(told) % 64)
    header = struct.pack("<Q", len(told)) + told
    return header, {name: (len(header) + at, row) for name, (at, row) in places.items()}


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
