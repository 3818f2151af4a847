"""How much of each draft is verified: what a batch gains by it against what its step then costs.

A rejected draft costs all requests of the batch, for they wait for the same step. So lengths are chosen
for the whole batch at once: those that promise most tokens a second. A draft token's promise is what
became of its request's drafts of late; what steps of so many tokens take is measured while the server
runs (``decode.costs``). Where many answer at once a step is dear in tokens, so drafts grow shorter,
first those of requests whose drafts were rejected of late.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from editd.decode.costs import RoundCosts

# Of what was seen a draft ago so much counts. A drafter is wrong for a while (new code), then right.
_MEMORY = 0.8
# Taken to be seen before the first draft: it is likely right, and a copy goes on for long.
_FIRST, _FIRST_WEIGHT = 0.8, 1.0
_NEXT, _NEXT_WEIGHT = 0.97, 8.0
# Chances below which a token is not verified; one is chosen for each step.
_LEAST_CHANCES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


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
        self._firsts *= _MEMORY
        self._drafts *= _MEMORY
        if not num_drafted:
            return
        self._drafts += 1.0
        if not num_accepted:
            return
        self._firsts += 1.0
        self._nexts = _MEMORY * self._nexts + num_accepted - 1
        self._tried = _MEMORY * self._tried + min(num_accepted, num_drafted - 1)


def choose_lengths(rows: Sequence[tuple[Lately, int]], costs: RoundCosts) -> list[int]:
    """How many tokens of each draft to verify; ``rows``: what became of earlier ones, and its length.

    As long as nothing was measured: all.
    """
    longest = [most for _, most in rows]
    if not costs.sizes or not any(longest):
        return longest
    chances = [(lately.first, lately.next, most) for lately, most in rows]
    best, most_gain = longest, 0.0
    for least in _LEAST_CHANCES:
        lengths = [_length(*chance, least) for chance in chances]
        promised = len(rows) + sum(
            _expected(first, following, length)
            for (first, following, _), length in zip(chances, lengths, strict=True)
        )
        gain = promised / costs.seconds(len(rows) + sum(lengths), 0)
        if gain > most_gain:
            best, most_gain = lengths, gain
    return best


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
