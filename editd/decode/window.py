"""How many draft tokens a round verifies, chosen by what they cost and what they may bring.

Knows measured times t(k, context) and how many draft tokens were accepted; no drafter, no model.
A drafter leaves out what it does not believe in; the window is the most that it may propose.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Windows that are considered: steps of a half or a third are finer than times can be measured.
_WINDOWS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
# Before anything was observed: an edit copies some fifty tokens between two changes.
_PRIOR_ACCEPTED, _PRIOR_REJECTED = 50.0, 1.0
# Older rounds fade: each new one leaves them with this weight, so some twenty count.
_FADE = 0.95


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: verifying ``num_tokens`` rows behind ``context`` tokens took ``seconds``."""

    num_tokens: int
    context: int
    seconds: float


@dataclass(frozen=True, slots=True)
class FixedWindow:
    """The same window every round: what a user set, and what benchmarks compare drafters with."""

    num_tokens: int

    def next(self, context_length: int) -> int:  # noqa: ARG002
        return self.num_tokens

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        pass


class CostTable:
    """t(k, context) between and beyond its samples: linear in k and in the context."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        by_context: dict[int, dict[int, list[float]]] = {}
        for sample in samples:
            by_size = by_context.setdefault(sample.context, {})
            by_size.setdefault(sample.num_tokens, []).append(sample.seconds)
        if not by_context:
            raise ValueError("a cost table needs at least one sample")
        # The fastest of several measurements: whatever slowed the others was not the model.
        self._rows = {
            context: sorted((size, min(times)) for size, times in by_size.items())
            for context, by_size in sorted(by_context.items())
        }

    def seconds(self, num_tokens: int, context: int) -> float:
        """The time to verify ``num_tokens`` rows behind ``context`` cached tokens."""
        points = [(at, _between(row, num_tokens)) for at, row in self._rows.items()]
        return _between(points, context)


class WindowPolicy:
    """The window with the most expected tokens per second.

    Of the draft tokens that were reached, a share of ``acceptance`` was accepted, so k of them
    promise a + a² + … + aᵏ tokens, and the target's own comes on top. Divided by t(k + 1, context)
    that is the rate to be maximised; of equal windows the smaller is taken.
    """

    def __init__(self, samples: Iterable[Sample], most: int) -> None:
        self._costs = CostTable(samples)
        self._windows = [*(window for window in _WINDOWS if window < most), most]
        self._accepted = _PRIOR_ACCEPTED
        self._rejected = _PRIOR_REJECTED

    @property
    def acceptance(self) -> float:
        """The current estimate: the chance that a draft token is accepted when it is reached."""
        return self._accepted / (self._accepted + self._rejected)

    def next(self, context_length: int) -> int:
        """Most draft tokens that the next round should verify."""
        return max(
            self._windows,
            key=lambda window: (self.expected_rate(window, context_length), -window),
        )

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        """Take in what became of a draft; an empty one says nothing."""
        if num_drafted == 0:
            return
        self._accepted = _FADE * self._accepted + num_accepted
        self._rejected = _FADE * self._rejected + (num_accepted < num_drafted)

    def expected_rate(self, window: int, context_length: int) -> float:
        """Tokens per second that a window promises."""
        tokens = expected_tokens(window, self.acceptance)
        return tokens / self._costs.seconds(window + 1, context_length)


def expected_tokens(num_drafted: int, acceptance: float) -> float:
    """Tokens that a round brings: the accepted ones and the target's own.

    >>> expected_tokens(3, 0.5)  # 1/2 + 1/4 + 1/8, and one
    1.875
    """
    if acceptance >= 1.0:
        return num_drafted + 1.0
    return (1.0 - acceptance ** (num_drafted + 1)) / (1.0 - acceptance)


def _between(points: Sequence[tuple[int, float]], at: int) -> float:
    """Linear between the points, level before the first, as steep as the last two beyond them."""
    if at <= points[0][0] or len(points) == 1:
        return points[0][1]
    right = min(bisect_left(points, (at,)), len(points) - 1)
    (x0, y0), (x1, y1) = points[right - 1], points[right]
    # Times do not fall with more work; where measurements say so it is noise.
    return y0 + max(y1 - y0, 0.0) * (at - x0) / (x1 - x0)
