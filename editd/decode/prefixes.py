"""The common prefix of two token sequences, or of two texts."""

from __future__ import annotations

from collections.abc import Sequence


def num_common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many numbers both begin with, by halving: slices compare faster than numbers.

    Both are of one kind (lists, bytes), or slices of them are never equal.
    """
    least, most = 0, min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least
