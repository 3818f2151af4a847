"""The shape of a draft with branches, as plain numbers, for every backend.

Row 0 is the last output token and the root; ``parents`` are as in ``drafters.base.Draft``.
"""

from __future__ import annotations

from collections.abc import Sequence


def is_chain(parents: Sequence[int]) -> bool:
    """Whether each token simply follows the one before."""
    return all(parent == index - 1 for index, parent in enumerate(parents))


def depths(parents: Sequence[int]) -> list[int]:
    """Steps from the root, one a row; row 0 has depth 0."""
    result = [0]
    for parent in parents:
        result.append(result[parent + 1] + 1)
    return result
