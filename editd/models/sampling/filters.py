"""The filters on the candidates for a token: penalty, limits, top-k, top-p, min-p.

Knows rows of logits. Filters and their order are those of transformers
(``generation/logits_process.py``): repetition penalty, temperature, top-k, top-p, min-p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from editd.decode.target import Sampling
from editd.models.sampling.arrays import LOWEST, NUMPY, Arrays

_FIRST_CANDIDATES = 1024  # enough for top-p nearly always; a whole vocabulary is slow to sort


def penalise(
    logits: Any,
    penalty: float,
    history_ids: Sequence[int],
    row_ids: Sequence[int],
    parents: Sequence[int] | None,
    lib: Arrays = NUMPY,
) -> None:
    """Divide positive and multiply negative logits of every token that stands before a row."""
    seen = lib.falses(logits)
    seen[:, lib.ids(sorted(set(history_ids)), logits)] = True
    for row in range(len(row_ids)):
        seen[row, row_ids[row]] = True
        parent = row - 1 if parents is None or row == 0 else parents[row - 1] + 1
        if parent >= 0:
            seen[row] |= seen[parent]
    penalised = lib.where(logits < 0, logits * penalty, logits / penalty)
    logits[...] = lib.where(seen, penalised, logits)


def restrict(logits: Any, allowed: Sequence[Sequence[int] | None], lib: Arrays = NUMPY) -> None:
    """Leave each row only the ids that it is allowed; ``None``: all."""
    for row, ids in enumerate(allowed):
        if ids is not None:
            index = lib.ids(ids, logits)
            kept = logits[row, index]
            logits[row] = LOWEST
            logits[row, index] = kept


def candidates(scores: Any, sampling: Sampling, lib: Arrays = NUMPY) -> tuple[Any, Any, Any]:
    """Scores that survive top-k, top-p and min-p, the rest of the returned columns ``-inf``.

    Returns scores and token ids, both ``[rows, n]``, and whether no other column would have
    survived; ``n`` is small, so that noise is drawn for few tokens of a large vocabulary.
    """
    count = min(scores.shape[-1], _FIRST_CANDIDATES)
    if count == scores.shape[-1] or not _filters(sampling):
        return all_candidates(scores, sampling, lib)
    if sampling.top_k:
        scores, survivors = _only_top_k(scores, sampling.top_k, lib)
        enough = survivors <= count
        if not lib.waits and bool(enough):
            count = int(survivors)
    values, token_ids = lib.largest(scores, count)
    total = lib.logsumexp(scores)
    if not sampling.top_k:
        enough = _enough(values, total, sampling, lib)
    if not lib.waits and not bool(enough):
        return all_candidates(scores, sampling, lib)
    return _cut(values, total, sampling, lib), token_ids, enough


def all_candidates(scores: Any, sampling: Sampling, lib: Arrays = NUMPY) -> tuple[Any, Any, Any]:
    """As ``candidates``, with a column for every token that may survive, however many."""
    if not _filters(sampling):
        columns = lib.ids(range(scores.shape[-1]), scores)
        return scores, columns[None] + 0 * lib.ids(range(len(scores)), scores)[:, None], True
    count = scores.shape[-1]
    if sampling.top_k:
        scores, survivors = _only_top_k(scores, sampling.top_k, lib)
        count = int(survivors)
    total = lib.logsumexp(scores)
    values, token_ids = lib.largest(scores, count)
    return _cut(values, total, sampling, lib), token_ids, True


def _filters(sampling: Sampling) -> bool:
    return bool(sampling.top_k or sampling.top_p < 1.0 or sampling.min_p > 0.0)


def _only_top_k(scores: Any, top_k: int, lib: Arrays) -> tuple[Any, Any]:
    """The largest of ``scores``; as in transformers, what ties with the k-th stays.

    And the most that any row keeps.
    """
    kth = lib.largest(scores, min(top_k, scores.shape[-1]))[0][:, -1:]
    scores = lib.where(scores < kth, LOWEST, scores)
    return scores, (scores > LOWEST).sum(-1).max()


def _cut(values: Any, total: Any, sampling: Sampling, lib: Arrays) -> Any:
    """Top-p and min-p on sorted columns. total: logarithm of the sum over all columns."""
    if sampling.top_p < 1.0:
        probs = lib.exp(values - total)
        before = lib.cumsum(probs) - probs  # probability of what is more likely
        cut = before >= sampling.top_p
        cut[:, 0] = False
        values = lib.where(cut, LOWEST, values)
    if sampling.min_p > 0.0:
        floor = values[:, :1] + math.log(sampling.min_p)
        values = lib.where(values < floor, LOWEST, values)
    return values


def _enough(values: Any, total: Any, sampling: Sampling, lib: Arrays) -> Any:
    """Whether the columns outside ``values`` would be filtered out anyway."""
    by_min_p = (lib.exp(values[:, -1:] - values[:, :1]) < sampling.min_p).all()
    if sampling.top_p >= 1.0:
        return by_min_p
    return by_min_p | (lib.exp(values - total).sum(-1) >= sampling.top_p).all()
