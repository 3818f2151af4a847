"""Proves on the loaded model that a row has the same bits in a pass of any width, read or verified."""

from __future__ import annotations

import numpy as np

from editd.models.dummy_ids import dummy_ids
from editd.models.openvino.paged import BlockTable, PagedNetwork

WIDEST = 128
"""Rows of the widest pass, over a prompt and of a draft; longer chains take several."""
_BEHIND = 40  # tokens before the rows that are compared
_READ, _VERIFIED = (WIDEST - _BEHIND, 7, 1), (1, 2, 3, 5, 8, 9, 17, 33, 50)


def is_same_at_all(network: PagedNetwork, vocab_size: int) -> bool:
    """Whether rows that are read and verified in pieces are those of two passes of ``WIDEST`` rows."""
    ids = dummy_ids(2 * WIDEST, vocab_size)
    whole, pieces = BlockTable(network), BlockTable(network)
    try:
        whole.read(ids[:WIDEST])
        expected = whole.chain(ids[WIDEST:]).copy()
        for width in (_BEHIND - 8, *_READ):
            pieces.read(ids[pieces.length : pieces.length + width])
        for width in _VERIFIED:
            at = pieces.length
            rows = pieces.chain(ids[at : at + width])
            if not np.array_equal(rows, expected[at - WIDEST :][:width]):
                return False
        return True
    finally:
        whole.close()
        pieces.close()
