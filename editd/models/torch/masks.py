"""Attention masks for drafts with branches: the slots that each row sees, of the cached past and of the new rows.

Row 0 is the last output token and the root; a row sees the whole past, its ancestors and itself. Its position is its
depth, so the rows of one branch are exactly what a chain would have been. Chains need no mask of ours: transformers
makes theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

_MASKED_KINDS = ("full_attention", "sliding_attention")

Windows = dict[str, int] | int
"""The number of tokens that a layer sees, 0 for all: by kind of layer if the model has kinds."""
Masks = torch.Tensor | dict[str, torch.Tensor]
"""Numbers to add to the scores, ``[1, 1, rows, slots]``: by kind of layer if the model has kinds."""


def can_mask(config: Any) -> bool:
    """Whether masks can be made for all kinds of layers that the model has: full and sliding
    attention, without chunks.
    """
    kinds = getattr(config, "layer_types", None) or ()
    chunked = getattr(config, "attention_chunk_size", None)
    return chunked is None and all(kind in _MASKED_KINDS for kind in kinds)


def windows_of(config: Any) -> Windows:
    """The windows of a model's layers in tokens, 0 for all; a single number if the configuration
    names no kinds of layers.
    """
    window = int(getattr(config, "sliding_window", None) or 0)
    kinds = getattr(config, "layer_types", None)
    if kinds is None:
        return window
    return {kind: window if kind == "sliding_attention" else 0 for kind in set(kinds)}


def tree_masks(
    config: Any, parents: Sequence[int], past: int, dtype: torch.dtype, device: torch.device
) -> Masks:
    """Masks for a draft with branches after ``past`` cached tokens: one, or one for each kind of
    layer if the configuration names kinds.

    parents: of each draft token, counted from 0, the root being -1. A sliding layer's mask covers
    the tokens that its cache returns (``growing_cache.GrowingLayer``).
    """
    related = ancestors(parents)

    def mask(window: int) -> torch.Tensor:
        first = max(past - window + 1, 0) if window else 0
        return additive(visible(related, past, first, window), dtype).to(device)

    windows = windows_of(config)
    if isinstance(windows, int):
        return mask(windows)
    return {kind: mask(window) for kind, window in windows.items()}


def ancestors(parents: Sequence[int]) -> torch.Tensor:
    """A bool tensor ``[rows, rows]``, the root first: whether a row descends from, or is, the row
    of the column.

    parents: as in ``tree_masks``.
    """
    related = torch.eye(len(parents) + 1, dtype=torch.bool)
    for row, parent in enumerate(parents, start=1):
        related[row] |= related[parent + 1]
    return related


def visible(related: torch.Tensor, past: int, first: int, window: int) -> torch.Tensor:
    """The slots from ``first`` on that each row sees: bool ``[rows, past - first + rows]``; first
    the cached tokens, then the rows.

    related: as from ``ancestors``. past: the number of cached tokens. window: tokens that a row
    sees, itself included; 0 for all.
    """
    rows = len(related)
    seen = torch.cat([torch.ones(rows, past - first, dtype=torch.bool), related], dim=1)
    if not window:
        return seen
    depth = past + related.sum(dim=1) - 1  # of each row, its position
    position = torch.cat([torch.arange(first, past), depth])
    return seen & (depth[:, None] - position[None, :] < window)


def additive(seen: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The mask to add to scores, ``[1, 1, rows, slots]``: 0 where a row sees a slot, the least number elsewhere."""
    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[None, None]
