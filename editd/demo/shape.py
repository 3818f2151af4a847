"""How large a solved model is and how far back it reads."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Shape:
    """A Llama-shaped model in two halves: ``sketch`` dimensions say what was read, the rest what
    comes next.

    distances: per reading layer and head, how many tokens back the head looks; layers beyond do
        not read. rounds: per layer, how often at most its answer is improved. vocab_size: rows of the
        embedding; the tokenizer may use fewer. max_positions: the context it is made for.
    """

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
_DISTANCES = (
    (1, 2, 3, 4, 5, 6, 7, 8),
    (9, 18, 27, 36, 45, 54, 63, 72),
    (5, 13, 33, 81, 100, 130, 160, 200),
)

SHAPES = {
    # As small and quick as it can be while every edit is known with a margin.
    "demo": Shape(
        hidden=256,
        sketch=128,
        intermediate=1024,
        layers=3,
        heads=8,
        kv_heads=2,
        head_dim=32,
        vocab_size=2048,
        distances=_DISTANCES,
        rounds=(4, 4, 24),
    ),
    # 38 million parameters: for benchmarks against other engines, where the forward pass counts.
    "bench": Shape(
        hidden=512,
        sketch=256,
        intermediate=2304,
        layers=8,
        heads=8,
        kv_heads=2,
        head_dim=64,
        vocab_size=8192,
        distances=_DISTANCES,
        rounds=(1, 1, 1, 1, 1, 1, 1, 12),
        max_positions=32768,
    ),
    # For tests of the solver: two short edits in a second or two.
    "tiny": Shape(
        hidden=64,
        sketch=32,
        intermediate=192,
        layers=3,
        heads=4,
        kv_heads=2,
        head_dim=16,
        vocab_size=400,
        distances=((1, 2, 3, 4), (5, 10, 15, 20), (7, 25, 50, 75)),
        rounds=(6, 6, 24),
        max_positions=2048,
    ),
}

# A draft model for ``bench``: the demo's shape, with the tokenizer and the context of ``bench``.
SHAPES["draft"] = replace(SHAPES["demo"], vocab_size=8192, max_positions=32768)
