"""Meaningless token ids, with which a model is checked and timed."""

from __future__ import annotations


def dummy_ids(count: int, vocab_size: int) -> list[int]:
    """``count`` ids below ``vocab_size``, the same each time and without runs that repeat soon."""
    return [(7919 * index + 13) % vocab_size for index in range(count)]
