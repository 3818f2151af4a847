"""The target's own token at each verified row, and a draft model's next one, in numpy.

Greedy and sampled, plain rows and rows that judge a draft token drawn from a known distribution;
what the words mean is said in ``backends.torch.run.sampling.sampler``, which chooses alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from editd.backends.sampling.filters import Logits, candidates, logsumexp, penalise, restrict
from editd.backends.sampling.noise import Ids, Numbers, drafting_seed, gumbel, uniform
from editd.decode.target import Drawn, Rows, Sampling

_NO_RIVAL = 1e4  # margin of a choice without alternative; infinity is no JSON


def choose(
    logits: Logits,  # [rows, vocab_size], overwritten
    sampling: Sampling,
    positions: Sequence[int],
    history_ids: Sequence[int] = (),
    row_ids: Sequence[int] = (),
    draft_probs: Sequence[npt.NDArray[np.float64]] | None = None,
    allowed: Sequence[Sequence[int] | None] | None = None,
    parents: Sequence[int] | None = None,
) -> Rows:
    """What the target takes after each row.

    positions: absolute position that each row's choice will have; keys its noise. history_ids: all
    tokens before row 0. row_ids: the rows' own tokens, ``[rows]``. draft_probs: for a chain, the
    distribution that each draft token was drawn from. allowed: per row the only ids that may be
    chosen. parents: as in ``Draft.parents``.
    """
    if sampling.repetition_penalty != 1.0:
        penalise(logits, sampling.repetition_penalty, history_ids, row_ids, parents)
    if allowed is not None:
        restrict(logits, allowed)
    top1_ids, margins = _first_and_margin(logits)
    if sampling.greedy:
        return _rows(top1_ids, top1_ids, margins)
    where = np.asarray(positions, dtype=np.int64)
    scores = logits / np.float32(sampling.temperature)
    values, token_ids = candidates(scores, sampling)
    best, margins = _first_and_margin(
        values.astype(np.float64) + gumbel(sampling.seed, where, token_ids)
    )
    choice_ids = np.take_along_axis(token_ids, best[:, None], -1)[:, 0]
    if draft_probs and parents is None:
        count = len(draft_probs)
        drafted = np.asarray(row_ids[1 : count + 1], dtype=np.int64)
        choice_ids[:count] = _accept_or_recover(
            _softmax(values[:count]),
            token_ids[:count],
            drafted,
            _stack(draft_probs, logits.shape[-1]),
            choice_ids[:count],
            sampling.seed,
            where[:count],
        )
    return _rows(choice_ids, top1_ids, margins * sampling.temperature)


def draw(
    logits: Logits,  # [1, vocab_size], overwritten
    sampling: Sampling,
    position: int,
    history_ids: Sequence[int] = (),
    *,
    allowed: Sequence[int] | None = None,
    independent: bool = False,
) -> Drawn:
    """One token of a draft model, chosen as the target chooses: same filters, same penalty.

    independent: for the rejection rule, with noise of its own and the distribution that it was
    drawn from; else with the target's noise at ``position``, so that models that agree choose alike.
    """
    if sampling.repetition_penalty != 1.0:
        penalise(logits, sampling.repetition_penalty, history_ids, (), None)
    if allowed is not None:
        restrict(logits, [allowed])
    if sampling.greedy:
        token_id = int(logits[0].argmax())
        return Drawn(token_id, float(np.exp(logits[0, token_id] - logsumexp(logits)[0, 0])))
    seed = drafting_seed(sampling.seed) if independent else sampling.seed
    values, token_ids = candidates(logits / np.float32(sampling.temperature), sampling)
    probs = _softmax(values)
    noise = gumbel(seed, np.asarray([position], dtype=np.int64), token_ids)
    with np.errstate(divide="ignore"):
        best = int((np.log(probs) + noise)[0].argmax())
    token_id, chance = int(token_ids[0, best]), float(probs[0, best])
    if not independent:
        return Drawn(token_id, chance)
    spread = np.zeros(logits.shape[-1], dtype=np.float64)
    spread[token_ids[0]] = probs[0]
    return Drawn(token_id, chance, spread)


def _accept_or_recover(
    target: Numbers,  # [num_draft_tokens, n], over ``columns``
    columns: Ids,
    drafted: Ids,
    draft: Numbers,  # [num_draft_tokens, vocab_size]
    own_ids: Ids,
    seed: int,
    positions: Ids,
) -> Ids:
    """Per draft token: itself if accepted, else the recovered token. ``[num_draft_tokens]``."""
    p_drafted = np.where(columns == drafted[:, None], target, 0.0).sum(axis=-1)
    q_drafted = np.take_along_axis(draft, drafted[:, None], -1)[:, 0]
    accepted = uniform(seed, positions) * q_drafted < p_drafted
    residual = np.clip(target - np.take_along_axis(draft, columns, -1), 0.0, None)
    with np.errstate(divide="ignore"):
        best = (np.log(residual) + gumbel(seed, positions, columns)).argmax(axis=-1)
    recovered = np.take_along_axis(columns, best[:, None], -1)[:, 0]
    # Where both distributions agree but for rounding nothing is left over: the own draw serves.
    recovered = np.where(residual.sum(axis=-1) > 0.0, recovered, own_ids)
    return np.where(accepted, drafted, recovered)


def _stack(draft_probs: Sequence[npt.NDArray[np.float64]], width: int) -> Numbers:
    """The drafter's distributions, cut or padded to ``width``."""
    stacked = np.zeros((len(draft_probs), width))
    for row, probs in enumerate(draft_probs):
        stacked[row, : min(width, len(probs))] = probs[:width]
    return stacked


def _softmax(values: Logits) -> Numbers:
    raised = np.exp(values.astype(np.float64) - values.max(axis=-1, keepdims=True))
    probs: Numbers = raised / raised.sum(axis=-1, keepdims=True)
    return probs


def _first_and_margin(scores: npt.NDArray[np.floating]) -> tuple[Ids, Numbers]:
    """Index of the largest (the first of equals) and its distance to the second, per row."""
    rows = np.arange(len(scores))
    index = scores.argmax(axis=-1)
    first = scores[rows, index]
    scores[rows, index] = -np.inf
    second = scores.max(axis=-1)
    scores[rows, index] = first
    return index, (first - second).astype(np.float64)


def _rows(choice_ids: Ids, top1_ids: Ids, margins: Numbers) -> Rows:
    return Rows(choice_ids.tolist(), top1_ids.tolist(), np.minimum(margins, _NO_RIVAL).tolist())
