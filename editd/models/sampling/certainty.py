"""How sure the target was of the one token of a round that it wrote itself.

Of that row alone: a sum over a whole vocabulary for every verified row would cost as much as a
part of the pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from editd.decode.drafters.base import Draft
from editd.decode.speculative import accepted_path
from editd.decode.target import Certainty, Rows
from editd.models.sampling.arrays import NUMPY, Arrays


def with_certainty(
    rows: Rows,
    logits: Any,  # [rows, vocab_size], as they are or divided by ``temperature``; they stay so
    row_ids: Sequence[int],
    parents: Sequence[int] | None = None,
    *,
    allowed: Sequence[Sequence[int] | None] | None = None,
    temperature: float = 1.0,
    lib: Arrays = NUMPY,
) -> Rows:
    """``rows`` with the certainty of the token that follows the accepted part of the draft.

    row_ids, parents, allowed: as in ``choices.choose``.
    """
    path = accepted_path(Draft(row_ids[1:], parents), rows.choice_ids)
    row = path[-1] + 1 if path else 0
    if allowed is not None and allowed[row] is not None:
        return rows
    scores, token_id = logits[row], rows.choice_ids[row]
    if temperature != 1.0:
        scores = scores * temperature
    log_prob, first, second = lib.certainty(scores, token_id)
    rival_id = second if first == token_id else first
    return replace(rows, certainty=Certainty(log_prob, int(rival_id)))
