"""Solved models of other sizes than the demo's, for what has to cost something."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.solved.shape import DEMO, DISTANCES, Shape

# 38 million parameters: for benchmarks against other engines, where the forward pass counts.
BENCH = Shape(
    name="bench",
    hidden=512,
    sketch=256,
    intermediate=2304,
    layers=8,
    heads=8,
    kv_heads=2,
    head_dim=64,
    vocab_size=8192,
    distances=DISTANCES,
    rounds=(1, 1, 1, 1, 1, 1, 1, 12),
    max_positions=32768,
)
# A draft model for it: the demo's shape, with the tokenizer and the context of ``BENCH``.
DRAFT = replace(DEMO, name="draft", vocab_size=8192, max_positions=32768)
SHAPES = {shape.name: shape for shape in (DEMO, BENCH, DRAFT)}
