"""How much of each draft is verified: what a batch gains by it against what its step then costs.

A rejected draft costs all requests of the batch, for they wait for the same step. So lengths are chosen
for the whole batch at once: those that promise most tokens a second. A draft token's promise is what
became of its request's drafts of late; what steps of so many tokens take is measured while the server
runs (``decode.costs``), and sizes that do not seem to pay are tried now and then. Where many answer at
once a step is dear in tokens, so drafts grow shorter, first those of requests whose drafts were rejected
of late.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from editd.decode.costs import GPU_SHAPE, SIZES, RoundCosts, Sample, Shape

# Of what was seen a draft ago so much counts. A drafter is wrong for a while (new code), then right.
_MEMORY = 0.8
_IDLE_MEMORY = 0.96  # where nothing was drafted: one that is wrong throughout is seldom tried again
# Taken to be seen before the first draft: it is likely right, and a copy goes on for long.
_FIRST, _FIRST_WEIGHT = 0.8, 1.0
_NEXT, _NEXT_WEIGHT = 0.97, 8.0
# Chances below which a token is not verified; one of them is chosen for each step.
_LEAST_CHANCES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01, 0.0)

# Of these the quickest says how fast this machine is: what disturbs a step slows it.
_FIRST_STEPS = 8
_TRY = 16  # one step in so many is larger than what seems to pay, so that an error does not stay


class Lately:
    """What became of one request's drafts of late, as two chances.

    first: that the first token of a draft is accepted. next: that one more is, behind an accepted one.
    """

    def __init__(self) -> None:
        self._firsts = self._drafts = self._nexts = self._tried = 0.0

    @property
    def first(self) -> float:
        return (self._firsts + _FIRST * _FIRST_WEIGHT) / (self._drafts + _FIRST_WEIGHT)

    @property
    def next(self) -> float:
        return (self._nexts + _NEXT * _NEXT_WEIGHT) / (self._tried + _NEXT_WEIGHT)

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        """A step in which ``num_drafted`` tokens were verified. Without any, what is known fades."""
        kept = _MEMORY if num_drafted else _IDLE_MEMORY
        self._firsts *= kept
        self._drafts *= kept
        if not num_drafted:
            return
        self._drafts += 1.0
        if not num_accepted:
            return
        self._firsts += 1.0
        self._nexts = _MEMORY * self._nexts + num_accepted - 1
        self._tried = _MEMORY * self._tried + min(num_accepted, num_drafted - 1)


Rows = Sequence[tuple[Lately, int]]
"""Per request: what became of its earlier drafts, and how long its new one is."""


class Ceiling:
    """What steps take here, and what follows for drafts.

    shape: what they are taken to take before they were measured. A GPU's also on a CPU: what is taken
    to be cheap is done, and so measured at once.
    """

    def __init__(self, shape: Shape = GPU_SHAPE) -> None:
        self._shape = shape
        self._usual = RoundCosts(shape, [Sample(1, 0, 1.0)])
        self._times = float("inf")  # as long as usual
        self._costs = self._usual
        self._num_learned = self._num_chosen = 0

    def learn(self, num_tokens: int, seconds: float) -> None:
        """A step of ``num_tokens`` tokens, drafts included, has taken so long."""
        self._num_learned += 1
        if self._num_learned > _FIRST_STEPS:
            self._costs.learn(num_tokens, 0, seconds)
            return
        self._times = min(self._times, seconds / self._usual.seconds(num_tokens, 0))
        samples = [Sample(size, 0, self._times * self._usual.seconds(size, 0)) for size in SIZES]
        # As if each had been seen three times: one slow step shall not count for much.
        self._costs = RoundCosts(self._shape, samples * 3)

    def choose(self, rows: Rows) -> list[int]:
        """How many tokens of each draft are verified in the next step."""
        self._num_chosen += 1
        return choose_lengths(rows, self._costs, larger=self._num_chosen % _TRY == 0)


def choose_lengths(rows: Rows, costs: RoundCosts, *, larger: bool = False) -> list[int]:
    """The lengths that promise most tokens a second, or the next larger ones, at most about twice."""
    chances = [(lately.first, lately.next, most) for lately, most in rows]
    best = following = [0] * len(rows)
    most_gain = 0.0
    for least in _LEAST_CHANCES:
        lengths = [_length(*chance, least) for chance in chances]
        promised = len(rows) + sum(
            _expected(first, next_, length)
            for (first, next_, _), length in zip(chances, lengths, strict=True)
        )
        gain = promised / costs.seconds(len(rows) + sum(lengths), 0)
        if gain > most_gain:
            best = following = lengths
            most_gain = gain
        elif following is best and sum(lengths) > sum(best):
            following = lengths
    if not larger:
        return best
    return [min(longer, 2 * length + 2) for length, longer in zip(best, following, strict=True)]


def _length(first: float, following: float, most: int, least: float) -> int:
    """Tokens of a draft whose chance is at least ``least``: ``first * following ** i``."""
    if first < least or not most:
        return 0
    if least <= 0.0 or following >= 1.0:
        return most
    return min(most, 1 + int(log(least / first) / log(following)))


def _expected(first: float, following: float, length: int) -> float:
    """How many of ``length`` tokens are accepted, on average."""
    if following >= 1.0:
        return first * length
    return first * (1.0 - following**length) / (1.0 - following)
