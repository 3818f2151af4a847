"""What files are read into: the shape of a network, and its weights piece by piece, as OpenVINO takes them.

Weights have GGUF's names. Which of them a network takes is known here, so that a file with more in it, or
less, is refused before anything is read. Knows how codes are packed; what they become in a graph is ``graph``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from editd.errors import ModelUnsupported

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
