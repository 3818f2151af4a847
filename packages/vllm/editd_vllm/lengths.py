"""How much of each draft is verified: what a batch gains by it against what its step then costs.

A rejected draft costs all requests of the batch, for they wait for the same step. So lengths are chosen
for the whole batch at once: those that promise most tokens a second. A draft token's promise is what
became of its request's drafts of late; what steps of so many tokens take is measured while the server
runs (``costs``), and sizes that do not seem to pay are tried now and then. Where many answer at
once a step is dear in tokens, so drafts grow shorter, first those of requests whose drafts were rejected
of late.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from editd_vllm.costs import StepCosts

# Of what was seen a draft ago so much counts, and of what was seen a step ago in which none was tried.
_MEMORY, _IDLE_MEMORY = 0.8, 0.96
# Taken to be seen before the first draft: it is likely right, and a copy goes on for long.
_FIRST, _FIRST_WEIGHT = 0.8, 1.0
_NEXT, _NEXT_WEIGHT = 0.97, 8.0
_WHILE = 4.0  # steps; one wrong draft is no while yet
# Chances below which a token is not verified; one of them is chosen for each step.
_LEAST_CHANCES = (0.9, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.0)

_LENGTHS = (1, 2, 4, 8, 16, 32, 64)

# One step in so many is larger than what seems to pay, so that an error does not stay; by drafts that are
# likely right.
_TRY, _WORTH_A_TRY = 16, 0.5


class Lately:
    """The success of a request's latest drafts, as two chances.

    first: that the first token of a draft is accepted. next: that one more is, behind an accepted one.

    A drafter is wrong for a while (new code), then right. How long a while lasts nobody knows, so after n
    steps of it the chance that it ends with the next one is taken to be about 1 / n: the longer it has
    been wrong, the seldomer it is tried where tokens are expensive.
    """

    def __init__(self) -> None:
        self._firsts = self._drafts = self._nexts = self._tried = 0.0
        self._wrong = 0  # steps since the last draft that was right, from the first wrong one on
        self._idle = 0  # steps since the last draft, of these

    @property
    def first(self) -> float:
        usual = (self._firsts + _FIRST * _FIRST_WEIGHT) / (self._drafts + _FIRST_WEIGHT)
        return usual * (_WHILE + self._idle) / (_WHILE + self._wrong)

    @property
    def next(self) -> float:
        return (self._nexts + _NEXT * _NEXT_WEIGHT) / (self._tried + _NEXT_WEIGHT)

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        """A step in which ``num_drafted`` tokens were verified."""
        share = _MEMORY if num_drafted else _IDLE_MEMORY
        self._firsts *= share
        self._drafts *= share
        if not num_drafted:
            if self._wrong:
                self._wrong += 1
                self._idle += 1
            return
        self._drafts += 1.0
        self._idle = 0
        if not num_accepted:
            self._wrong += 1
            return
        self._wrong = 0
        self._firsts += 1.0
        self._nexts = _MEMORY * self._nexts + num_accepted - 1
        self._tried = _MEMORY * self._tried + min(num_accepted, num_drafted - 1)


Rows = Sequence[tuple[Lately, int]]
"""Per request: what became of its earlier drafts, and how long its new one is."""


class Ceiling:
    """How much is drafted, by what steps take here."""

    def __init__(self, costs: StepCosts) -> None:
        self._costs = costs
        self._num_chosen = 1

    @property
    def _tries(self) -> bool:
        return self._num_chosen % _TRY == 0

    def least(self, num_rows: int) -> float:
        """The chance of its first token from which on a draft may pay, with so many requests at once.

        A step brings each of them one token; what drafts of a length for all of them add to its time
        they have to bring in tokens.
        """
        step = self._costs.seconds(num_rows)
        least = min(
            (self._costs.seconds(num_rows * (1 + length)) / step - 1.0)
            / _expected(1.0, _NEXT, length)
            for length in _LENGTHS
        )
        return min(least, _WORTH_A_TRY) if self._tries else least

    def choose(self, rows: Rows) -> list[int]:
        """How many tokens of each draft are verified in the next step."""
        lengths = choose_lengths(rows, self._costs, larger=self._tries)
        self._num_chosen += 1
        return lengths


def choose_lengths(rows: Rows, costs: StepCosts, *, larger: bool = False) -> list[int]:
    """The lengths that promise most tokens a second; ``larger``: and some tokens more.

    These are the likeliest of the next longer drafts, about twice the step.
    """
    chances = [(lately.first, lately.next, most) for lately, most in rows]
    best = following = [0] * len(rows)
    if not any(most for _, most in rows):
        return best
    most_gain = len(rows) / costs.seconds(len(rows))
    for least in _LEAST_CHANCES:
        lengths = [_length(*chance, least) for chance in chances]
        promised = len(rows) + sum(
            _expected(first, next_, length)
            for (first, next_, _), length in zip(chances, lengths, strict=True)
        )
        gain = promised / costs.seconds(len(rows) + sum(lengths))
        if gain > most_gain:
            best = following = lengths
            most_gain = gain
        elif following is best and sum(lengths) > sum(best):
            following = lengths
    if not larger:
        return best
    more = len(rows) + sum(best) + 2
    for row in sorted(range(len(rows)), key=lambda row: -chances[row][0]):
        added = min(following[row] - best[row], more)
        best[row] += added
        more -= added
    return best


def _length(first: float, following: float, most: int, least: float) -> int:
    """Tokens of a draft whose chance is at least ``least``: ``first * following ** i``."""
    if first < least or most <= 0:
        return 0
    if least <= 0.0 or following >= 1.0:
        return most
    return min(most, 1 + int(log(least / first) / log(following)))


def _expected(first: float, following: float, length: int) -> float:
    """How many of ``length`` tokens are accepted, on average."""
    if following >= 1.0:
        return first * length
    return first * (1.0 - following**length) / (1.0 - following)
