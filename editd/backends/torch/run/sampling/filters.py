"""Which tokens are left to choose from: penalty, limits, top-k, top-p, min-p.

Knows rows of logits. Filters and their order are those of transformers
(``generation/logits_process.py``): repetition penalty, temperature, top-k, top-p, min-p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from editd.backends.torch.run.host_copies import to_device
from editd.decode.target import Sampling

_LOWEST = torch.finfo(torch.float32).min  # above minus infinity, below any logit
_FIRST_CANDIDATES = 1024  # enough for top-p nearly always; a whole vocabulary is slow to sort


def penalise(
    logits: torch.Tensor,
    penalty: float,
    history_ids: Sequence[int],
    row_ids: Sequence[int],
    parents: Sequence[int] | None,
) -> None:
    """Divide positive and multiply negative logits of every token that stands before a row."""
    seen = torch.zeros(logits.shape, dtype=torch.bool, device=logits.device)
    seen[:, to_device(sorted(set(history_ids)), logits.device)] = True
    for row in range(len(row_ids)):
        seen[row, row_ids[row]] = True
        parent = row - 1 if parents is None or row == 0 else parents[row - 1] + 1
        if parent >= 0:
            seen[row] |= seen[parent]
    penalised = torch.where(logits < 0, logits * penalty, logits / penalty)
    logits.copy_(torch.where(seen, penalised, logits))


def restrict(logits: torch.Tensor, allowed: Sequence[Sequence[int] | None]) -> None:
    """Leave each row only the ids that it is allowed; ``None``: all."""
    for row, ids in enumerate(allowed):
        if ids is not None:
            index = to_device(ids, logits.device)
            kept = logits[row, index]
            logits[row] = float("-inf")
            logits[row, index] = kept


def candidates(
    scores: torch.Tensor, sampling: Sampling
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores that survive top-k, top-p and min-p, the rest of the returned columns ``-inf``.

    Returns scores and token ids, both ``[rows, n]``, and whether no other column would have
    survived; ``n`` is small, so that noise is drawn for few tokens of a large vocabulary.
    """
    vocab_size = scores.shape[-1]
    count = min(vocab_size, _FIRST_CANDIDATES)
    if count == vocab_size or not _filters(sampling):
        return all_candidates(scores, sampling)
    on_cpu = scores.device.type == "cpu"  # nothing has to wait for a number there
    if sampling.top_k:
        survivors = _only_top_k(scores, sampling.top_k)
        enough = survivors <= count
        if on_cpu and bool(enough):
            count = int(survivors)
    values, token_ids = scores.topk(count)
    total = scores.logsumexp(dim=-1, keepdim=True)
    if not sampling.top_k:
        enough = _enough(values, total, sampling)
    if on_cpu and not bool(enough):
        return all_candidates(scores, sampling)
    return _cut(values, total, sampling), token_ids, enough


def all_candidates(
    scores: torch.Tensor, sampling: Sampling
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """As ``candidates``, with a column for every token that may survive, however many."""
    everything = torch.ones((), dtype=torch.bool, device=scores.device)
    if not _filters(sampling):
        columns = torch.arange(scores.shape[-1], device=scores.device)
        return scores, columns.expand_as(scores), everything
    count = scores.shape[-1]
    if sampling.top_k:
        count = int(_only_top_k(scores, sampling.top_k))
    total = scores.logsumexp(dim=-1, keepdim=True)
    if count < scores.shape[-1]:
        values, token_ids = scores.topk(count)
    else:
        values, token_ids = scores.sort(dim=-1, descending=True)
    return _cut(values, total, sampling), token_ids, everything


def _filters(sampling: Sampling) -> bool:
    return bool(sampling.top_k or sampling.top_p < 1.0 or sampling.min_p > 0.0)


def _only_top_k(scores: torch.Tensor, top_k: int) -> torch.Tensor:
    """Keep the largest of ``scores``, in place; as in transformers, what ties with the k-th stays.

    Returns the most that any row keeps.
    """
    kth = scores.topk(min(top_k, scores.shape[-1])).values[:, -1:]
    scores.masked_fill_(scores < kth, float("-inf"))
    return (scores >= kth.clamp(min=_LOWEST)).sum(dim=-1).max()


def _cut(values: torch.Tensor, total: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """Top-p and min-p on sorted columns. total: logarithm of the sum over all columns."""
    if sampling.top_p < 1.0:
        probs = (values - total).exp()
        before = probs.cumsum(dim=-1) - probs  # probability of what is more likely
        cut = before >= sampling.top_p
        cut[:, 0] = False
        values = values.masked_fill(cut, float("-inf"))
    if sampling.min_p > 0.0:
        floor = values[:, :1] + math.log(sampling.min_p)
        values = values.masked_fill(values < floor, float("-inf"))
    return values


def _enough(values: torch.Tensor, total: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """Whether the columns outside ``values`` would be filtered out anyway."""
    last = (values[:, -1:] - values[:, :1]).exp()
    by_min_p = (last < sampling.min_p).all()
    by_top_p = ((values - total).exp().sum(dim=-1) >= sampling.top_p).all()
    return by_min_p | by_top_p if sampling.top_p < 1.0 else by_min_p
