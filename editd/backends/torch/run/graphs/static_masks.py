"""Who sees whom in a pass over a static cache, worked out on the device.

For models whose attention adds a mask: one mask a kind of layer, over the whole bucket, made of
tensors alone, so that a recorded pass makes it anew for each length. Where attention takes the
length itself (``kernels``), no such mask is made.
"""

from __future__ import annotations

from typing import Any

import torch

from editd.backends.torch.run.kernels.tree_bits import unpack


def windows_of(config: Any) -> dict[str, int] | int:
    """Tokens that a layer sees, 0 for all: by kind of layer where a model has kinds."""
    window = int(getattr(config, "sliding_window", None) or 0)
    kinds = getattr(config, "layer_types", None)
    if kinds is None:
        return window
    return {kind: window if kind == "sliding_attention" else 0 for kind in set(kinds)}


def static_masks(
    windows: dict[str, int] | int,
    start: torch.Tensor,  # int64 [1]: tokens valid before the pass
    offsets: torch.Tensor,  # int64 [width]: 0, 1, 2 …
    columns: torch.Tensor,  # int64 [bucket]: 0, 1, 2 …
    tree: torch.Tensor | None,  # as in ``kernels.attend``
    dtype: torch.dtype,
) -> torch.Tensor | dict[str, torch.Tensor]:
    """Additive masks, ``[1, 1, width, bucket]``. Each row sees itself at least."""
    width = offsets.shape[0]
    ahead = columns - start  # of a new row's slot: 0 … width - 1
    depth = offsets[:, None]
    if tree is None:
        seen = ahead <= depth
        steps = depth - ahead
    else:
        related = unpack(tree, width)
        depths = related.sum(dim=1) - 1
        row = ahead.clamp(0, width - 1)
        seen = (ahead < 0) | (related[:, row] & (ahead < width))
        steps = depths[:, None] - torch.where(ahead < 0, ahead, depths[row])
    if isinstance(windows, int):
        return _additive(seen, steps, windows, dtype)
    return {kind: _additive(seen, steps, window, dtype) for kind, window in windows.items()}


def _additive(
    seen: torch.Tensor, steps: torch.Tensor, window: int, dtype: torch.dtype
) -> torch.Tensor:
    if window:
        seen = seen & (steps < window)
    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[None, None]
