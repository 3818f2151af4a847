"""A network's shape, and its weights as OpenVINO takes them.

Weights have GGUF's names. The names that a network takes are known to this module, so that a file with more of them,
or fewer, is refused before anything is read (``reading``). Knows how codes are packed, and how tensors lie in a
safetensors file; their use in a graph is ``graph``'s. Imports no library.
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
_MLP = ("ffn_gate", "ffn_up", "ffn_down")
HYBRID = "qwen35"
"""Qwen 3.5, in which most layers keep a state by a gated delta net instead of attending."""
# Additional weights of each kind of network. All are Llamas but for these, and for the scales of ``NetworkShape``.
ARCHITECTURES: dict[str, tuple[str, ...]] = {
    "llama": (),  # Mistral, SmolLM and Seed-Coder, too
    "qwen2": (),
    "qwen3": ("attn_q_norm", "attn_k_norm"),
    "granite": (),
    HYBRID: ("attn_q_norm", "attn_k_norm"),
}
_DELTA_NET = (
    *("attn_qkv.weight", "attn_gate.weight", "ssm_conv1d.weight", "ssm_alpha.weight"),
    *("ssm_beta.weight", "ssm_dt.bias", "ssm_a", "ssm_norm.weight", "ssm_out.weight"),
)

_DTYPES = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "I8": np.int8, "U8": np.uint8}
NAMES = {np.dtype(kind): name for name, kind in _DTYPES.items() if name != "BF16"}


@dataclass(frozen=True, slots=True)
class Matrix:
    """A weight, or some rows of it: numbers, or codes in groups of 32 with a scale each.

    values: float32 or float16 as they are, or codes: int8 ``[rows, groups, 32]``, or two integers of four bits a
        byte, the first in the lower half: uint8 ``[rows, groups, 16]``.
    scales: of codes, ``[rows, groups, 1]``.
    offsets: ``[rows, groups]``, added to codes times scales, if blocks have a minimum. Both are float32, as the
        kernels have them: of halves OpenVINO would keep another copy.
    """

    values: NDArray[Any]
    scales: NDArray[np.float32] | None = None
    offsets: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """Sizes of a network.

    context: tokens that it was trained for.
    attention_scale: of queries times keys; 0 for the inverse root of the heads' width.
    embedding_scale, residual_scale, logit_scale: Granite multiplies embeddings and the output of a layer, and divides
        logits.
    rotary_width: numbers of a head that positions rotate; 0 stands for all of them.
    delta: of the layers that keep a state; ``None`` if every layer attends.
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
    rotary_width: int = 0
    delta: DeltaShape | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotary_width", self.rotary_width or self.head_width)

    @classmethod
    def of(cls, values: dict[str, Any]) -> NetworkShape:
        """The shape that ``dataclasses.asdict`` made ``values`` of. Raises ``TypeError`` for values
        of other names.
        """
        delta = values.get("delta")
        return cls(**{**values, "delta": DeltaShape(**delta) if delta else None})

    @property
    def mlp_norm(self) -> str:
        """The name of the norm before an MLP."""
        return "post_attention_norm" if self.delta else "ffn_norm"

    @property
    def state_layers(self) -> list[int]:
        """The numbers, from 0, of the layers that keep a state instead of attending: all but every
        ``attention_interval``-th; empty without ``delta``.
        """
        if self.delta is None:
            return []
        interval = self.delta.attention_interval
        return [layer for layer in range(self.layers) if (layer + 1) % interval]

    @property
    def token_bytes(self) -> int:
        """Bytes of a token's keys and values, in half precision."""
        attending = self.layers - len(self.state_layers)
        return attending * self.kv_heads * self.head_width * 2 * 2

    @property
    def state_bytes(self) -> int:
        """Bytes of the states of all layers."""
        return len(self.state_layers) * self.delta.state_bytes if self.delta else 0


@dataclass(frozen=True, slots=True)
class DeltaShape:
    """Sizes of gated delta nets.

    attention_interval: one layer of so many attends instead.
    key_heads, value_heads: heads of keys and of values; keys are repeated for values, all heads in turn.
    head_width: of queries, keys and values.
    kernel: rows that the convolution before the rule joins.
    """

    attention_interval: int
    key_heads: int
    value_heads: int
    head_width: int
    kernel: int

    @property
    def channels(self) -> int:
        """Numbers of a row that the convolution takes: queries, keys and values."""
        return (2 * self.key_heads + self.value_heads) * self.head_width

    @property
    def row_width(self) -> int:
        """Numbers of a row that the rule takes: those of the convolution, decays and betas."""
        return self.channels + 2 * self.value_heads

    @property
    def state_bytes(self) -> int:
        """Bytes of a layer's state, in single precision."""
        return self.value_heads * self.head_width**2 * 4


class Weight(NamedTuple):
    """A weight of a file. read_rows: returns the rows from its first argument to before its second."""

    name: str
    rows: int
    read_rows: Callable[[int, int], Matrix]

    @property
    def row(self) -> dict[str, NDArray[Any]]:
        """The stored parts of its first row."""
        return by_part(self.name, self.read_rows(0, 1))

    @property
    def nbytes(self) -> int:
        """Bytes of all its stored parts."""
        return self.rows * sum(part.nbytes for part in self.row.values())

    @property
    def parameters(self) -> int:
        """The number of numbers that its values stand for."""
        values = self.row[self.name]
        return self.rows * values.size * (2 if values.dtype == np.uint8 else 1)

    @property
    def kind(self) -> str:
        """The number format of its values, for a person."""
        name = self.row[self.name].dtype.name
        return "int4" if name == "uint8" else name


def by_part(name: str, matrix: Matrix) -> dict[str, NDArray[Any]]:
    """The values, scales and offsets of ``matrix``, as far as it has them, by their names in a file."""
    parts = {"": matrix.values, ".scales": matrix.scales, ".offsets": matrix.offsets}
    return {name + part: numbers for part, numbers in parts.items() if numbers is not None}


def check_names(title: str, shape: NetworkShape, found: set[str]) -> None:
    """Raise ``ModelUnsupported`` if a network of this ``shape`` has no use for one of the names
    ``found``, or lacks one that it requires. title: of the model.
    """
    required, optional = (
        {"token_embd.weight", "output_norm.weight"},
        {"output.weight", "rope_freqs.weight"},
    )
    for layer in range(shape.layers):
        parts: tuple[str, ...] = ("attn_norm", shape.mlp_norm, *_MLP)
        if layer in shape.state_layers:
            required |= {f"blk.{layer}.{part}" for part in _DELTA_NET}
        else:
            parts += (*_PROJECTIONS, *ARCHITECTURES[shape.architecture])
            optional |= {f"blk.{layer}.{part}.bias" for part in _PROJECTIONS}
        required |= {f"blk.{layer}.{part}.weight" for part in parts}
    more, missing = sorted(found - required - optional), sorted(required - found)
    if more or missing:
        difference = f"has {more[0]}" if more else f"lacks {missing[0]}"
        raise ModelUnsupported(
            f"{title} {difference}, which the {shape.architecture} that editd builds for OpenVINO does "
            "not: set model.engine to local."
        )


def round_to_eight_bits(numbers: NDArray[np.float32]) -> Matrix:
    """``numbers``, ``[rows, width]`` with a width that is a multiple of 32, as 8-bit codes in
    groups of 32 with a scale each, as ``q8_0`` rounds them.
    """
    grouped = numbers.reshape(len(numbers), -1, GROUP)
    halves = (np.abs(grouped).max(-1, keepdims=True) / 127).astype(np.float16)
    scales = halves.astype(np.float32)
    return Matrix(to_codes(grouped, scales), scales)


def to_codes(numbers: NDArray[np.float32], scales: NDArray[np.float32]) -> NDArray[np.int8]:
    """The nearest 8-bit codes of ``numbers`` over ``scales``, from -128 to 127; 0 where a scale is
    0. Halves are rounded to even.
    """
    inverse = np.divide(1, scales, out=np.zeros_like(scales), where=scales != 0)
    codes = numbers * inverse
    return np.rint(codes, out=codes).clip(-128, 127, out=codes).astype(np.int8)


def pack_nibbles(codes: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Codes from -8 to 7 packed two in a byte along the last axis (of even length), the first in
    the lower half, as two's complement of four bits.
    """
    bits = codes.view(np.uint8)
    joined: NDArray[np.uint8] = np.left_shift(bits[..., 1::2], 4)
    joined |= bits[..., 0::2] & 15
    return joined


class Sizes(NamedTuple):
    """The sizes of a network.

    context: tokens that it was trained for. token_bytes: of a token's keys and values. nbytes: of the weights.
    state_bytes: of the states of a sequence that keeps them.
    """

    context: int
    token_bytes: int
    nbytes: int
    state_bytes: int = 0


class Settling(NamedTuple):
    """The network that moves the states of a hybrid on. layers: those that keep a state."""

    model: Any
    layers: list[int]
    delta: DeltaShape


@dataclass(frozen=True, slots=True)
class Graph:
    """A network to be compiled, and its description.

    model: ``openvino.Model``, token ids in, logits of the rows in ``wanted_rows`` out.
    parameters: how many.
    kinds: number formats of the weights, most frequent first.
    constants: the owner of the memory that they lie in, if it is not OpenVINO.
    is_new: the weights were converted just now.
    settling: of a hybrid (``hybrid_graph``); ``None`` for a network without states.
    """

    model: Any
    vocab_size: int
    sizes: Sizes
    parameters: int
    kinds: list[str]
    constants: TensorFile | None = None
    is_new: bool = False
    settling: Settling | None = None


def stamped_name(source: Path, files: list[Path], version: int = 0) -> str:
    """A name for ``source`` in its present state, by its path and the names, sizes and times of
    ``files``, which must exist. version: of the format, part of the name.
    """
    stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    name = hashlib.sha256(os.fsencode(source.absolute())).hexdigest()[:12]
    stamp = hashlib.sha256(json.dumps([version, stats]).encode()).hexdigest()[:12]
    return f"{source.stem}-{name}-{stamp}"


class TensorFile:
    """A complete safetensors file (``model_folder.read_weights``), mapped into memory.

    shapes: of the tensors, by name.

    Arrays share the map's memory, which stays until the last of them is deleted.
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
        """The number format of a tensor, such as ``BF16``, whose arrays hold the bits as integers."""
        return str(self._entries[name]["dtype"])

    def array(self, name: str) -> NDArray[Any]:
        """A tensor as an array in the map's memory; bfloat16 as 16-bit integers. Raises
        ``KeyError`` for an unknown name, ``ValueError`` for an unknown number format.
        """
        entry = self._entries[name]
        if (dtype := _DTYPES.get(entry["dtype"])) is None:
            raise ValueError(f"{name} has numbers of the kind {entry['dtype']}")
        first, last = entry["data_offsets"]
        data = memoryview(self._map)[self._start + first : self._start + last]
        return np.frombuffer(data, dtype).reshape(entry["shape"])

    def forget_pages(self) -> None:
        """Give the memory of the pages read back to the system; they are read again when they are needed."""
        self._map.madvise(mmap.MADV_DONTNEED)
