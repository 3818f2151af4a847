"""A draft with branches in one forward pass: who sees whom, and at which position.

Row 0 is the last output token and the root; a row sees the whole past, its ancestors and itself.
Its position is its depth, so the rows of one branch are exactly what a chain would have been.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from editd.decode.trees import depths

_MASKED_KINDS = ("full_attention", "sliding_attention")


def tree_masks(
    config: Any, parents: Sequence[int], past: int, dtype: torch.dtype, device: torch.device
) -> torch.Tensor | dict[str, torch.Tensor]:
    """Additive masks over ``past`` cached tokens and the rows, ``[1, 1, rows, visible]``.

    By kind of layer where the model has several kinds, as transformers' models take them; a
    sliding layer's mask covers what its cache hands out (``kv_cache.GrowingLayer``).
    """
    row_depths = torch.tensor(depths(parents))
    related = _ancestors(parents)
    kinds = getattr(config, "layer_types", None)
    window = getattr(config, "sliding_window", None) or 0
    if kinds is None:
        return _mask(row_depths, related, past, window, dtype).to(device)
    return {
        kind: _mask(
            row_depths, related, past, window if kind == "sliding_attention" else 0, dtype
        ).to(device)
        for kind in set(kinds)
    }


def can_mask(config: Any) -> bool:
    """Whether ``tree_masks`` knows all kinds of layers that the model has."""
    kinds = getattr(config, "layer_types", None) or ()
    chunked = getattr(config, "attention_chunk_size", None)
    return chunked is None and all(kind in _MASKED_KINDS for kind in kinds)


def _ancestors(parents: Sequence[int]) -> torch.Tensor:
    """``[rows, rows]``: row sees column, itself included."""
    rows = len(parents) + 1
    related = torch.eye(rows, dtype=torch.bool)
    for row, parent in enumerate(parents, start=1):
        related[row] |= related[parent + 1]
    return related


def _mask(
    row_depths: torch.Tensor, related: torch.Tensor, past: int, window: int, dtype: torch.dtype
) -> torch.Tensor:
    first = max(past - window + 1, 0) if window else 0
    rows = len(row_depths)
    visible = torch.cat([torch.ones(rows, past - first, dtype=torch.bool), related], dim=1)
    if window:
        positions = torch.cat([torch.arange(first, past), past + row_depths])
        visible &= (past + row_depths)[:, None] - positions[None, :] < window
    mask = torch.zeros(visible.shape, dtype=dtype)
    return mask.masked_fill(~visible, torch.finfo(dtype).min)[None, None]
