"""Cases of attention over a static cache, and the definition that they are held against."""

import torch

from editd.models.torch import gpu as kernels
from editd.models.torch.masks import unpack

BRANCHES = [-1, 0, 1, 2, 0, 4, -1, 6, 7, 8, 9, 10]

# rows, heads, kv heads, width, length, bucket, window, parents
TABLE = [
    (1, 4, 2, 64, 0, 256, 0, None),
    (1, 7, 1, 64, 300, 512, 0, None),
    (5, 4, 2, 80, 70, 256, 0, None),
    (20, 3, 1, 96, 250, 512, 0, None),  # across a border of splits
    (6, 2, 2, 128, 40, 256, 0, None),
    (9, 2, 1, 256, 33, 256, 0, None),
    (20, 2, 1, 64, 600, 1024, 100, None),
    (5, 2, 1, 64, 700, 1024, 3, None),  # a window narrower than the pass
    (20, 6, 2, 64, 70, 256, 0, BRANCHES),
    (13, 2, 1, 64, 520, 1024, 5, BRANCHES),
    (40, 2, 1, 64, 60, 256, 0, BRANCHES),  # two words of bits
    (140, 1, 1, 64, 5, 256, 0, None),  # more rows than go at once
]


def case(
    rows, heads, kv_heads, width, length, bucket, parents=None, *, dtype=torch.float32, seed=0
):
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(1, heads, rows, width, generator=generator).to(dtype)
    key, value = torch.randn(2, 1, kv_heads, bucket, width, generator=generator).to(dtype)
    for buffer in (key, value):
        buffer[:, :, length + rows :] = float("nan")
    tree = None if parents is None else kernels.tree_words(parents, rows)
    return query, key, value, torch.tensor([length], dtype=torch.int32), tree


def exact(query, key, value, length, tree, window=0):
    """Row by row in float64, straight from the definition."""
    _, heads, rows, width = query.shape
    past, group = int(length), heads // key.shape[1]
    seen = torch.ones(rows, rows).tril().bool() if tree is None else unpack(tree, rows)
    depth = seen.sum(dim=1) - 1
    output = torch.zeros(1, rows, heads, width, dtype=torch.float64)
    for row in range(rows):
        slots = [s for s in range(past) if not window or past + depth[row] - s < window]
        slots += [
            past + other
            for other in range(rows)
            if seen[row, other] and not (window and depth[row] - depth[other] >= window)
        ]
        for head in range(heads):
            keys, values = key[0, head // group, slots].double(), value[0, head // group, slots]
            scores = keys @ query[0, head, row].double() * width**-0.5
            output[0, row, head] = scores.softmax(0) @ values.double()
    return output


def check(attend, line, dtype, most):
    rows, heads, kv_heads, width, length, bucket, window, parents = line
    inputs = case(rows, heads, kv_heads, width, length, bucket, parents, dtype=dtype)
    got = attend(*inputs, None, window)
    assert got.dtype == dtype
    error = (got.double() - exact(*inputs, window)).abs().max()
    assert error < most, line
