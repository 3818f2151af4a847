"""How large a trained model is: the sizes that the checkpoint's configuration gets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A Llama with biases on queries, keys and values and tied embeddings.

    theta: RoPE's base. Very large, so that most dimensions of a head hardly turn: matching text by
    what it says must not depend on how far away it is, while a few fast ones tell neighbours apart.
    max_positions: the context that it is made for.
    """

    vocabulary: int = 4096
    hidden: int = 256
    intermediate: int = 704
    layers: int = 8
    heads: int = 4
    head_dim: int = 64
    theta: float = 1e12
    max_positions: int = 4096

    @property
    def parameters(self) -> int:
        width = self.heads * self.head_dim
        attention = 4 * self.hidden * width + 3 * width
        layer = attention + 3 * self.hidden * self.intermediate + 2 * self.hidden
        return self.vocabulary * self.hidden + self.layers * layer + self.hidden


SHAPES = {
    # 7.5 million parameters: 15 MB in fp16.
    "small": Shape(),
    # For smoke runs on a CPU: 0.9 million.
    "tiny": Shape(vocabulary=2048, hidden=128, intermediate=256, layers=4, heads=4, head_dim=32),
    # For tests: seconds.
    "toy": Shape(vocabulary=512, hidden=64, intermediate=96, layers=4, heads=4, head_dim=16),
}
