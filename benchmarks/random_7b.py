"""A GGUF file of a 7B model with random weights: ``python -m benchmarks.random_7b TOKENIZER.gguf OUT.gguf``.

The shape is Qwen2.5-Coder-7B's and the blocks those of ``q4_k_m``; tokenizer and template come from
TOKENIZER.gguf, a smaller Qwen2. Its text means nothing: it is for measuring time and memory alone
(docs/explanation/backends.md). Of each matrix some rows are drawn and repeated. One weight is in memory at a time.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import gguf
import numpy as np
from gguf.scripts.gguf_new_metadata import MetadataDetails, copy_with_new_metadata
from numpy.typing import NDArray

from tests.gguf_writer import block_kind, quantised

LAYERS, WIDTH, WIDE, HEADS, KV_HEADS = 28, 3584, 18944, 28, 4
_HEAD_WIDTH = WIDTH // HEADS
_DRAWN = 128  # rows
_SPREAD = 0.02
_CONFIG = {"num_hidden_layers": LAYERS, "tie_word_embeddings": False}


class _Tensor(NamedTuple):
    """A weight, drawn anew whenever it is asked for: what ``copy_with_new_metadata`` takes."""

    name: str
    shape: tuple[int, ...]

    @property
    def tensor_type(self) -> gguf.GGMLQuantizationType:
        return (
            block_kind(self.name, np.broadcast_to(0, self.shape), "q4_k_m", _CONFIG)
            or gguf.GGMLQuantizationType.F32
        )

    @property
    def data(self) -> NDArray[np.generic]:
        if len(self.shape) == 1:
            return np.full(self.shape, float(self.name.endswith("norm.weight")), np.float32)
        blocks = _drawn(self.shape[1], self.tensor_type)
        return np.resize(blocks, (self.shape[0], blocks.shape[1]))

    @property
    def n_bytes(self) -> int:
        return self.data.nbytes


@cache
def _drawn(width: int, kind: gguf.GGMLQuantizationType) -> NDArray[np.uint8]:
    """Rows of blocks."""
    numbers = np.random.default_rng(width).normal(0, _SPREAD, (_DRAWN, width))
    blocks: NDArray[np.uint8] = quantised(numbers.astype(np.float32), kind)
    return blocks


def weights(words: int) -> dict[str, tuple[int, ...]]:
    """Extents by name, in the order in which they are written; ``words``: of the vocabulary."""
    found: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (words, WIDTH),
        "output_norm.weight": (WIDTH,),
        "output.weight": (words, WIDTH),
    }
    rows = {"q": HEADS * _HEAD_WIDTH, "k": KV_HEADS * _HEAD_WIDTH, "v": KV_HEADS * _HEAD_WIDTH}
    for layer in range(LAYERS):
        name = f"blk.{layer}."
        for part, count in rows.items():
            found[f"{name}attn_{part}.weight"] = (count, WIDTH)
            found[f"{name}attn_{part}.bias"] = (count,)
        found[f"{name}attn_output.weight"] = (WIDTH, WIDTH)
        found[f"{name}ffn_gate.weight"] = found[f"{name}ffn_up.weight"] = (WIDE, WIDTH)
        found[f"{name}ffn_down.weight"] = (WIDTH, WIDE)
        found[f"{name}attn_norm.weight"] = found[f"{name}ffn_norm.weight"] = (WIDTH,)
    return found


def main() -> None:
    """Read the arguments and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("source", type=Path, metavar="TOKENIZER.gguf")
    parser.add_argument("path", type=Path, metavar="OUT.gguf")
    given = parser.parse_args()
    reader = gguf.GGUFReader(given.source)
    architecture = reader.fields[gguf.Keys.General.ARCHITECTURE].contents()
    if architecture != "qwen2":
        parser.error(f"{given.source} is a {architecture}, not a qwen2")
    extents = weights(len(reader.fields["tokenizer.ggml.tokens"].data))
    reader.tensors = cast(Any, [_Tensor(name, shape) for name, shape in extents.items()])
    writer = gguf.GGUFWriter(given.path, architecture)
    copy_with_new_metadata(reader, writer, _sizes(), [])


def _sizes() -> dict[str, MetadataDetails]:
    number = gguf.GGUFValueType.UINT32
    values = {
        "block_count": LAYERS,
        "embedding_length": WIDTH,
        "feed_forward_length": WIDE,
        "attention.head_count": HEADS,
        "attention.head_count_kv": KV_HEADS,
    }
    return {f"qwen2.{name}": MetadataDetails(number, value) for name, value in values.items()}


if __name__ == "__main__":
    main()
