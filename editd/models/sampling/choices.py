"""Logits to choices: the target's own token at each verified row, and a draft model's next token.

Handles greedy and sampled decoding, plain rows and rows that judge a draft token drawn from a known
distribution. Knows rows of numbers, no model and no cache; ``filters`` limits the candidates.

Choices are made where the logits are, and the results of a round come to the host in one copy. A device
is not synchronised before that. Where the number of candidates would be needed, a usual number is
tried, and the copy tells whether it was enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from editd.decode.target import Drawn, Rows, Sampling
from editd.models.sampling.arrays import NO_RIVAL, NUMPY, Arrays
from editd.models.sampling.certainty import with_certainty
from editd.models.sampling.filters import all_candidates, candidates, penalise, restrict
from editd.models.sampling.noise import drafting_seed, gumbel, uniform


def choose(
    logits: Any,  # [rows, vocab_size], overwritten
    sampling: Sampling,
    positions: Sequence[int],
    history_ids: Sequence[int] = (),
    row_ids: Sequence[int] = (),
    draft_probs: Sequence[Any] | None = None,
    allowed: Sequence[Sequence[int] | None] | None = None,
    parents: Sequence[int] | None = None,
    lib: Arrays = NUMPY,
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
    lib: of what library ``logits`` are.

    ``margins`` say how much a log-probability would have to move to change the choice: greedy,
    first minus second; sampled, the same after the noise, times the temperature.
    """
    if sampling.repetition_penalty != 1.0:
        penalise(logits, sampling.repetition_penalty, history_ids, row_ids, parents, lib)
    if allowed is not None:
        restrict(logits, allowed, lib)
    top1_ids, margins = lib.first_and_margin(logits)
    if sampling.greedy:
        rows = rows_of(lib.told(top1_ids, top1_ids, margins.clip(None, NO_RIVAL)))
        return with_certainty(rows, logits, row_ids, parents, allowed=allowed, lib=lib)
    logits /= sampling.temperature
    where = lib.ids(positions, logits)
    for choose_among in (candidates, all_candidates):
        values, token_ids, enough = choose_among(logits, sampling, lib)
        perturbed = lib.double(values) + gumbel(sampling.seed, where, token_ids, lib)
        best, margins = lib.first_and_margin(perturbed)
        choice_ids = lib.gather(token_ids, best[:, None])[:, 0]
        if draft_probs and parents is None:
            count = len(draft_probs)
            choice_ids[:count] = _accept_or_recover(
                lib.softmax(values[:count]),
                token_ids[:count],
                lib.ids(row_ids[1 : count + 1], logits),
                lib.floats(draft_probs, logits.shape[-1], logits),
                choice_ids[:count],
                sampling.seed,
                where[:count],
                lib,
            )
        margins = (margins * sampling.temperature).clip(None, NO_RIVAL)
        told = lib.told(choice_ids, top1_ids, margins, enough)
        if told[3][0]:
            break
    return with_certainty(
        rows_of(told),
        logits,
        row_ids,
        parents,
        allowed=allowed,
        temperature=sampling.temperature,
        lib=lib,
    )


def rows_of(told: Sequence[Sequence[float]]) -> Rows:
    """The rows in what came to the host: choices, most likely tokens, margins."""
    choices, tops, margins = told[:3]
    return Rows([int(i) for i in choices], [int(i) for i in tops], list(margins))


def draw(
    logits: Any,  # [1, vocab_size], overwritten
    sampling: Sampling,
    position: int,
    history_ids: Sequence[int] = (),
    *,
    allowed: Sequence[int] | None = None,
    independent: bool = False,
    lib: Arrays = NUMPY,
) -> Drawn:
    """One token of a draft model, chosen as the target chooses: same filters, same penalty.

    history_ids: all tokens before it. allowed: the only ids that may be drawn. independent: for
    the rejection rule, with noise of its own and the distribution that it was drawn from; else
    with the target's noise at ``position``, so that models that agree choose alike.
    """
    if sampling.repetition_penalty != 1.0:
        penalise(logits, sampling.repetition_penalty, history_ids, (), None, lib)
    if allowed is not None:
        restrict(logits, [allowed], lib)
    if sampling.greedy:
        best = logits.argmax(-1)
        chance = lib.exp(lib.gather(logits, best[:, None]) - lib.logsumexp(logits))
        (token_id,), (likely,) = lib.told(best, chance[:, 0])
        return Drawn(int(token_id), likely)
    logits /= sampling.temperature
    seed = drafting_seed(sampling.seed) if independent else sampling.seed
    where = lib.ids(range(position, position + 1), logits)
    for choose_among in (candidates, all_candidates):
        values, token_ids, enough = choose_among(logits, sampling, lib)
        probs = lib.softmax(values)
        best = (lib.log(probs) + gumbel(seed, where, token_ids, lib)).argmax(-1)[:, None]
        drawn = (lib.gather(token_ids, best)[:, 0], lib.gather(probs, best)[:, 0])
        (token_id,), (likely,), (sure,) = lib.told(*drawn, enough)
        if sure:
            break
    if not independent:
        return Drawn(int(token_id), likely)
    spread = np.zeros(logits.shape[-1], dtype=np.float64)
    spread[lib.numpy(token_ids[0])] = lib.numpy(probs[0])
    return Drawn(int(token_id), likely, spread)


def _accept_or_recover(
    target: Any,  # [num_draft_tokens, n], over ``columns``
    columns: Any,
    drafted: Any,
    draft: Any,  # [num_draft_tokens, vocab_size]
    own_ids: Any,
    seed: int,
    positions: Any,
    lib: Arrays,
) -> Any:
    """Per draft token: itself if accepted, else the recovered token. ``[num_draft_tokens]``."""
    p_drafted = lib.where(columns == drafted[:, None], target, 0.0).sum(-1)
    q_drafted = lib.gather(draft, drafted[:, None])[:, 0]
    accepted = uniform(seed, positions, lib) * q_drafted < p_drafted
    residual = (target - lib.gather(draft, columns)).clip(0.0)
    best = (lib.log(residual) + gumbel(seed, positions, columns, lib)).argmax(-1)
    recovered = lib.gather(columns, best[:, None])[:, 0]
    # Where both distributions agree but for rounding nothing is left over: the own draw serves.
    recovered = lib.where(residual.sum(-1) > 0.0, recovered, own_ids)
    return lib.where(accepted, drafted, recovered)
