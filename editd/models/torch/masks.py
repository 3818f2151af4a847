"""Attention masks: what a row sees of the cached past, of the new rows and of a draft's branches.

Row 0 is the last output token and the root; a row sees the whole past, its ancestors and itself. Its
position is its depth, so the rows of one branch are exactly what a chain would have been. All is made
of tensors, so that a recorded pass makes it anew for each length; where attention takes the length
itself (``gpu.attend``), no mask is made, and a draft's branches are bits: word ``j // 32``, bit ``j % 32`` of row
``i`` says whether row ``i`` sees row ``j``; ``parents`` counts draft tokens from 0, the root being -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

_MASKED_KINDS = ("full_attention", "sliding_attention")

Windows = dict[str, int] | int
"""Tokens that a layer sees, 0 for all: by kind of layer where a model has kinds."""
Masks = torch.Tensor | dict[str, torch.Tensor]
"""Added to the scores, ``[1, 1, rows, slots]``: by kind of layer, as transformers' models take them."""


def can_mask(config: Any) -> bool:
    """Whether all kinds of layers that the model has are known here."""
    kinds = getattr(config, "layer_types", None) or ()
    chunked = getattr(config, "attention_chunk_size", None)
    return chunked is None and all(kind in _MASKED_KINDS for kind in kinds)


def windows_of(config: Any) -> Windows:
    """The windows of a model's layers."""
    window = int(getattr(config, "sliding_window", None) or 0)
    kinds = getattr(config, "layer_types", None)
    if kinds is None:
        return window
    return {kind: window if kind == "sliding_attention" else 0 for kind in set(kinds)}


def tree_masks(
    config: Any, parents: Sequence[int], past: int, dtype: torch.dtype, device: torch.device
) -> Masks:
    """For a draft with branches behind ``past`` tokens in a cache that grows.

    A sliding layer's mask covers what its cache hands out (``growing_cache.GrowingLayer``).
    """
    rows, tree = len(parents) + 1, tree_words(parents)

    def mask(window: int) -> torch.Tensor:
        slots = torch.arange(max(past - window + 1, 0) if window else 0, past + rows)
        return additive(visible(slots, past, rows, tree, window), dtype).to(device)

    windows = windows_of(config)
    if isinstance(windows, int):
        return mask(windows)
    return {kind: mask(window) for kind, window in windows.items()}


def static_masks(
    windows: Windows,
    slots: torch.Tensor,  # int64 [bucket]: 0, 1, 2 …
    length: torch.Tensor,  # int64 [1]: tokens valid before the pass
    rows: int,
    tree: torch.Tensor | None,  # as in ``gpu.attend``
    dtype: torch.dtype,
) -> Masks:
    """For a pass over a static cache, over the whole bucket. Each row sees itself at least."""
    if isinstance(windows, int):
        return additive(visible(slots, length, rows, tree, windows), dtype)
    return {
        kind: additive(visible(slots, length, rows, tree, window), dtype)
        for kind, window in windows.items()
    }


def visible(
    slots: torch.Tensor,
    length: torch.Tensor | int,
    rows: int,
    tree: torch.Tensor | None,
    window: int,
) -> torch.Tensor:
    """Which of ``slots`` each row sees: bool ``[rows, slots]``."""
    row = torch.arange(rows, device=slots.device)[:, None]
    offset = slots[None, :] - length  # of the new rows' slots: 0 … rows - 1
    if tree is None:
        depth, slot_depth = row, offset
        seen = offset <= row
    else:
        related = unpack(tree, rows)
        depths = related.sum(dim=1) - 1
        column = offset.clamp(0, rows - 1).long()[0]
        seen = (offset < 0) | (related[:, column] & (offset < rows))
        depth = depths[:, None]
        slot_depth = torch.where(offset < 0, offset, depths[column][None, :])
    return seen & (depth - slot_depth < window) if window else seen


def additive(seen: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """``[1, 1, rows, slots]``: nothing where a row sees, the least number where it does not."""
    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[None, None]


def tree_words(parents: Sequence[int], rows: int = 0) -> torch.Tensor:
    """int32 ``[rows, ceil(rows / 32)]`` on the CPU; rows behind the draft see the root and itself.

    rows: the padded width, 0 for the draft's own.
    """
    drafted = len(parents) + 1
    rows = rows or drafted
    seen: list[int] = [1]  # as one large number a row
    for row, parent in enumerate(parents, start=1):
        seen.append(seen[parent + 1] | 1 << row)
    seen.extend(1 | 1 << row for row in range(drafted, rows))
    size = 4 * words(rows)
    packed = bytearray().join(bits.to_bytes(size, "little") for bits in seen)
    return torch.frombuffer(packed, dtype=torch.int32).reshape(rows, words(rows))


def unpack(tree: torch.Tensor, rows: int) -> torch.Tensor:
    """Bool ``[rows, rows]`` from the words of ``tree``: row sees column."""
    column = torch.arange(rows, device=tree.device)
    return ((tree[:rows, column // 32] >> (column % 32)) & 1).bool()


def words(rows: int) -> int:
    """Words that hold one bit for each of ``rows``."""
    return -(-rows // 32)
