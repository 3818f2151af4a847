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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from editd.errors import ModelDamaged, ModelUnsupported
from editd.files.local_cache import cache_dir
from editd.models.made_folder import made_once
from editd.models.model_folder import FILE_NAME, read_manifest
from editd.stores.hub import gigabytes

Kind = Literal["float32", "float16", "int8", "int4"]

GROUP = 32
_OUTSIDE = {"token_embd.weight": True, "output_norm.weight": True, "output.weight": False}
_OUTSIDE |= {"rope_freqs.weight": False}
_IN_LAYER = {
    **dict.fromkeys(("attn_norm.weight", "ffn_norm.weight"), True),
    **dict.fromkeys((f"attn_{part}.weight" for part in ("q", "k", "v", "output")), True),
    **dict.fromkeys((f"attn_{part}.bias" for part in ("q", "k", "v", "output")), False),
    **dict.fromkeys((f"ffn_{part}.weight" for part in ("gate", "up", "down")), True),
}
# What each kind of network has beside that. All of them are Llamas but for these, and for the scales of ``Shape``.
ARCHITECTURES: dict[str, tuple[str, ...]] = {
    "llama": (),  # Mistral, SmolLM and Seed-Coder, too
    "qwen2": (),
    "qwen3": ("attn_q_norm.weight", "attn_k_norm.weight"),
    "granite": (),
}


@dataclass(frozen=True, slots=True)
class Matrix:
    """A weight, or some rows of it: numbers, or codes in groups of 32 with a scale each.

    values: float32 or float16 as they are, or codes: int8 ``[rows, groups, 32]``, or two integers of
    four bits a byte, the first in the lower half: uint8 ``[rows, groups, 16]``. scales: float16
    ``[rows, groups, 1]`` of codes. offsets: float32 ``[rows, groups]`` that codes times scales are moved by,
    where blocks have a minimum; in half precision OpenVINO would keep a copy beside the one for its kernels.
    """

    values: NDArray[Any]
    scales: NDArray[np.float16] | None = None
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

    def as_json(self) -> dict[str, Any]:
        """For ``Shape(**…)``."""
        return asdict(self)

    @property
    def token_bytes(self) -> int:
        """Keys and values of a token, in half precision."""
        return self.layers * self.kv_heads * self.head_width * 2 * 2


@dataclass(frozen=True, slots=True)
class Weight:
    """One weight of a file. width: 0 of a vector. read: its rows from one to before another.

    has_offsets: its groups have them.
    """

    name: str
    kind: Kind
    rows: int
    width: int
    read: Callable[[int, int], Matrix]
    has_offsets: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes of its values, scales and offsets."""
        bits = {"float32": 32, "float16": 16, "int8": 8, "int4": 4}[self.kind]
        each_group = 0 if self.kind in ("float32", "float16") else 6 if self.has_offsets else 2
        return self.parameters * bits // 8 + self.parameters // GROUP * each_group

    @property
    def parameters(self) -> int:
        return self.rows * max(self.width, 1)


def check_names(title: str, shape: Shape, found: set[str]) -> None:
    """Raise ``ModelUnsupported`` for a network that has more weights than the known, or fewer."""
    wanted = {*_all(shape, needed=True)}
    more = sorted(found - {*_all(shape, needed=False)})
    missing = sorted(wanted - found)
    if more or missing:
        said = f"has {more[0]}" if more else f"lacks {missing[0]}"
        raise ModelUnsupported(
            f"{title} {said}, which the {shape.architecture} that editd builds for OpenVINO does "
            "not: set model.engine to local."
        )


def _all(shape: Shape, *, needed: bool) -> Iterator[str]:
    yield from (name for name, always in _OUTSIDE.items() if always or not needed)
    for layer in range(shape.layers):
        for name, always in _IN_LAYER.items():
            if always or not needed:
                yield f"blk.{layer}.{name}"
        yield from (f"blk.{layer}.{name}" for name in ARCHITECTURES[shape.architecture])


def in_eight_bits(numbers: NDArray[np.float32]) -> Matrix:
    """``numbers``, ``[rows, width]``, rounded to 8 bits in groups of 32, as ``q8_0`` does it."""
    grouped = numbers.reshape(len(numbers), -1, GROUP)
    scales = (np.abs(grouped).max(-1, keepdims=True) / 127).astype(np.float16)
    exact = scales.astype(np.float32)
    inverse = np.divide(1, exact, out=np.zeros_like(exact), where=exact > 0)
    codes = np.clip(np.rint(grouped * inverse), -127, 127).astype(np.int8)
    return Matrix(codes, scales)


def two_a_byte(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Codes of four bits, neighbours joined."""
    joined: NDArray[np.uint8] = np.left_shift(codes[..., 1::2], 4)
    joined |= codes[..., 0::2]
    return joined


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
        self.shape = shape = Shape(**about["shape"])
        self.vocab_size, self.context = shape.vocab_size, shape.context
        self.token_bytes = shape.token_bytes
        self.parameters = int(about["parameters"])
        self.kinds: list[str] = about["kinds"]
        self._file = TensorFile(folder / _WEIGHTS)
        if about["tensors"] != _listed(self._file.shapes):
            raise ValueError("these are the weights of another model")
        self.nbytes = (folder / _WEIGHTS).stat().st_size

    def __call__(self, name: str) -> Matrix | None:
        values, scales, offsets = (
            self._file.array(part) if part in self._file.shapes else None for part in _parts(name)
        )
        return None if values is None else Matrix(values, scales, offsets)

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
        values, scales, offsets = _parts(one.name)
        if one.kind in ("int8", "int4"):
            tensors[scales] = (np.float16, (one.rows, groups, 1))
            shape = (one.rows, groups, GROUP if one.kind == "int8" else GROUP // 2)
        if one.has_offsets:
            tensors[offsets] = (np.float32, (one.rows, groups))
        tensors[values] = (_VALUES[one.kind], shape)
    total, done = sum(weight.nbytes for weight in weights), 0
    with path.open("wb") as file:
        writer = TensorWriter(file, tensors)
        for one in weights:
            step = max(1, _PIECE // max(one.width, 1))
            for first in range(0, one.rows, step):
                last = min(first + step, one.rows)
                piece = one.read(first, last)
                parts = (piece.values, piece.scales, piece.offsets)
                for name, array in zip(_parts(one.name), parts, strict=True):
                    if array is not None:
                        writer.put(name, first, array)
                tell((done + one.nbytes * last // one.rows) / total)
            done += one.nbytes


def _parts(name: str) -> tuple[str, str, str]:
    """What the parts of a ``Matrix`` are called in the file."""
    return name, f"{name}.scales", f"{name}.offsets"


def _listed(shapes: dict[str, tuple[int, ...]]) -> dict[str, list[int]]:
    """As JSON has them."""
    return {name: list(extents) for name, extents in shapes.items()}


def _kinds(weights: list[Weight]) -> list[str]:
    sizes: dict[str, int] = {}
    for one in weights:
        sizes[one.kind] = sizes.get(one.kind, 0) + one.nbytes
    return sorted(sizes, key=lambda kind: -sizes[kind])


_FORMAT = 3  # raise it when the code changes what is written


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


class TensorWriter:
    """A file to write: tensors of these dtypes and shapes, in any order of rows."""

    def __init__(self, file: IO[bytes], tensors: Mapping[str, tuple[Any, tuple[int, ...]]]) -> None:
        self._file = file
        entries, self._places, end = {}, {}, 0
        # The widest numbers first, so that each lies where a processor likes to read it.
        order = sorted(tensors, key=lambda name: -np.dtype(tensors[name][0]).itemsize)
        for name in order:
            dtype, shape = np.dtype(tensors[name][0]), tensors[name][1]
            row = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
            self._places[name] = (end, row)
            size = row * shape[0]
            entries[name] = {
                "dtype": _NAMES[dtype],
                "shape": list(shape),
                "data_offsets": [end, end + size],
            }
            end += size
        header = json.dumps(entries).encode()
        header += b" " * (-len(header) % 64)
        file.write(struct.pack("<Q", len(header)) + header)
        self._start = file.tell()

    def put(self, name: str, first: int, rows: NDArray[Any]) -> None:
        """Write ``rows``, the first of which has this number. Raises ``OSError``."""
        offset, row = self._places[name]
        self._file.seek(self._start + offset + first * row)
        self._file.write(np.ascontiguousarray(rows).data)
