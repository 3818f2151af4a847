"""The order of all places of a token text by what stands before them.

Prefix doubling (Manber and Myers, 1990), cut off at ``DEPTH`` tokens, which is as far back as a
match is looked for: places ordered by one token are ordered by two, then by four, and so on.
Five sorts in numpy; 8.4 million tokens take six seconds of one core and 37 bytes a token meanwhile.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

DEPTH = 32

Tokens = npt.NDArray[np.uint32]


def sorted_suffixes(text: Tokens) -> Tokens:
    """All indexes of ``text``, ordered by the ``DEPTH`` tokens that begin there.

    The end of the text counts as a token 0. Equal ones are in no particular order.
    """
    rank = text
    width = 1
    order = np.arange(len(text), dtype=np.uint32)
    while width < DEPTH and len(text) > 1:
        key = rank.astype(np.uint64)
        key <<= np.uint64(32)
        key[:-width] |= rank[width:]
        by_key = np.argsort(key)
        key = key[by_key]
        first_of_its_kind = np.empty(len(key), bool)
        first_of_its_kind[0] = False
        np.not_equal(key[1:], key[:-1], out=first_of_its_kind[1:])
        del key
        order = by_key.astype(np.uint32)
        rank = np.empty(len(text), np.uint32)
        rank[by_key] = np.cumsum(first_of_its_kind, dtype=np.uint32)
        width *= 2
    return order
