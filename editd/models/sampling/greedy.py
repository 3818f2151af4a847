"""Greedy choices out of a library's own buffer of logits, which is not copied."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from editd.decode.target import Rows
from editd.models.sampling.certainty import with_certainty

_NO_RIVAL = 1e4  # margin of a choice without alternative; infinity is no JSON


def greedy_rows(
    logits: NDArray[np.float32], row_ids: Sequence[int], parents: Sequence[int] | None = None
) -> Rows:
    """The largest logit of each row and its distance to the second; ``logits`` stay as they are.

    row_ids, parents: as in ``choices.choose``.
    """
    rows = np.arange(len(logits))
    top = logits.argmax(axis=1)
    first = logits[rows, top]
    logits[rows, top] = -np.inf
    second = logits.max(axis=1)
    logits[rows, top] = first
    margins = np.minimum(first - second, _NO_RIVAL).astype(np.float64)
    ids = top.tolist()
    return with_certainty(Rows(ids, list(ids), margins.tolist()), logits, row_ids, parents)
