"""A network's shape, and its weights as OpenVINO takes them.

Weights have GGUF's names. Which of them a network takes is known here, so that a file with more in it, or
less, is refused before anything is read (``reading``). Knows how codes are packed, and how tensors lie in a safetensors
file; what they become in a graph is ``graph``'s. Imports no library.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from editd.errors import ModelUnsupported

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
        """What is kept of its first row."""
        return named(self.name, self.read(0, 1))

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


def named(name: str, matrix: Matrix) -> dict[str, NDArray[Any]]:
    """What ``matrix`` has of values, scales and offsets, by their names in a file."""
    parts = {"": matrix.values, ".scales": matrix.scales, ".offsets": matrix.offsets}
    return {name + part: numbers for part, numbers in parts.items() if numbers is not None}


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


def stamped(source: Path, files: list[Path], version: int = 0) -> str:
    """A name for ``source`` as it is now."""
    seen = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    name = hashlib.sha256(os.fsencode(source.absolute())).hexdigest()[:12]
    stamp = hashlib.sha256(json.dumps([version, seen]).encode()).hexdigest()[:12]
    return f"{source.stem}-{name}-{stamp}"


_DTYPES = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "I8": np.int8, "U8": np.uint8}
NAMES = {np.dtype(kind): name for name, kind in _DTYPES.items() if name != "BF16"}


class TensorFile:
    """A file to read, which is known to be whole (``model_folder.read_weights``). shapes: by name.

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
