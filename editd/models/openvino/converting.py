"""A network in the user's cache: its weights converted once, mapped from there, and its graph built at each load.

One process converts, and nothing half-made stays (``build_cache``). A folder holds the weights in one safetensors
file and their description in another; to build the graph takes less than a second. No more than some rows are in
memory, whether they are read or written. Knows files; the form of weights is ``weights``'.
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
    NetworkShape,
    Settling,
    Sizes,
    TensorFile,
    Weight,
    by_part,
    stamped_name,
)
from editd.stores.hub import gigabytes

_PIECE = 1 << 20  # elements that are converted at once
_WEIGHTS = "model.safetensors"
_BYTES_PER_SECOND = (
    20e6  # written, with the first passes, on two cores: docs/explanation/backends.md
)
_FORMAT = 4  # raise it when the code changes what is written
_UNEXPECTED = (KeyError, TypeError, ValueError, ModelDamaged)


@dataclass(frozen=True, slots=True)
class PendingConversion:
    """A conversion that is not done yet: bytes that it writes, and about how long it takes, the proof of widths included."""

    nbytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Conversion:
    """A network to convert.

    source: the file or folder of the model. files: all its files. read: its shape, and weights to read.
    """

    source: Path
    files: list[Path]
    read: Callable[[], tuple[NetworkShape, list[Weight]]]

    def sizes(self) -> Sizes:
        """The sizes of the converted network. Raises whatever ``read`` raises."""
        shape, weights = self.read()
        nbytes = sum(weight.nbytes for weight in weights)
        return Sizes(shape.context, shape.token_bytes, nbytes, shape.state_bytes)

    def open_graph(self, report: Callable[[float], Any]) -> Graph:
        """The converted network, ready to compile; converts it into the cache now unless it is
        there, calling ``report`` with the fraction done. Its ``is_new`` says whether it was
        converted now.

        Replaces a folder of unexpected content. Raises whatever ``read`` and ``report`` raise, and
        ``ModelError`` if the cache cannot be written.
        """
        folder, built = _cache_folder() / self.name, False

        def convert(unfinished: Path) -> None:
            nonlocal built
            shape, weights = self.read()
            _write(unfinished / _WEIGHTS, weights, report)
            kinds = Counter[str]()
            for weight in weights:
                kinds[weight.kind] += weight.nbytes
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
        build_once(folder, convert, title)
        try:
            found = _open_folder(folder)
        except _UNEXPECTED:  # whole, but not what is written here
            shutil.rmtree(folder, ignore_errors=True)
            found = _open_folder(build_once(folder, convert, title))
        return replace(found, is_new=built)

    def pending(self) -> PendingConversion | None:
        """The conversion that ``open_graph`` would begin with; ``None`` if its folder is in the cache
        (unchecked). Raises whatever ``read`` raises.
        """
        if (_cache_folder() / self.name / FILE_NAME).is_file():
            return None
        nbytes = self.sizes().nbytes
        return PendingConversion(nbytes, nbytes / _BYTES_PER_SECOND)

    @property
    def name(self) -> str:
        """The name of its folder, by the source and its files' sizes and times."""
        return stamped_name(self.source, self.files, _FORMAT)


def _open_folder(folder: Path) -> Graph:
    """The network in a converted folder, its graph built on weights that are mapped from the file.

    Raises ``KeyError``, ``TypeError``, ``ValueError`` or ``ModelDamaged`` if the folder holds
    anything else, ``OSError`` if a file is missing.
    """
    from editd.models.openvino.graph import Network
    from editd.models.openvino.hybrid_graph import HybridNetwork, settling_network

    about, file = read_manifest(folder), TensorFile(folder / _WEIGHTS)
    shape, size = NetworkShape.of(about["shape"]), (folder / _WEIGHTS).stat().st_size
    if about["bytes"] != size:
        raise ValueError("these are the weights of another model")

    def weight(name: str) -> Matrix | None:
        values, scales, offsets = (
            file.array(part) if part in file.shapes else None
            for part in (name, f"{name}.scales", f"{name}.offsets")
        )
        return None if values is None else Matrix(values, scales, offsets)

    sizes = Sizes(shape.context, shape.token_bytes, size, shape.state_bytes)
    about_weights = int(about["parameters"]), about["kinds"], file
    if shape.delta is None:
        return Graph(Network(shape, weight).model(), shape.vocab_size, sizes, *about_weights)
    return Graph(
        HybridNetwork(shape, weight, shape.delta).model(),
        shape.vocab_size,
        sizes,
        *about_weights,
        settling=Settling(
            settling_network(shape.state_layers, shape.delta, weight),
            shape.state_layers,
            shape.delta,
        ),
    )


def _write(path: Path, weights: list[Weight], report: Callable[[float], Any]) -> None:
    """Write ``weights`` as a safetensors file, with some rows at a time in memory, calling
    ``report`` with the fraction done. Raises ``OSError``, and whatever ``report`` raises.
    """
    header, places = _layout(weights)
    total, done = sum(weight.nbytes for weight in weights), 0
    with path.open("wb") as file:
        file.write(header)
        for weight in weights:
            step = max(1, _PIECE * weight.rows // weight.parameters)
            for first in range(0, weight.rows, step):
                last = min(first + step, weight.rows)
                for name, rows in by_part(weight.name, weight.read_rows(first, last)).items():
                    start, row_bytes = places[name]
                    file.seek(start + first * row_bytes)
                    file.write(np.ascontiguousarray(rows).data)
                report((done + weight.nbytes * last // weight.rows) / total)
            done += weight.nbytes


def _layout(weights: list[Weight]) -> tuple[bytes, dict[str, tuple[int, int]]]:
    """The header of a safetensors file for ``weights``; for each stored tensor its offset in the
    file, and the bytes of a row. Reads the first row of each weight.
    """
    rows = [(name, row, weight.rows) for weight in weights for name, row in weight.row.items()]
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
    content = json.dumps(entries).encode()
    content += b" " * (-len(content) % 64)
    header = struct.pack("<Q", len(content)) + content
    return header, {name: (len(header) + at, row) for name, (at, row) in places.items()}


@dataclass(frozen=True, slots=True)
class ConvertedModel:
    """A folder of a converted network. source: the model that its weights were converted from."""

    source: Path
    size_bytes: int
    folder: Path

    def delete(self) -> None:
        """Delete the folder; a process that has mapped its files can still read them."""
        self.folder.with_name(f"{self.folder.name}.lock").unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def converted_models() -> list[ConvertedModel]:
    """The converted networks in the cache, sorted by folder; those without a readable description
    are left out. Empty if the cache may not be read.
    """
    found = []
    folders: list[Path] = []
    with suppress(OSError):
        folders = sorted(_cache_folder().glob("*/"))
    for folder in folders:
        with suppress(ModelDamaged):
            if source := read_manifest(folder).get("source"):
                size = sum(file.stat().st_size for file in folder.iterdir())
                found.append(ConvertedModel(Path(source), size, folder))
    return found


def _cache_folder() -> Path:
    """The folder of converted networks."""
    return cache_dir() / "openvino"
