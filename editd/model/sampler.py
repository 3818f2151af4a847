"""Logits to choices: the target's own token at each verified row.

Greedy and sampled, plain rows and rows that judge a draft token drawn from a known distribution.
Knows rows of numbers, no model and no cache. Filters and their order are those of transformers
(``generation/logits_process.py``): repetition penalty, temperature, top-k, top-p, min-p.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from editd.decode.target import Drawn, Rows, Sampling
from editd.model.noise import drafting_seed, gumbel, uniform

_LOWEST = torch.finfo(torch.float32).min  # above minus infinity, below any logit
_NO_RIVAL = 1e4  # margin of a choice without alternative; infinity is no JSON
_FIRST_CANDIDATES = 1024  # enough for top-p nearly always; a whole vocabulary is slow to sort


@torch.inference_mode()
def choose(
    logits: torch.Tensor,  # [rows, vocab_size], overwritten
    sampling: Sampling,
    positions: Sequence[int],
    history_ids: Sequence[int] = (),
    row_ids: Sequence[int] = (),
    draft_probs: Sequence[Any] | None = None,
    allowed: Sequence[Sequence[int] | None] | None = None,
    parents: Sequence[int] | None = None,
) -> Rows:
    """What the target takes after each row.

    positions: absolute position that each row's choice will have; keys its noise.
    history_ids: all tokens before row 0, for the repetition penalty; row_ids: the rows' own
        tokens, ``[rows]``: the last output token, then the draft.
    draft_probs: for a chain, the distribution that each draft token was drawn from,
        ``[rows - 1]`` of ``[vocab_size]``. A draft token is accepted with min(1, p / q), else
        replaced from norm(max(0, p - q)) (Leviathan et al., arXiv 2211.17192). A tree's rows, and
        a draft of point masses, are judged by equality with the target's own draw, which keeps
        the distribution as well.
    allowed: per row the only ids that may be chosen.
    parents: as in ``Draft.parents``; says which draft tokens stand before a row.

    ``margins`` say how much a log-probability would have to move to change the choice: greedy,
    first minus second; sampled, the same after the noise, times the temperature.
    """
    logits = _computable(logits, sampling)
    if sampling.repetition_penalty != 1.0:
        _penalise(logits, sampling.repetition_penalty, history_ids, row_ids, parents)
    if allowed is not None:
        _restrict(logits, allowed)
    if sampling.greedy:
        top1_ids, margins = _first_and_margin(logits)
        return _to_host(top1_ids, top1_ids, margins)
    top1_ids = logits.argmax(dim=-1)
    scores, token_ids = _candidates(logits.div_(sampling.temperature), sampling)
    where = torch.tensor(positions, device=logits.device)
    perturbed = scores.double() + gumbel(sampling.seed, where, token_ids)
    best, margins = _first_and_margin(perturbed)
    choice_ids = token_ids.gather(1, best[:, None])[:, 0]
    if draft_probs and parents is None:
        choice_ids[: len(draft_probs)] = _accept_or_recover(
            scores,
            token_ids,
            row_ids,
            _stack(draft_probs, logits.shape[-1], logits.device),
            choice_ids,
            sampling.seed,
            where,
        )
    return _to_host(choice_ids, top1_ids, margins * sampling.temperature)


@torch.inference_mode()
def draw(
    logits: torch.Tensor,  # [1, vocab_size], overwritten
    sampling: Sampling,
    position: int,
    history_ids: Sequence[int] = (),
    *,
    allowed: Sequence[int] | None = None,
    independent: bool = False,
) -> Drawn:
    """One token of a draft model, chosen as the target chooses: same filters, same penalty.

    history_ids: all tokens before it. allowed: the only ids that may be drawn. independent: for
    the rejection rule, with noise of its own and the distribution that it was drawn from; else
    with the target's noise at ``position``, so that models that agree choose alike.
    """
    logits = _computable(logits, sampling)
    if sampling.repetition_penalty != 1.0:
        _penalise(logits, sampling.repetition_penalty, history_ids, (), None)
    if allowed is not None:
        _restrict(logits, [allowed])
    if sampling.greedy:
        best = logits.argmax(dim=-1, keepdim=True)
        chance = (logits.gather(1, best) - logits.logsumexp(dim=-1, keepdim=True)).exp()
        token_id, certain = torch.stack([best[0, 0].to(chance.dtype), chance[0, 0]]).tolist()
        return Drawn(int(token_id), certain)
    scores, token_ids = _candidates(logits.div_(sampling.temperature), sampling)
    probs = scores.double().softmax(dim=-1)
    seed = drafting_seed(sampling.seed) if independent else sampling.seed
    where = torch.tensor([position], device=logits.device)
    best = (probs.log() + gumbel(seed, where, token_ids)).argmax(dim=-1, keepdim=True)
    chosen = torch.cat([token_ids.gather(1, best).double(), probs.gather(1, best)], dim=1)
    token_id, chance_of_it = chosen[0].tolist()
    if not independent:
        return Drawn(int(token_id), chance_of_it)
    spread = torch.zeros(logits.shape[-1], dtype=torch.float64, device=logits.device)
    return Drawn(int(token_id), chance_of_it, spread.scatter_(0, token_ids[0], probs[0]))


def target_probs(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """The distribution that is sampled from, ``[rows, vocab_size]``: for drafters with a model.

    Without penalty and limits, which depend on what stands before.
    """
    if sampling.greedy:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits.dtype)
    scores, token_ids = _candidates(logits / sampling.temperature, sampling)
    return torch.zeros_like(logits).scatter_(1, token_ids, scores.softmax(dim=-1))


def _computable(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """The logits where and as they can be computed with."""
    if logits.device.type == "mps" and not sampling.greedy:
        logits = logits.cpu()  # no float64 there, and noise needs it
    return logits.float() if logits.dtype in (torch.bfloat16, torch.float16) else logits


# --- what may be chosen --------------------------------------------------------------------------


def _penalise(
    logits: torch.Tensor,
    penalty: float,
    history_ids: Sequence[int],
    row_ids: Sequence[int],
    parents: Sequence[int] | None,
) -> None:
    """Divide positive and multiply negative logits of every token that stands before a row."""
    seen = torch.zeros(logits.shape, dtype=torch.bool, device=logits.device)
    seen[:, torch.tensor(sorted(set(history_ids)), dtype=torch.int64)] = True
    for row in range(len(row_ids)):
        seen[row, row_ids[row]] = True
        parent = row - 1 if parents is None or row == 0 else parents[row - 1] + 1
        if parent >= 0:
            seen[row] |= seen[parent]
    penalised = torch.where(logits < 0, logits * penalty, logits / penalty)
    logits.copy_(torch.where(seen, penalised, logits))


def _restrict(logits: torch.Tensor, allowed: Sequence[Sequence[int] | None]) -> None:
    for row, ids in enumerate(allowed):
        if ids is not None:
            index = torch.tensor(ids, device=logits.device)
            kept = logits[row, index]
            logits[row] = float("-inf")
            logits[row, index] = kept


def _candidates(scores: torch.Tensor, sampling: Sampling) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores that survive top-k, top-p and min-p, the rest of the returned columns ``-inf``.

    Returns scores and token ids, both ``[rows, n]``; ``n`` is as small as the filters allow, so
    that noise is drawn for few tokens of a large vocabulary.
    """
    vocab_size = scores.shape[-1]
    if not (sampling.top_k or sampling.top_p < 1.0 or sampling.min_p > 0.0):
        return scores, torch.arange(vocab_size, device=scores.device).expand_as(scores)
    count = min(vocab_size, _FIRST_CANDIDATES)
    if sampling.top_k:
        # As in transformers, what ties with the k-th stays in.
        kth = scores.topk(min(sampling.top_k, vocab_size)).values[:, -1:]
        scores.masked_fill_(scores < kth, float("-inf"))
        count = int((scores >= kth.clamp(min=_LOWEST)).sum(dim=-1).max())
    values, token_ids = scores.topk(count)
    total = scores.logsumexp(dim=-1, keepdim=True)
    if count < vocab_size and not _enough(values, total, sampling):
        values, token_ids = scores.sort(dim=-1, descending=True)
    if sampling.top_p < 1.0:
        probs = (values - total).exp()
        before = probs.cumsum(dim=-1) - probs  # probability of what is more likely
        cut = before >= sampling.top_p
        cut[:, 0] = False
        values = values.masked_fill(cut, float("-inf"))
    if sampling.min_p > 0.0:
        floor = values[:, :1] + torch.tensor(sampling.min_p).log().item()
        values = values.masked_fill(values < floor, float("-inf"))
    return values, token_ids


def _enough(values: torch.Tensor, total: torch.Tensor, sampling: Sampling) -> bool:
    """Whether the columns outside ``values`` would be filtered out anyway."""
    if sampling.top_k:
        return True
    last = (values[:, -1:] - values[:, :1]).exp()
    by_min_p = (last < sampling.min_p).all()
    by_top_p = ((values - total).exp().sum(dim=-1) >= sampling.top_p).all()
    return bool(by_min_p | by_top_p) if sampling.top_p < 1.0 else bool(by_min_p)


# --- choosing ------------------------------------------------------------------------------------


def _accept_or_recover(
    scores: torch.Tensor,
    token_ids: torch.Tensor,
    row_ids: Sequence[int],
    draft: torch.Tensor,  # [num_draft_tokens, vocab_size]
    own_ids: torch.Tensor,
    seed: int,
    positions: torch.Tensor,
) -> torch.Tensor:
    """Per draft token: itself if accepted, else the recovered token. ``[num_draft_tokens]``."""
    rows = draft.shape[0]
    target = scores[:rows].double().softmax(dim=-1)
    columns = token_ids[:rows]
    drafted = torch.tensor(row_ids[1 : rows + 1], device=scores.device)
    p_drafted = torch.where(columns == drafted[:, None], target, 0.0).sum(dim=-1)
    q_drafted = draft.gather(1, drafted[:, None])[:, 0]
    accepted = uniform(seed, positions[:rows]) * q_drafted < p_drafted
    residual = (target - draft.gather(1, columns)).clamp_(min=0.0)
    noise = gumbel(seed, positions[:rows], columns)
    recovered = columns.gather(1, (residual.log() + noise).argmax(dim=-1, keepdim=True))[:, 0]
    # Where both distributions agree but for rounding nothing is left over: the own draw serves.
    recovered = torch.where(residual.sum(dim=-1) > 0.0, recovered, own_ids[:rows])
    return torch.where(accepted, drafted, recovered)


def _stack(draft_probs: Sequence[Any], width: int, device: torch.device) -> torch.Tensor:
    """The drafter's distributions as float64 on the target's device, cut or padded to ``width``."""
    rows = [torch.as_tensor(probs, device=device).double()[:width] for probs in draft_probs]
    return torch.stack([torch.nn.functional.pad(row, (0, width - len(row))) for row in rows])


def _first_and_margin(scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Index of the largest (the first of equals) and its distance to the second, per row."""
    index = scores.argmax(dim=-1, keepdim=True)
    first = scores.gather(1, index)
    scores.scatter_(1, index, float("-inf"))
    margin = first - scores.amax(dim=-1, keepdim=True)
    scores.scatter_(1, index, first)
    return index[:, 0], margin[:, 0]


def _to_host(choice_ids: torch.Tensor, top1_ids: torch.Tensor, margins: torch.Tensor) -> Rows:
    """One copy to the host, as floats: token ids are exact in them up to 16 million."""
    dtype = torch.float32 if margins.device.type == "mps" else torch.float64
    gaps = margins.to(dtype).clamp(max=_NO_RIVAL)
    together = torch.stack([choice_ids.to(dtype), top1_ids.to(dtype), gaps])
    choices, tops, distances = together.tolist()
    return Rows([int(i) for i in choices], [int(i) for i in tops], distances)
