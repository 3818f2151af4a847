"""Logits to choices, for every backend: filters, noise keyed by position, the rejection rule.

``choose`` makes a target's choices, ``draw`` a draft model's. Written once for numpy arrays and torch tensors
(``Arrays``): the same logits give the same tokens. Filters and their order are those of transformers
(``generation/logits_process.py``): temperature, top-k, top-p. Knows rows of numbers, no model and no cache.

Choices are made where the logits are, and the results of a round come to the host in one copy. A device is not
synchronised before that. Where the number of candidates would be needed, a usual number is tried, and the copy tells
whether it was enough.

Sampled decoding adds Gumbel noise to log-probabilities and takes the largest. The noise of a token at a position is
always the same, so plain and speculative decoding draw the same tokens, whatever the batch looked like. Integers are
mixed as in SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, 2014) with wrapping
int64, so all libraries and devices agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editd.decode.drafters.base import Draft
from editd.decode.speculative import accepted_path
from editd.decode.target import Certainty, Drawn, Rows, Sampling

NO_RIVAL = 1e4  # margin of a choice without alternative; infinity is no JSON
LOWEST = float("-inf")

_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_SALT_GUMBEL = 0x5851F42D4C957F2D
_SALT_ACCEPT = 0x14057B7EF767814F
_SALT_DRAFT = 0x2545F4914F6CDD1D
_FIRST_CANDIDATES = 1024  # enough for top-p nearly always; a whole vocabulary is slow to sort


class Arrays:
    """The operations of numpy on arrays ``[rows, n]``. Sums run in float64, as torch's do inside.

    waits: whether reading a number waits for a device.
    """

    waits = False

    def ids(self, values: Sequence[int], like: Any) -> Any:  # noqa: ARG002 - all is in one place
        """An int64 array on the device of ``like``."""
        return np.asarray(values, dtype=np.int64)

    def floats(self, rows: Sequence[Any], width: int, like: Any) -> Any:  # noqa: ARG002 - as above
        """A float64 array ``[len(rows), width]`` on the device of ``like``, each row cut or padded
        with zeros to ``width``.
        """
        stacked = np.zeros((len(rows), width))
        for row, numbers in enumerate(rows):
            stacked[row, : min(width, len(numbers))] = numbers[:width]
        return stacked

    def where(self, condition: Any, chosen: Any, other: Any) -> Any:
        return np.where(condition, chosen, other)

    def exp(self, x: Any) -> Any:
        return np.exp(x)

    def log(self, x: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(x)

    def double(self, x: Any) -> Any:
        return x.astype(np.float64)

    def gather(self, x: Any, columns: Any) -> Any:
        """``x[row, columns[row]]``."""
        return np.take_along_axis(x, columns, -1)

    def cumsum(self, x: Any) -> Any:
        return np.cumsum(x, axis=-1, dtype=np.float64).astype(x.dtype)

    def softmax(self, x: Any) -> Any:
        """Probabilities of each row, computed in float64."""
        raised = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
        return raised / raised.sum(axis=-1, keepdims=True)

    def logsumexp(self, x: Any) -> Any:
        """The natural logarithm of the sum of exponentials of each row, ``[rows, 1]``, in the type
        of ``x``; summed in float64.
        """
        most = x.max(axis=-1, keepdims=True)
        rest = np.exp((x - most).astype(np.float64)).sum(axis=-1, keepdims=True)
        return (most + np.log(rest)).astype(x.dtype)

    def largest(self, x: Any, count: int) -> tuple[Any, Any]:
        """The ``count`` largest of each row, descending, and their columns. Of equals at the limit
        any may be left out.
        """
        columns = np.broadcast_to(np.arange(x.shape[-1]), x.shape)
        if count < x.shape[-1]:
            columns = np.argpartition(x, -count, axis=-1)[:, -count:]
        order = np.argsort(-np.take_along_axis(x, columns, -1), axis=-1, kind="stable")
        columns = np.take_along_axis(columns, order, -1)
        return np.take_along_axis(x, columns, -1), columns

    def first_and_margin(self, scores: Any) -> tuple[Any, Any]:
        """The column of the largest of each row (the first of equals), and its distance to the
        second, infinite without a second.

        Both ``[rows]``. ``scores`` are overwritten for a moment, and as before afterwards.
        """
        rows = np.arange(len(scores))
        index = scores.argmax(axis=-1)
        first = scores[rows, index]
        scores[rows, index] = LOWEST
        second = scores.max(axis=-1)
        scores[rows, index] = first
        return index, (first - second).astype(np.float64)

    def certainty(self, scores: Any, token_id: int) -> tuple[float, float, float]:
        """For one row, ``[n]``: the natural log-probability of ``token_id``, and the columns of the
        largest and the second.

        ``scores`` are overwritten for a moment, and as before afterwards.
        """
        first = scores.argmax()
        most, own = scores[first], scores[token_id]
        # Not in float64: pairwise sums are good to six digits, and this is several times as fast.
        raised = scores - most
        rest = np.log(np.exp(raised, out=raised).sum())
        scores[first] = LOWEST
        second = scores.argmax()
        scores[first] = most
        return float(own - most - rest), int(first), int(second)

    def to_host(self, *columns: Any) -> list[list[float]]:
        """``columns``, each ``[rows]`` or one number for all, as lists; one copy from the device, if any."""
        return [column.tolist() if np.ndim(column) else [float(column)] for column in columns]

    def numpy(self, x: Any) -> Any:
        """``x`` as a numpy array."""
        return x


NUMPY = Arrays()


def gumbel(seed: int, positions: Any, token_ids: Any, lib: Arrays = NUMPY) -> Any:
    """Standard Gumbel noise, float64, ``[rows, n]``, determined by seed, position and token.

    positions: ``[rows]``, int64. token_ids: ``[rows, n]`` or ``[n]``, int64.
    """
    keys = _row_keys(seed ^ _SALT_GUMBEL, positions)[:, None]
    return -lib.log(-lib.log(_unit(_mix(keys + token_ids * _signed(_GOLDEN)), lib)))


def uniform(seed: int, positions: Any, lib: Arrays = NUMPY) -> Any:
    """A number in (0, 1) for each position, float64, ``[rows]``, independent of ``gumbel``'s."""
    return _unit(_row_keys(seed ^ _SALT_ACCEPT, positions), lib)


def drafting_seed(seed: int) -> int:
    """The seed of a draft model's own draws, independent of the target's draws with ``seed``.

    The rejection rule needs that: it proves the output's distribution for drafts that know nothing of the numbers by
    which they are judged and replaced.
    """
    return seed ^ _SALT_DRAFT


def _row_keys(seed: int, positions: Any) -> Any:
    """A key for each position, mixed from seed and position."""
    start = positions * 0 + _signed(seed * _GOLDEN)
    return _mix(_mix(start) + positions * _signed(_GOLDEN))


def _mix(state: Any) -> Any:
    """``state`` (int64) with its bits mixed by SplitMix64's finaliser; a new array."""
    state = (state ^ _shifted(state, 30)) * _signed(_MIX_1)
    state = (state ^ _shifted(state, 27)) * _signed(_MIX_2)
    return state ^ _shifted(state, 31)


def _shifted(state: Any, bits: int) -> Any:
    """``state`` shifted right with zeros moving in; int64's own shift moves the sign in."""
    return (state >> bits) & ((1 << (64 - bits)) - 1)


def _unit(state: Any, lib: Arrays) -> Any:
    """The upper 53 bits of ``state`` as a number strictly between 0 and 1."""
    return (lib.double(_shifted(state, 11)) + 0.5) * 2.0**-53


def _signed(value: int) -> int:
    """The int64 with the same lowest 64 bits as ``value``."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def restrict(logits: Any, allowed: Sequence[Sequence[int] | None], lib: Arrays = NUMPY) -> None:
    """Set all logits of a row to ``-inf`` but those of the ids allowed there, in place. allowed:
    for each row; ``None`` allows all.
    """
    for row, ids in enumerate(allowed):
        if ids is not None:
            index = lib.ids(ids, logits)
            allowed_logits = logits[row, index]
            logits[row] = LOWEST
            logits[row, index] = allowed_logits


def candidates(scores: Any, sampling: Sampling, lib: Arrays = NUMPY) -> tuple[Any, Any, Any]:
    """The scores that survive top-k and top-p, the rest of the returned columns ``-inf``.

    Returns scores and token ids, both ``[rows, n]``, and (a single value for all rows) whether no
    other column would have survived. ``n`` is at most 1,024, with columns in descending order, so
    that noise is drawn for few tokens of a large vocabulary. If nothing filters, the vocabulary is
    no larger, or more survive, it is as in ``all_candidates``; but if ``lib.waits``, how many
    survive is not looked up: columns may be missing, and the third value is false then. ``scores``
    are not changed.
    """
    count = min(scores.shape[-1], _FIRST_CANDIDATES)
    if count == scores.shape[-1] or not _filters(sampling):
        return all_candidates(scores, sampling, lib)
    if sampling.top_k:
        scores, survivors = _mask_below_top_k(scores, sampling.top_k, lib)
        enough = survivors <= count
        if not lib.waits and bool(enough):
            count = int(survivors)
    values, token_ids = lib.largest(scores, count)
    total = lib.logsumexp(scores)
    if not sampling.top_k:
        enough = _are_enough(values, total, sampling, lib)
    if not lib.waits and not bool(enough):
        return all_candidates(scores, sampling, lib)
    return _mask_above_top_p(values, total, sampling, lib), token_ids, enough


def all_candidates(scores: Any, sampling: Sampling, lib: Arrays = NUMPY) -> tuple[Any, Any, Any]:
    """As ``candidates``, with a column for every token that may survive, however many; the third
    value is always true.

    If nothing filters, all columns in their own order.
    """
    if not _filters(sampling):
        columns = lib.ids(range(scores.shape[-1]), scores)
        return scores, columns[None] + 0 * lib.ids(range(len(scores)), scores)[:, None], True
    count = scores.shape[-1]
    if sampling.top_k:
        scores, survivors = _mask_below_top_k(scores, sampling.top_k, lib)
        count = int(survivors)
    total = lib.logsumexp(scores)
    values, token_ids = lib.largest(scores, count)
    return _mask_above_top_p(values, total, sampling, lib), token_ids, True


def _filters(sampling: Sampling) -> bool:
    """Whether top-k or top-p removes any token."""
    return bool(sampling.top_k or sampling.top_p < 1.0)


def _mask_below_top_k(scores: Any, top_k: int, lib: Arrays) -> tuple[Any, Any]:
    """A copy of ``scores`` with all but the k largest of each row at ``-inf``, and the most that
    any row keeps.

    Scores that tie with the k-th stay, as in transformers.
    """
    kth = lib.largest(scores, min(top_k, scores.shape[-1]))[0][:, -1:]
    scores = lib.where(scores < kth, LOWEST, scores)
    return scores, (scores > LOWEST).sum(-1).max()


def _mask_above_top_p(values: Any, total: Any, sampling: Sampling, lib: Arrays) -> Any:
    """``values``, in descending order, with the columns beyond top-p at ``-inf``, the first never;
    unchanged for a top-p of 1.

    total: for each row the logarithm of the sum of exponentials over all columns.
    """
    if sampling.top_p < 1.0:
        probs = lib.exp(values - total)
        before = lib.cumsum(probs) - probs  # probability of what is more likely
        cut = before >= sampling.top_p
        cut[:, 0] = False
        values = lib.where(cut, LOWEST, values)
    return values


def _are_enough(values: Any, total: Any, sampling: Sampling, lib: Arrays) -> Any:
    """Whether the columns outside ``values`` would be filtered out anyway."""
    return (lib.exp(values - total).sum(-1) >= sampling.top_p).all()


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

    That is the natural log-probability that the model itself gives this token, before temperature
    and filters, and the likeliest other token. row_ids, parents, allowed: as in ``choose``.
    temperature: by which ``logits`` were divided before. Returns ``rows`` unchanged if that token's
    choice was restricted.
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


def greedy_rows(
    logits: NDArray[np.float32], row_ids: Sequence[int], parents: Sequence[int] | None = None
) -> Rows:
    """The rows that choose the largest logit of each row, with its distance to the second as
    margin, and their certainty.

    ``logits`` are overwritten for a moment, and as before afterwards. row_ids, parents: as in
    ``choose``.
    """
    rows = np.arange(len(logits))
    top = logits.argmax(axis=1)
    first = logits[rows, top]
    logits[rows, top] = -np.inf
    second = logits.max(axis=1)
    logits[rows, top] = first
    margins = np.minimum(first - second, NO_RIVAL).astype(np.float64)
    return with_certainty(Rows(top.tolist(), margins.tolist()), logits, row_ids, parents)


def choose(
    logits: Any,  # [rows, vocab_size], overwritten
    sampling: Sampling,
    positions: Sequence[int],
    row_ids: Sequence[int] = (),
    draft_probs: Sequence[Any] | None = None,
    allowed: Sequence[Sequence[int] | None] | None = None,
    parents: Sequence[int] | None = None,
    lib: Arrays = NUMPY,
) -> Rows:
    """The target's choice after each row; overwrites ``logits``.

    positions: absolute position that each row's choice will have; keys its noise.
    row_ids: the rows' own tokens, ``[rows]``: the last output token, then the draft.
    draft_probs: for a chain, the distribution that each draft token was drawn from, ``[rows - 1]`` of
        ``[vocab_size]``. A draft token is accepted with min(1, p / q), else replaced from norm(max(0, p - q))
        (Leviathan et al., arXiv 2211.17192). A tree's rows, and a draft of point masses, are judged by equality with
        the target's own draw, which keeps the distribution as well.
    allowed: for each row the only ids that may be chosen; ``None`` for all.
    parents: as in ``Draft.parents``; says which draft tokens precede a row.
    lib: the library of ``logits``.

    The rows also have the certainty of the token that ends the accepted part (``with_certainty``).
    Their ``margins`` say how much a log-probability would have to move to change the choice:
    greedy, first minus second; sampled, the same after the noise, times the temperature. They are
    those of the target's own draw, even where a draft token was accepted or replaced, and at most ``NO_RIVAL``.
    """
    if allowed is not None:
        restrict(logits, allowed, lib)
    if sampling.greedy:
        choice_ids, margins = lib.first_and_margin(logits)
        rows = rows_from(lib.to_host(choice_ids, margins.clip(None, NO_RIVAL)))
        return with_certainty(rows, logits, row_ids, parents, allowed=allowed, lib=lib)
    logits /= sampling.temperature
    position_ids = lib.ids(positions, logits)
    for choose_among in (candidates, all_candidates):
        values, token_ids, enough = choose_among(logits, sampling, lib)
        perturbed = lib.double(values) + gumbel(sampling.seed, position_ids, token_ids, lib)
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
                position_ids[:count],
                lib,
            )
        margins = (margins * sampling.temperature).clip(None, NO_RIVAL)
        columns = lib.to_host(choice_ids, margins, enough)
        if columns[2][0]:
            break
    return with_certainty(
        rows_from(columns),
        logits,
        row_ids,
        parents,
        allowed=allowed,
        temperature=sampling.temperature,
        lib=lib,
    )


def rows_from(columns: Sequence[Sequence[float]]) -> Rows:
    """The rows in the columns copied to the host: choices and margins, then anything."""
    choices, margins = columns[:2]
    return Rows([int(i) for i in choices], list(margins))


def draw(
    logits: Any,  # [1, vocab_size], overwritten
    sampling: Sampling,
    position: int,
    *,
    allowed: Sequence[int] | None = None,
    independent: bool = False,
    lib: Arrays = NUMPY,
) -> Drawn:
    """A token of a draft model, chosen as the target chooses, with the same filters, and its
    probability after temperature and filters; overwrites ``logits``.

    position: the absolute position that the token will have. allowed: the only ids that may be
    drawn; ``None`` for all. independent: for the rejection rule, with noise of its own, and the
    distribution that the token was drawn from in the result; else with the target's noise at
    ``position``, so that models that agree choose alike. Greedy takes the largest, with its plain
    probability and without a distribution.
    """
    if allowed is not None:
        restrict(logits, [allowed], lib)
    if sampling.greedy:
        best = logits.argmax(-1)
        chance = lib.exp(lib.gather(logits, best[:, None]) - lib.logsumexp(logits))
        (token_id,), (likely,) = lib.to_host(best, chance[:, 0])
        return Drawn(int(token_id), likely)
    logits /= sampling.temperature
    seed = drafting_seed(sampling.seed) if independent else sampling.seed
    position_ids = lib.ids(range(position, position + 1), logits)
    for choose_among in (candidates, all_candidates):
        values, token_ids, enough = choose_among(logits, sampling, lib)
        probs = lib.softmax(values)
        best = (lib.log(probs) + gumbel(seed, position_ids, token_ids, lib)).argmax(-1)[:, None]
        drawn = (lib.gather(token_ids, best)[:, 0], lib.gather(probs, best)[:, 0])
        (token_id,), (likely,), (is_complete,) = lib.to_host(*drawn, enough)
        if is_complete:
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
    """For each draft token: itself if the rejection rule accepts it, else a token drawn from what
    the target has more of than the draft; ``[num_draft_tokens]``.

    target: the target's probabilities, over the token ids in ``columns``. drafted: the draft's ids.
    draft: the distributions that they were drawn from. own_ids: the target's own draws, for a row
    where nothing is left over. positions: absolute, of the draft tokens.
    """
    p_drafted = lib.where(columns == drafted[:, None], target, 0.0).sum(-1)
    q_drafted = lib.gather(draft, drafted[:, None])[:, 0]
    accepted = uniform(seed, positions, lib) * q_drafted < p_drafted
    residual = (target - lib.gather(draft, columns)).clip(0.0)
    best = (lib.log(residual) + gumbel(seed, positions, columns, lib)).argmax(-1)
    recovered = lib.gather(columns, best[:, None])[:, 0]
    # Where both distributions agree but for rounding nothing is left over: the own draw serves.
    recovered = lib.where(residual.sum(-1) > 0.0, recovered, own_ids)
    return lib.where(accepted, drafted, recovered)
