"""Logits to choices: the target's own token at each verified row.

Greedy and sampled, plain rows and rows that judge a draft token drawn from a known distribution.
Knows rows of numbers, no model and no cache; which tokens are left to choose from is ``filters``'
work.

Everything is chosen where the logits are; what a round needs of them comes to the host in one
copy. On a GPU nothing before it waits, so where the number of candidates would have to be known a
usual number is tried, and the copy says whether it was enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from editd.backends.torch.run.host_copies import to_device, to_host
from editd.backends.torch.run.sampling.filters import all_candidates, candidates, penalise, restrict
from editd.backends.torch.run.sampling.noise import drafting_seed, gumbel, uniform
from editd.decode.target import Drawn, Rows, Sampling

_NO_RIVAL = 1e4  # margin of a choice without alternative; infinity is no JSON
_HALVES = (torch.bfloat16, torch.float16)


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
        penalise(logits, sampling.repetition_penalty, history_ids, row_ids, parents)
    if allowed is not None:
        restrict(logits, allowed)
    if sampling.greedy:
        return rows_of(to_host(greedy_choices(logits)))
    top1_ids = logits.argmax(dim=-1)
    scores = logits.div_(sampling.temperature)
    where = _on_device(positions, logits.device)
    for choose_among in (candidates, all_candidates):
        values, token_ids, enough = choose_among(scores, sampling)
        perturbed = values.double() + gumbel(sampling.seed, where, token_ids)
        best, margins = _first_and_margin(perturbed)
        choice_ids = token_ids.gather(1, best[:, None])[:, 0]
        if draft_probs and parents is None:
            choice_ids[: len(draft_probs)] = _accept_or_recover(
                values,
                token_ids,
                row_ids,
                _stack(draft_probs, logits.shape[-1], logits.device),
                choice_ids,
                sampling.seed,
                where,
            )
        packed = to_host(_pack(choice_ids, top1_ids, margins * sampling.temperature, enough))
        if all(packed[3]):
            break
    return rows_of(packed)


def greedy_choices(logits: torch.Tensor) -> torch.Tensor:
    """``[rows, vocab_size]`` to what ``rows_of`` reads, on the device: a step may record it."""
    top1_ids, margins = _first_and_margin(logits)
    return _pack(top1_ids, top1_ids, margins)


def rows_of(packed: Sequence[Sequence[float]]) -> Rows:
    """The rows in what came to the host: choices, most likely tokens, margins."""
    choices, tops, margins = packed[:3]
    return Rows([int(i) for i in choices], [int(i) for i in tops], list(margins))


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
        penalise(logits, sampling.repetition_penalty, history_ids, (), None)
    if allowed is not None:
        restrict(logits, [allowed])
    if sampling.greedy:
        best = logits.argmax(dim=-1, keepdim=True)
        chance = (logits.gather(1, best) - logits.logsumexp(dim=-1, keepdim=True)).exp()
        token_id, certain = torch.stack([best[0, 0].to(chance.dtype), chance[0, 0]]).tolist()
        return Drawn(int(token_id), certain)
    scores = logits.div_(sampling.temperature)
    seed = drafting_seed(sampling.seed) if independent else sampling.seed
    where = torch.full((1,), position, device=logits.device)
    for choose_among in (candidates, all_candidates):
        values, token_ids, enough = choose_among(scores, sampling)
        probs = values.double().softmax(dim=-1)
        best = (probs.log() + gumbel(seed, where, token_ids)).argmax(dim=-1, keepdim=True)
        columns = [token_ids.gather(1, best).double(), probs.gather(1, best)]
        [[token_id, chance_of_it, sure]] = to_host(
            torch.cat([*columns, enough.double().view(1, 1)], dim=1)
        )
        if sure:
            break
    if not independent:
        return Drawn(int(token_id), chance_of_it)
    spread = torch.zeros(logits.shape[-1], dtype=torch.float64, device=logits.device)
    spread.scatter_(0, token_ids[0], probs[0])
    return Drawn(int(token_id), chance_of_it, spread.cpu().numpy())


def target_probs(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """The distribution that is sampled from, ``[rows, vocab_size]``: for drafters with a model.

    Without penalty and limits, which depend on what stands before.
    """
    if sampling.greedy:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits.dtype)
    scores, token_ids, _ = all_candidates(logits / sampling.temperature, sampling)
    return torch.zeros_like(logits).scatter_(1, token_ids, scores.softmax(dim=-1))


def _computable(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """The logits where and as they can be computed with."""
    if logits.device.type == "mps" and not sampling.greedy:
        logits = logits.cpu()  # no float64 there, and noise needs it
    return logits.float() if logits.dtype in _HALVES else logits


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
    drafted = to_device(row_ids[1 : rows + 1], scores.device)
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
    second = scores.amax(dim=-1, keepdim=True)
    scores.scatter_(1, index, first)
    if scores.dtype in _HALVES:  # their difference need not be one
        first, second = first.float(), second.float()
    return index[:, 0], (first - second)[:, 0]


def _on_device(positions: Sequence[int], device: torch.device) -> torch.Tensor:
    if isinstance(positions, range):  # no bytes have to be copied for it
        return torch.arange(positions.start, positions.stop, device=device)
    return to_device(positions, device)


def _pack(
    choice_ids: torch.Tensor,
    top1_ids: torch.Tensor,
    margins: torch.Tensor,
    enough: torch.Tensor | None = None,
) -> torch.Tensor:
    """One tensor to copy, as floats: token ids are exact in them up to 16 million."""
    dtype = torch.float32 if margins.device.type == "mps" else torch.float64
    rows = [choice_ids.to(dtype), top1_ids.to(dtype), margins.to(dtype).clamp(max=_NO_RIVAL)]
    if enough is not None:
        rows.append(enough.to(dtype).expand_as(rows[0]))
    return torch.stack(rows)
