"""A network's shape, and its weights as OpenVINO takes them: converted once, kept in the user's cache, mapped from there.

Weights have GGUF's names. Which of them a network takes is known here, so that a file with more in it, or
less, is refused before anything is read (``reading``). Knows how codes are packed; what they become in a graph is
``graph``'s.

One process converts, and nothing half-made stays (``made_folder``). A folder holds the weights in one safetensors
file and what they were made of in another; the graph is built of them at each load, in less than a second. No
more than some rows are in memory, whether they are read or written. Imports no library.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import shutil
import struct
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from editd.errors import ModelDamaged, ModelUnsupported
from editd.files.local_cache import cache_dir
from editd.models.made_folder import made_once
from editd.models.model_folder import FILE_NAME, read_manifest
from editd.stores.hub import gigabytes

GROUP = 32
_PROJECTIONS = ("attn_q", "attn_k", "attn_v", "attn_output")
_IN_LAYER = ("attn_norm", *_PROJECTIONS, "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")
# What each kind of network has beside that. All of them are Llamas but for these, and for the scales of ``Shape``.
ARCHITECTURES: dict[str, tuple[str, ...]] = {
    "llama": (),  # Mistral, SmolLM and Seed-Coder, too
    "qwen2": (),
    "qwen3": ("attn_q_norm", "attn_k_norm"),
    "granite": (),
}


@dataclass(frozen=True, slots=True)
class Matrix:
    """A weight, or some rows of it: numbers, or codes in groups of 32 with a scale each.

    values: float32 or float16 as they are, or codes: int8 ``[rows, groups, 32]``, or two integers of
    four bits a byte, the first in the lower half: uint8 ``[rows, groups, 16]``. scales:
    ``[rows, groups, 1]`` of codes. offsets: ``[rows, groups]`` that codes times scales are moved by,
    where blocks have a minimum. Both are float32, as the kernels have them: of halves OpenVINO would keep a copy
    beside.
    """

    values: NDArray[Any]
    scales: NDArray[np.float32] | None = None
    offsets: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a network. context: tokens that it was trained for.

    attention_scale: of queries times keys, 0 for what their width says. Granite multiplies embeddings and what
    a layer adds, and divides logits, by the other scales.
    """

    architecture: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_width: int
    vocab_size: int
    context: int
    epsilon: float
    rope_base: float
    attention_scale: float = 0.0
    embedding_scale: float = 1.0
    residual_scale: float = 1.0
    logit_scale: float = 1.0

    @property
    def token_bytes(self) -> int:
        """Keys and values of a token, in half precision."""
        return self.layers * self.kv_heads * self.head_width * 2 * 2


class Weight(NamedTuple):
    """One weight of a file. read: its rows from one to before another."""

    name: str
    rows: int
    read: Callable[[int, int], Matrix]

    @property
    def row(self) -> dict[str, NDArray[Any]]:
        """What is kept of its first row: values, scales and offsets, by their names in a file."""
        return _named(self.name, self.read(0, 1))

    @property
    def nbytes(self) -> int:
        """Of all that is kept."""
        return self.rows * sum(part.nbytes for part in self.row.values())

    @property
    def parameters(self) -> int:
        """Numbers that its values stand for."""
        values = self.row[self.name]
        return self.rows * values.size * (2 if values.dtype == np.uint8 else 1)

    @property
    def kind(self) -> str:
        """How its values are held, for a person."""
        name = self.row[self.name].dtype.name
        return "int4" if name == "uint8" else name


def _named(name: str, matrix: Matrix) -> dict[str, NDArray[Any]]:
    parts = {
        name: matrix.values,
        f"{name}.scales": matrix.scales,
        f"{name}.offsets": matrix.offsets,
    }
    return {part: numbers for part, numbers in parts.items() if numbers is not None}


def check_names(title: str, shape: Shape, found: set[str]) -> None:
    """Raise ``ModelUnsupported`` for a network that has more weights than the known, or fewer."""
    wanted, known = (
        {"token_embd.weight", "output_norm.weight"},
        {"output.weight", "rope_freqs.weight"},
    )
    for layer in range(shape.layers):
        parts = (*_IN_LAYER, *ARCHITECTURES[shape.architecture])
        wanted |= {f"blk.{layer}.{part}.weight" for part in parts}
        known |= {f"blk.{layer}.{part}.bias" for part in _PROJECTIONS}
    more, missing = sorted(found - wanted - known), sorted(wanted - found)
    if more or missing:
        said = f"has {more[0]}" if more else f"lacks {missing[0]}"
        raise ModelUnsupported(
            f"{title} {said}, which the {shape.architecture} that editd builds for OpenVINO does "
            "not: set model.engine to local."
        )


def in_eight_bits(numbers: NDArray[np.float32]) -> Matrix:
    """``numbers``, ``[rows, width]``, rounded to 8 bits in groups of 32, as ``q8_0`` does it."""
    grouped = numbers.reshape(len(numbers), -1, GROUP)
    halves = (np.abs(grouped).max(-1, keepdims=True) / 127).astype(np.float16)
    scales = halves.astype(np.float32)
    return Matrix(over_scales(grouped, scales), scales)


def over_scales(numbers: NDArray[np.float32], scales: NDArray[np.float32]) -> NDArray[np.int8]:
    """The nearest codes; 0 where a scale is."""
    inverse = np.divide(1, scales, out=np.zeros_like(scales), where=scales != 0)
    codes = numbers * inverse
    return np.rint(codes, out=codes).clip(-128, 127, out=codes).astype(np.int8)


def two_a_byte(codes: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Codes from -8 to 7, neighbours joined."""
    bits = codes.view(np.uint8)
    joined: NDArray[np.uint8] = np.left_shift(bits[..., 1::2], 4)
    joined |= bits[..., 0::2] & 15
    return joined


class Sizes(NamedTuple):
    """context: tokens that a network was trained for. token_bytes: keys and values of one. nbytes: of the weights."""

    context: int
    token_bytes: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Graph:
    """A network to be compiled, and what is said of it.

    model: ``openvino.Model``, token ids in, logits of the rows in ``wanted_rows`` out. parameters: how many, and kinds:
    how they are held, most first. constants: what owns the memory that they lie in, where it is not OpenVINO.
    is_new: they were converted just now.
    """

    model: Any
    vocab_size: int
    sizes: Sizes
    parameters: int
    kinds: list[str]
    constants: TensorFile | None = None
    is_new: bool = False


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
        made_once(folder, make, title)
        try:
            found = _opened(folder)
        except _FOREIGN:  # whole, but not what is written here
            shutil.rmtree(folder, ignore_errors=True)
            found = _opened(made_once(folder, make, title))
        return replace(found, is_new=built)

    @property
    def name(self) -> str:
        """The source as it is now, and its folder's name."""
        return stamped(self.source, self.files, _FORMAT)


def stamped(source: Path, files: list[Path], version: int = 0) -> str:
    """A name for ``source`` as it is now."""
    seen = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    name = hashlib.sha256(os.fsencode(source.absolute())).hexdigest()[:12]
    stamp = hashlib.sha256(json.dumps([version, seen]).encode()).hexdigest()[:12]
    return f"{source.stem}-{name}-{stamp}"


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
                for name, rows in _named(one.name, one.read(first, last)).items():
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
            "dtype": _NAMES[row.dtype],
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


_DTYPES = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "I8": np.int8, "U8": np.uint8}
_NAMES = {np.dtype(kind): name for name, kind in _DTYPES.items() if name != "BF16"}


class TensorFile:
    """A file to read, which is known to be whole (``checkpoint.read_weights``). shapes: by name.

    Arrays share the map's memory, which stays until the last of them is gone.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            self._entries: dict[str, Any] = json.loads(file.read(length))
            self._entries.pop("__metadata__", None)
            # Nobody writes; OpenVINO shares only what could be written to.
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self._start = 8 + length
        self.shapes = {name: tuple(entry["shape"]) for name, entry in self._entries.items()}

    def kind(self, name: str) -> str:
        """The name of its numbers, such as ``BF16``, whose arrays hold their bits."""
        return str(self._entries[name]["dtype"])

    def array(self, name: str) -> NDArray[Any]:
        """One tensor. Raises ``KeyError``, or ``ValueError`` for numbers that are not known."""
        entry = self._entries[name]
        if (dtype := _DTYPES.get(entry["dtype"])) is None:
            raise ValueError(f"{name} has numbers of the kind {entry['dtype']}")
        first, last = entry["data_offsets"]
        data = memoryview(self._map)[self._start + first : self._start + last]
        return np.frombuffer(data, dtype).reshape(entry["shape"])

    def forget_pages(self) -> None:
        """Give the memory of what was read back; it is read again where it is needed."""
        self._map.madvise(mmap.MADV_DONTNEED)
