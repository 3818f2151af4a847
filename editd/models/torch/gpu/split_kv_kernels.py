"""The device code of ``split_kv``: a partial softmax over one split, and the merging of splits.

Numbers that the reasons in ``split_kv`` hang on: where splits lie (``_split_start``), which
multiplications are fused (``fma``), what is not specialised. Run on a CPU, these functions are
interpreted where ``TRITON_INTERPRET=1`` was set before this module was imported.
"""

# Triton reads the signatures itself, and its arrays are written in capitals.
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call, index"
# ruff: noqa: ANN001, ANN201, ANN202, N803, N806

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _split_start(index):
    """First slot of a split: 32 splits of 256 slots, then 32 of 1024, then 4096 each.

    They grow with their place, so that a short context fills the device and 128k are 86 splits.
    """
    fine = tl.minimum(index, 32) * 256
    middle = tl.minimum(tl.maximum(index - 32, 0), 32) * 1024
    return fine + middle + tl.maximum(index - 64, 0) * 4096


@triton.jit
def _split_of(slot):
    """The split that a slot is in."""
    fine = tl.minimum(slot // 256, 32)
    middle = tl.minimum(tl.maximum((slot - 8192) // 1024, 0), 32)
    return fine + middle + tl.maximum((slot - 40960) // 4096, 0)


@triton.jit
def _bits(word):
    """Bits that are set in each int32 (Hacker's Delight, 5-1)."""
    word = word.to(tl.uint32)
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    return ((word * 0x01010101) >> 24).to(tl.int32)


@triton.jit
def _block(
    query, total, peak, summed, K, V, TREE, DEPTHS, start, length, slots_end, row, depth, num_words,
    unit, window, stride_ks, stride_vs,
    WIDTH: tl.constexpr, VALUE_WIDTH: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_D: tl.constexpr,
    BLOCK: tl.constexpr, HAS_TREE: tl.constexpr, HAS_WINDOW: tl.constexpr,
    IS_NEW: tl.constexpr,
):  # fmt: skip
    """One step of the online softmax; ``IS_NEW``: the block reaches into the new rows' slots."""
    slot = start + tl.arange(0, BLOCK)
    dim, value_dim = tl.arange(0, BLOCK_K), tl.arange(0, BLOCK_D)
    inside = slot < slots_end
    key_mask = (dim < WIDTH)[:, None]
    value_mask = (value_dim < VALUE_WIDTH)[None, :]
    if IS_NEW:
        key_mask = key_mask & inside[None, :]
        value_mask = value_mask & inside[:, None]  # zero times NaN would be NaN
    key = tl.load(K + slot[None, :] * stride_ks + dim[:, None], mask=key_mask, other=0.0)
    scores = tl.dot(query, key, input_precision="ieee")
    if IS_NEW:
        offset = slot - length
        if HAS_TREE:
            is_new = (offset >= 0) & inside
            word = tl.load(
                TREE + row[:, None] * num_words + (offset // 32)[None, :],
                mask=is_new[None, :], other=0,
            )  # fmt: skip
            related = ((word >> (offset % 32)[None, :]) & 1) != 0
            seen = (offset < 0)[None, :] | (is_new[None, :] & related)
            if HAS_WINDOW:
                slot_depth = tl.load(DEPTHS + offset, mask=is_new, other=0)
                slot_depth = tl.where(is_new, slot_depth, offset)
                seen = seen & (depth[:, None] - slot_depth[None, :] < window)
        else:
            seen = offset[None, :] <= row[:, None]
            if HAS_WINDOW:
                seen = seen & (row[:, None] - offset[None, :] < window)
        scores = tl.where(seen, scores, float("-inf"))
    elif HAS_WINDOW:
        seen = depth[:, None] - (slot - length)[None, :] < window
        scores = tl.where(seen, scores, float("-inf"))
    higher = tl.maximum(peak, tl.max(scores, 1))
    finite = tl.where(higher == float("-inf"), 0.0, higher)  # a row that sees nothing yet
    weights = tl.exp2(tl.fma(scores, unit, (-finite * unit)[:, None]))
    fade = tl.exp2((peak - finite) * unit)
    total = tl.fma(total, fade, tl.sum(weights, 1))
    value = tl.load(V + slot[:, None] * stride_vs + value_dim[None, :], mask=value_mask, other=0.0)
    summed = tl.dot(weights.to(value.dtype), value, summed * fade[:, None], input_precision="ieee")
    return total, higher, summed


@triton.jit(do_not_specialize=["rows", "num_words"])
def tree_depths(TREE, DEPTHS, rows, num_words, ROWS: tl.constexpr):
    """Steps from the root of each row: the rows it sees, less itself."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    depth = tl.full([ROWS], -1, tl.int32)
    for word in range(num_words):
        depth += _bits(tl.load(TREE + row * num_words + word, mask=row < rows, other=0))
    tl.store(DEPTHS + row, depth, mask=row < rows)


@triton.jit(
    do_not_specialize=["first_row", "rows", "num_words", "window", "splits", "tile_queries"]
)
def partial_softmax(
    Q, K, V, LENGTH, TREE, DEPTHS, SUMS, PEAKS, TOTALS,
    unit,
    first_row, rows, num_words, window, splits, tile_queries,
    stride_qh, stride_qr, stride_kh, stride_ks, stride_vh, stride_vs,
    GROUP: tl.constexpr, WIDTH: tl.constexpr, VALUE_WIDTH: tl.constexpr,
    BLOCK_K: tl.constexpr, BLOCK_D: tl.constexpr, TILE: tl.constexpr, BLOCK: tl.constexpr,
    HAS_TREE: tl.constexpr, HAS_WINDOW: tl.constexpr,
):  # fmt: skip
    """One split, one key-value head, one tile of queries; ``rows`` of them from ``first_row`` on."""
    tile = tl.program_id(0)
    split = splits - 1 - tl.program_id(1)  # the longest first
    kv_head = tl.program_id(2).to(tl.int64)
    length = tl.load(LENGTH)
    index = tile * TILE + tl.arange(0, TILE)  # row-major: row, then head of the group
    is_query = index < rows * GROUP
    row = first_row + tl.minimum(index // GROUP, rows - 1)
    last_row = first_row + tl.minimum((tile * TILE + TILE - 1) // GROUP, rows - 1)
    start = _split_start(split)
    stop = tl.minimum(_split_start(split + 1), length + last_row + 1)
    if HAS_WINDOW:
        nearest = 0 if HAS_TREE else first_row + tile * TILE // GROUP
        lowest = tl.maximum(length + nearest - window + 1, 0)
        start = tl.maximum(start, lowest // BLOCK * BLOCK)
    if start >= stop:
        return
    depth = row
    if HAS_TREE and HAS_WINDOW:
        depth = tl.load(DEPTHS + row)
    head = kv_head * GROUP + index % GROUP
    dim = tl.arange(0, BLOCK_K)
    query = tl.load(
        Q + head[:, None] * stride_qh + row[:, None] * stride_qr + dim[None, :],
        mask=is_query[:, None] & (dim < WIDTH)[None, :], other=0.0,
    )  # fmt: skip
    K += kv_head * stride_kh
    V += kv_head * stride_vh
    total = tl.zeros([TILE], tl.float32)
    peak = tl.full([TILE], float("-inf"), tl.float32)
    summed = tl.zeros([TILE, BLOCK_D], tl.float32)
    past = tl.maximum(tl.minimum(length // BLOCK * BLOCK, stop), start)
    for block in range(start, past, BLOCK):
        total, peak, summed = _block(
            query, total, peak, summed, K, V, TREE, DEPTHS, block, length, stop, row, depth, num_words,
            unit, window, stride_ks, stride_vs,
            WIDTH, VALUE_WIDTH, BLOCK_K, BLOCK_D, BLOCK, HAS_TREE, HAS_WINDOW,
            False,
        )  # fmt: skip
    for block in tl.range(past, stop, BLOCK, num_stages=1):  # few blocks, many masks
        total, peak, summed = _block(
            query, total, peak, summed, K, V, TREE, DEPTHS, block, length, stop, row, depth, num_words,
            unit, window, stride_ks, stride_vs,
            WIDTH, VALUE_WIDTH, BLOCK_K, BLOCK_D, BLOCK, HAS_TREE, HAS_WINDOW,
            True,
        )  # fmt: skip
    at = (split * tl.num_programs(2) + kv_head) * tile_queries + index
    tl.store(PEAKS + at, peak, mask=is_query)
    tl.store(TOTALS + at, total, mask=is_query)
    value_dim = tl.arange(0, BLOCK_D)
    tl.store(
        SUMS + at[:, None] * VALUE_WIDTH + value_dim[None, :], summed,
        mask=is_query[:, None] & (value_dim < VALUE_WIDTH)[None, :],
    )  # fmt: skip


@triton.jit(do_not_specialize=["first_row", "rows", "window", "tile_queries"])
def merge_splits(
    SUMS, PEAKS, TOTALS, LENGTH, OUT, unit,
    first_row, rows, window, tile_queries, stride_or,
    GROUP: tl.constexpr, VALUE_WIDTH: tl.constexpr, BLOCK_D: tl.constexpr,
    HAS_TREE: tl.constexpr, HAS_WINDOW: tl.constexpr,
    MERGED: tl.constexpr, QUERIES: tl.constexpr,
):  # fmt: skip
    """A few queries of one key-value head: ``MERGED`` splits at once, in the order of their slots."""
    tile, kv_head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    length = tl.load(LENGTH)
    index = tile * QUERIES + tl.arange(0, QUERIES)
    is_query = index < rows * GROUP
    row = first_row + tl.minimum(index // GROUP, rows - 1)
    first_split = tl.zeros_like(row)
    if HAS_WINDOW:
        nearest = tl.zeros_like(row) if HAS_TREE else row
        first_split = _split_of(tl.maximum(length + nearest - window + 1, 0))
    last_split = _split_of(length + row)
    dim = tl.arange(0, BLOCK_D)
    peak = tl.full([QUERIES], float("-inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    summed = tl.zeros([QUERIES, BLOCK_D], tl.float32)
    first = tl.min(first_split, 0) // MERGED * MERGED
    for start in range(first, tl.max(last_split, 0) + 1, MERGED):
        split = start + tl.arange(0, MERGED)
        written = (split[:, None] >= first_split[None, :]) & (split[:, None] <= last_split[None, :])
        written = written & is_query[None, :]
        at = (split.to(tl.int64) * tl.num_programs(1) + kv_head)[:, None] * tile_queries
        at += index[None, :]
        peaks = tl.load(PEAKS + at, mask=written, other=float("-inf"))
        totals = tl.load(TOTALS + at, mask=written, other=0.0)
        sums = tl.load(
            SUMS + at[:, :, None] * VALUE_WIDTH + dim[None, None, :],
            mask=written[:, :, None] & (dim < VALUE_WIDTH)[None, None, :], other=0.0,
        )  # fmt: skip
        higher = tl.maximum(peak, tl.max(peaks, 0))
        finite = tl.where(higher == float("-inf"), 0.0, higher)
        share = tl.exp2((peaks - finite[None, :]) * unit)
        fade = tl.exp2((peak - finite) * unit)
        total = tl.fma(total, fade, tl.sum(totals * share, 0))
        summed = tl.fma(summed, fade[:, None], tl.sum(sums * share[:, :, None], 0))
        peak = higher
    head = kv_head * GROUP + index % GROUP
    tl.store(
        OUT + row[:, None].to(tl.int64) * stride_or + head[:, None] * VALUE_WIDTH + dim[None, :],
        (summed / tl.where(total > 0, total, 1.0)[:, None]).to(OUT.dtype.element_ty),
        mask=is_query[:, None] & (dim < VALUE_WIDTH)[None, :],
    )  # fmt: skip
