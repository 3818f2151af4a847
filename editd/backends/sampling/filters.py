"""Which tokens are left to choose from, in numpy: penalty, limits, top-k, top-p, min-p.

Filters and their order are those of transformers (``generation/logits_process.py``): repetition
penalty, temperature, top-k, top-p, min-p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from editd.backends.sampling.noise import Ids
from editd.decode.target import Sampling

Logits = npt.NDArray[np.float32]

_FIRST_CANDIDATES = 1024  # enough for top-p nearly always; a whole vocabulary is slow to sort


def penalise(
    logits: Logits,
    penalty: float,
    history_ids: Sequence[int],
    row_ids: Sequence[int],
    parents: Sequence[int] | None,
) -> None:
    """Divide positive and multiply negative logits of every token that stands before a row."""
    seen = np.zeros(logits.shape, dtype=bool)
    seen[:, sorted(set(history_ids))] = True
    for row in range(len(row_ids)):
        seen[row, row_ids[row]] = True
        parent = row - 1 if parents is None or row == 0 else parents[row - 1] + 1
        if parent >= 0:
            seen[row] |= seen[parent]
    penalised = np.where(logits < 0, logits * penalty, logits / penalty)
    np.copyto(logits, penalised, where=seen)


def restrict(logits: Logits, allowed: Sequence[Sequence[int] | None]) -> None:
    """Leave each row only the ids that it is allowed; ``None``: all."""
    for row, ids in enumerate(allowed):
        if ids is not None:
            kept = logits[row, list(ids)]
            logits[row] = -np.inf
            logits[row, list(ids)] = kept


def candidates(scores: Logits, sampling: Sampling) -> tuple[Logits, Ids]:
    """Scores that survive top-k, top-p and min-p, and their token ids, both ``[rows, n]``.

    ``-inf`` where fewer survive in one row than in another. ``n`` is small where anything is
    filtered, so that noise is drawn for few tokens of a large vocabulary.
    """
    size = scores.shape[-1]
    if not (sampling.top_k or sampling.top_p < 1.0 or sampling.min_p > 0.0):
        return scores, np.broadcast_to(np.arange(size), scores.shape)
    count = min(size, _FIRST_CANDIDATES)
    if sampling.top_k:
        count = _only_top_k(scores, sampling.top_k)
    total = logsumexp(scores)
    values, token_ids = _largest(scores, count)
    if not sampling.top_k and count < size and not _enough(values, total, sampling):
        values, token_ids = _largest(scores, size)
    return _cut(values, total, sampling), token_ids


def logsumexp(scores: Logits) -> Logits:
    """``[rows, 1]``; summed in float64."""
    most = scores.max(axis=-1, keepdims=True)
    rest = np.exp((scores - most).astype(np.float64)).sum(axis=-1, keepdims=True)
    total: Logits = (most + np.log(rest)).astype(np.float32)
    return total


def _only_top_k(scores: Logits, top_k: int) -> int:
    """Keep the largest of ``scores``, in place; as in transformers, what ties with the k-th stays.

    Returns the most that any row keeps.
    """
    size = scores.shape[-1]
    place = size - min(top_k, size)
    kth = np.partition(scores, place, axis=-1)[:, place : place + 1]
    scores[scores < kth] = -np.inf
    return int((np.isfinite(scores)).sum(axis=-1).max())


def _largest(scores: Logits, count: int) -> tuple[Logits, Ids]:
    """The ``count`` largest of each row, descending."""
    if count < scores.shape[-1]:
        some = np.argpartition(scores, -count, axis=-1)[:, -count:]
        order = np.argsort(-np.take_along_axis(scores, some, -1), axis=-1, kind="stable")
        token_ids = np.take_along_axis(some, order, -1)
    else:
        token_ids = np.argsort(-scores, axis=-1, kind="stable")
    return np.take_along_axis(scores, token_ids, -1), token_ids


def _cut(values: Logits, total: Logits, sampling: Sampling) -> Logits:
    """Top-p and min-p on sorted columns. total: logarithm of the sum over all columns."""
    if sampling.top_p < 1.0:
        probs = np.exp(values - total)
        before = np.cumsum(probs, axis=-1, dtype=np.float64).astype(np.float32) - probs
        cut = before >= sampling.top_p
        cut[:, 0] = False
        values = np.where(cut, np.float32(-np.inf), values)
    if sampling.min_p > 0.0:
        floor = values[:, :1] + np.float32(math.log(sampling.min_p))
        values = np.where(values < floor, np.float32(-np.inf), values)
    return values


def _enough(values: Logits, total: Logits, sampling: Sampling) -> bool:
    """Whether the columns outside ``values`` would be filtered out anyway."""
    by_min_p = bool((np.exp(values[:, -1] - values[:, 0]) < sampling.min_p).all())
    if sampling.top_p >= 1.0:
        return by_min_p
    return by_min_p or bool((np.exp(values - total).sum(axis=-1) >= sampling.top_p).all())
