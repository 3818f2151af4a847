"""``attend`` in plain torch: what every other way is tested against, and the way on a CPU.

On the CPU the length is a number that costs nothing to read, so only what is valid is touched.
Elsewhere the whole buffer is read under a mask, which a graph can record.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from editd.models.torch.masks import visible


def attend_torch(
    query: torch.Tensor,
    key_buffer: torch.Tensor,
    value_buffer: torch.Tensor,
    length: torch.Tensor,
    tree: torch.Tensor | None = None,
    scale: float | None = None,
    window: int = 0,
) -> torch.Tensor:
    """See ``editd.models.torch.gpu``; any device, any dtype, any head size."""
    rows = query.shape[2]
    first, end = 0, key_buffer.shape[2]
    if length.device.type == "cpu":
        past = int(length)
        first, end = max(past - window + 1, 0) if window else 0, past + rows
    key, value = key_buffer[:, :, first:end], value_buffer[:, :, first:end]
    slots = torch.arange(first, end, device=query.device)
    if length.device.type != "cpu":
        # Zero times NaN is NaN: what lies behind the valid slots must not reach the sum.
        value = value.masked_fill((slots >= length + rows)[:, None], 0)
    if rows == 1 and not window and length.device.type == "cpu":
        mask = None
    else:
        mask = visible(slots, length, rows, tree, window)
        mask = torch.zeros(mask.shape, dtype=query.dtype, device=mask.device).masked_fill_(
            ~mask, float("-inf")
        )
    return grouped_sdpa(query, key, value, mask, scale)


def grouped_sdpa(
    query: torch.Tensor,  # [1, heads, rows, head_dim]
    key: torch.Tensor,  # [1, kv_heads, cached, head_dim]
    value: torch.Tensor,
    mask: torch.Tensor | None,
    scale: float | None,
    **options: Any,
) -> torch.Tensor:
    """Torch's attention for heads that share keys, ``[1, rows, heads, head_dim]``."""
    _, heads, rows, _ = query.shape
    groups = heads // key.shape[1]
    if rows == 1 and groups > 1:
        # All heads of a group become rows of one head: their keys are read once.
        query = query.reshape(1, key.shape[1], groups, query.shape[-1])
        groups = 1
    output = scaled_dot_product_attention(
        query, key, value, attn_mask=mask, scale=scale, enable_gqa=groups > 1, **options
    )
    return output.reshape(1, heads, rows, value.shape[-1]).transpose(1, 2).contiguous()
