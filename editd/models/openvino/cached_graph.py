"""A model's weights as OpenVINO reads them, built once and kept in the user's cache.

One process builds, and nothing half-made stays (``made_folder``). A folder holds the weights in one file and what
they were made of in another; the graph is built of them at each load, in less than a second.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from editd.errors import ModelDamaged
from editd.models.hub import gigabytes
from editd.models.made_folder import made_once
from editd.models.manifest import FILE_NAME, read_manifest
from editd.models.openvino.kept_weights import folder_of
from editd.models.openvino.matrices import GROUP, Matrix
from editd.models.openvino.tensor_file import TensorFile, TensorWriter
from editd.models.openvino.weights import Shape, Weight

_PIECE = 1 << 22  # elements that are converted at once
_WEIGHTS = "model.safetensors"
_FOREIGN = (KeyError, TypeError, ValueError, ModelDamaged)
_VALUES: dict[str, Any] = {
    "float32": np.float32,
    "float16": np.float16,
    "int8": np.int8,
    "int4": np.uint8,
}


class CachedWeights:
    """What a folder holds; called with a name it finds a weight (``graph.Weights``).

    parameters: how many numbers there were. kinds: how they are held, most first. is_new: they were
    converted just now.
    """

    is_new = False

    def __init__(self, folder: Path) -> None:
        about = read_manifest(folder)
        self.shape = Shape(**about["shape"])
        self.parameters = int(about["parameters"])
        self.kinds: list[str] = about["kinds"]
        self._file = TensorFile(folder / _WEIGHTS)
        if about["tensors"] != _listed(self._file.shapes):
            raise ValueError("these are the weights of another model")
        self.nbytes = (folder / _WEIGHTS).stat().st_size

    def __call__(self, name: str) -> Matrix | None:
        shapes = self._file.shapes
        if name not in shapes:
            return None
        scales = f"{name}.scales"
        return Matrix(
            self._file.array(name), self._file.array(scales) if scales in shapes else None
        )

    def forget_pages(self) -> None:
        """Give back what was read of the file; what is still used comes in again."""
        self._file.forget_pages()


def cached(
    source: Path,
    files: Iterable[Path],
    read: Callable[[], tuple[Shape, list[Weight]]],
    tell: Callable[[float], Any],
) -> CachedWeights:
    """The weights of ``source``, which lies in ``files``; built now if they are not there.

    Raises what ``read`` and ``tell`` raise, and ``ModelError`` where there is no room.
    """
    files = list(files)
    folder = folder_of(source, files)
    size = gigabytes(sum(file.stat().st_size for file in files))
    built = False

    def make(unfinished: Path) -> None:
        nonlocal built
        shape, weights = read()
        _write(unfinished / _WEIGHTS, weights, tell)
        about = {
            "source": str(source.absolute()),
            "shape": shape.as_json(),
            "parameters": sum(weight.parameters for weight in weights),
            "kinds": _kinds(weights),
            "tensors": _listed(TensorFile(unfinished / _WEIGHTS).shapes),
        }
        (unfinished / FILE_NAME).write_text(json.dumps(about), encoding="utf-8")
        built = True

    title = f"{source.name} as OpenVINO reads it ({size} or more)"
    made_once(folder, make, title)
    try:
        found = CachedWeights(folder)
    except _FOREIGN:  # whole, but not what is written here
        shutil.rmtree(folder, ignore_errors=True)
        found = CachedWeights(made_once(folder, make, title))
    found.is_new = built
    return found


def _write(path: Path, weights: list[Weight], tell: Callable[[float], Any]) -> None:
    tensors: dict[str, tuple[Any, tuple[int, ...]]] = {}
    for one in weights:
        groups = one.width // GROUP
        shape: tuple[int, ...] = (one.rows, one.width) if one.width else (one.rows,)
        if one.kind in ("int8", "int4"):
            tensors[f"{one.name}.scales"] = (np.float16, (one.rows, groups, 1))
            shape = (one.rows, groups, GROUP if one.kind == "int8" else GROUP // 2)
        tensors[one.name] = (_VALUES[one.kind], shape)
    total, done = sum(weight.nbytes for weight in weights), 0
    with path.open("wb") as file:
        writer = TensorWriter(file, tensors)
        for one in weights:
            step = max(1, _PIECE // max(one.width, 1))
            for first in range(0, one.rows, step):
                last = min(first + step, one.rows)
                piece = one.read(first, last)
                writer.put(one.name, first, piece.values)
                if piece.scales is not None:
                    writer.put(f"{one.name}.scales", first, piece.scales)
                tell((done + one.nbytes * last // one.rows) / total)
            done += one.nbytes


def _listed(shapes: dict[str, tuple[int, ...]]) -> dict[str, list[int]]:
    """As JSON has them."""
    return {name: list(extents) for name, extents in shapes.items()}


def _kinds(weights: list[Weight]) -> list[str]:
    sizes: dict[str, int] = {}
    for one in weights:
        sizes[one.kind] = sizes.get(one.kind, 0) + one.nbytes
    return sorted(sizes, key=lambda kind: -sizes[kind])
