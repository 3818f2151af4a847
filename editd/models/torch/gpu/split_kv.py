"""``attend`` as two Triton kernels: the cache in splits, then the splits merged.

The first kernel gives each program one split of the cache, one key-value head and a tile of
queries, in which all heads of the group and all rows stand one below another; so a split is read
once for all of them. It leaves an unfinished softmax: the largest score, the sum and the weighted
values. The second kernel merges those of a row. (Flash-Decoding, https://arxiv.org/abs/2311.01282.)

A row's result depends on its own query and on what it sees, to the last bit, whatever the width of
the pass, the length of the buffer or the other rows hold. That is why

- splits lie at absolute slots and are never chosen by width, length or bucket;
- all widths use one tile shape, hence one instruction for a product;
- each multiplication that could be fused with an addition is written as ``fma``: otherwise a
  compiler may fuse it in one loop and not in the other;
- integers that vary are not specialised: one binary serves all widths.

Slots that a row does not see add exact zeros. Compiled when first called; nothing here waits for
the device.
"""

from __future__ import annotations

from typing import Any

import torch
from triton import cdiv, next_power_of_2

from editd.models.torch.gpu.split_kv_kernels import (
    merge_splits,
    partial_softmax,
    tree_depths,
)
from editd.models.torch.masks import words

TILE_ROWS = 64  # queries of one program: rows times heads of a group
_ROWS_AT_ONCE = 128  # bounds the workspace; wider passes read the cache once for each so many
OPTIONS = {"num_warps": 8, "num_stages": 2}  # what spills least: ``tests.build_kernels`` shows it
_LOG2_E = 1.4426950408889634


def attend_split(
    query: torch.Tensor,
    key_buffer: torch.Tensor,
    value_buffer: torch.Tensor,
    length: torch.Tensor,
    tree: torch.Tensor | None = None,
    scale: float | None = None,
    window: int = 0,
) -> torch.Tensor:
    """See ``editd.models.torch.gpu``. The last dimension of each tensor must be contiguous."""
    _, heads, rows, width = query.shape
    kv_heads, bucket, value_width = value_buffer.shape[1:]
    scale = width**-0.5 if scale is None else scale
    output = query.new_empty(1, rows, heads, value_width)
    splits, at_once = num_splits(bucket), min(rows, _ROWS_AT_ONCE)
    tile_queries = at_once * heads // kv_heads
    sums = query.new_empty(splits, kv_heads, tile_queries, value_width, dtype=torch.float32)
    peaks = query.new_empty(splits, kv_heads, tile_queries, dtype=torch.float32)
    totals = torch.empty_like(peaks)
    unit = scale * _LOG2_E  # of the scores, in powers of two
    shape = constants(query, value_buffer, heads // kv_heads, tree is not None, window)
    merge_shape = merge_constants(shape)
    depths = None
    if tree is not None and window:
        depths = torch.empty(rows, dtype=torch.int32, device=query.device)
        tree_depths[(cdiv(rows, 32),)](tree, depths, rows, words(rows), ROWS=32)
    for first_row in range(0, rows, at_once):
        count = min(at_once, rows - first_row)
        grid = (cdiv(count * shape["GROUP"], TILE_ROWS), splits, kv_heads)
        partial_softmax[grid](
            query, key_buffer, value_buffer, length, tree, depths, sums, peaks, totals,
            unit,
            first_row, count, words(rows), window, splits, tile_queries,
            query.stride(1), query.stride(2),
            key_buffer.stride(1), key_buffer.stride(2),
            value_buffer.stride(1), value_buffer.stride(2),
            **shape, **OPTIONS,
        )  # fmt: skip
        merge_splits[(cdiv(count * shape["GROUP"], merge_shape["QUERIES"]), kv_heads)](
            sums, peaks, totals, length, output, unit,
            first_row, count, window, tile_queries, output.stride(1),
            **merge_shape,
        )  # fmt: skip
    return output


def num_splits(bucket: int) -> int:
    """Splits that a buffer of ``bucket`` slots has; ``_split_of`` of its last slot, and one."""
    fine, middle = min(bucket, 8192), min(max(bucket - 8192, 0), 32768)
    return int(cdiv(fine, 256) + cdiv(middle, 1024) + cdiv(max(bucket - 40960, 0), 4096))


def constants(
    query: torch.Tensor,
    value: torch.Tensor,
    group: int,
    has_tree: bool,  # noqa: FBT001
    window: int,
) -> dict[str, Any]:
    """What a binary is compiled for: the model and the kind of layer, never a width or a length."""
    widest = max(query.shape[-1], value.shape[-1])
    return {
        "GROUP": group,
        "WIDTH": query.shape[-1],
        "VALUE_WIDTH": value.shape[-1],
        "BLOCK_K": next_power_of_2(query.shape[-1]),
        "BLOCK_D": next_power_of_2(value.shape[-1]),
        "TILE": TILE_ROWS,
        "BLOCK": 64 if widest * query.element_size() <= 256 else 32,
        "HAS_TREE": has_tree,
        "HAS_WINDOW": window > 0,
    }


def merge_constants(shape: dict[str, Any]) -> dict[str, Any]:
    """The same for the second kernel."""
    names = ("GROUP", "VALUE_WIDTH", "BLOCK_D", "HAS_TREE", "HAS_WINDOW")
    same = {name: shape[name] for name in names}
    return same | {"MERGED": 8, "QUERIES": max(1, 1024 // shape["BLOCK_D"])}
