"""How large a solved model is and how far back it reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A Llama-shaped model in two halves: ``sketch`` dimensions say what was read, the rest what
    comes next.

    distances: per reading layer and head, how many tokens back the head looks; layers beyond do
        not read. rounds: per layer, how often at most its answer is improved. vocab_size: rows of the
        embedding; the tokenizer may use fewer. max_positions: the context it is made for.
    """

    name: str
    hidden: int
    sketch: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab_size: int
    distances: tuple[tuple[int, ...], ...]
    rounds: tuple[int, ...]
    max_positions: int = 8192

    @property
    def reach(self) -> int:
        """How many tokens before the current one the model sees at all."""
        return sum(map(max, self.distances))


# Eight heads a layer: the last eight tokens one by one, then windows of these, then far ones.
DISTANCES = (
    (1, 2, 3, 4, 5, 6, 7, 8),
    (9, 18, 27, 36, 45, 54, 63, 72),
    (5, 13, 33, 81, 100, 130, 160, 200),
)

# As small and quick as it can be while every edit is known with a margin.
DEMO = Shape(
    name="demo",
    hidden=256,
    sketch=128,
    intermediate=1024,
    layers=3,
    heads=8,
    kv_heads=2,
    head_dim=32,
    vocab_size=2048,
    distances=DISTANCES,
    rounds=(4, 4, 24),
)
