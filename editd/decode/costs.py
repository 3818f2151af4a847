"""What a round costs: t(k, context), from a few measurements and from every real round.

Numbers alone. Who measures, and where the figures are kept between two starts, is
``model.costs``' matter; what follows from them for the window is ``window``'s.

t(k, context) = t(k) + context · (a + b · k): reading what is cached, and multiplying each row by it.
t(k) is kept at powers of two and is linear between them; a size that nobody has tried yet is guessed
from the next smaller one and the shape that such machines have. What matters is how t grows with k:
that all is twice as slow today changes no window.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, Self

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Verified rows at which t is kept."""

Shape = Sequence[tuple[int, float]]

# Times relative to one row's. CPU: 2 cores, 0.5B in float32 (bench/replay_costs). GPU: flat until
# the arithmetic takes longer than reading the weights, at some 150 rows of half precision.
CPU_SHAPE: Shape = ((1, 1.0), (2, 1.9), (16, 2.2), (32, 4.1), (64, 6.1), (128, 11.0), (256, 19.0))
GPU_SHAPE: Shape = ((1, 1.0), (128, 1.1), (256, 1.8), (1024, 7.0))

# A real round moves the figures by this share of the difference; the first ones, more.
_STEP = 0.1
# A round in which the machine was busy with something else may look many times too slow.
_MOST_CHANGE = 2.0
_CONTEXT_UNIT = 4096.0
_ROWS_UNIT = 64.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: verifying ``num_tokens`` rows behind ``context`` tokens took ``seconds``."""

    num_tokens: int
    context: int
    seconds: float


class RoundCosts:
    """t(k, context) of one model on one machine; learns as it goes."""

    def __init__(self, shape: Shape = GPU_SHAPE, samples: Iterable[Sample] = ()) -> None:
        self._shape = shape
        self._base: dict[int, float] = {}  # size → seconds behind an empty context
        self._seen: dict[int, int] = {}
        # Seconds for ``_CONTEXT_UNIT`` tokens of context: of a round, and of ``_ROWS_UNIT`` rows.
        self._per_unit, self._per_rows = 0.0, 0.0
        self._points: list[tuple[int, float]] = []
        for sample in samples:
            self.learn(sample.num_tokens, sample.context, sample.seconds)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes that were measured."""
        return tuple(sorted(self._base))

    def seconds(self, num_tokens: int, context: int) -> float:
        """The time to verify ``num_tokens`` rows behind ``context`` tokens; 0 if nothing is known."""
        return self._size_seconds(num_tokens) + self._context_seconds(num_tokens, context)

    def learn(self, num_tokens: int, context: int, seconds: float) -> None:
        """Take in one measurement, or one real round."""
        if num_tokens < 1 or seconds <= 0.0:
            return
        size = SIZES[min(round(log2(num_tokens)), len(SIZES) - 1)]
        # A round of 50 rows says something about 64: as much less as is believed so far.
        known = self._size_seconds(num_tokens)
        scale = self._size_seconds(size) / known if known else 1.0
        behind = self._context_seconds(num_tokens, context)
        if size not in self._base:
            own = max(seconds - behind, 0.1 * seconds)
            self._base[size], self._seen[size] = own * scale, 1
        else:
            expected = known + behind
            error = min(max(seconds, expected / _MOST_CHANGE), expected * _MOST_CHANGE) - expected
            seen = self._seen[size] = self._seen[size] + 1
            # Normalised least mean squares: the error is shared by the size and the context.
            units = context / _CONTEXT_UNIT
            of_rows = units * num_tokens / _ROWS_UNIT
            step = max(_STEP, 1.0 / seen) * error / (1.0 + units * units + of_rows * of_rows)
            self._base[size] = max(self._base[size] + step * scale, 1e-9)
            self._per_unit = max(self._per_unit + step * units, 0.0)
            self._per_rows = max(self._per_rows + step * of_rows, 0.0)
        self._points = _rising(self._base)

    def as_json(self) -> dict[str, Any]:
        """What ``restored`` reads."""
        return {
            "seconds": {str(size): seconds for size, seconds in sorted(self._base.items())},
            "seconds_per_4096_of_context": self._per_unit,
            "seconds_per_4096_of_context_and_64_rows": self._per_rows,
        }

    @classmethod
    def restored(cls, kept: Mapping[str, Any], shape: Shape) -> Self:
        """Raises ``ValueError``, ``KeyError`` or ``TypeError`` for what ``as_json`` did not write."""
        costs = cls(shape)
        for size, seconds in kept["seconds"].items():
            if int(size) not in SIZES or not 0.0 < float(seconds) < 1e4:
                raise ValueError("not a time of a size that is kept")
            costs._base[int(size)] = float(seconds)
            costs._seen[int(size)] = 3
        costs._per_unit = float(kept["seconds_per_4096_of_context"])
        costs._per_rows = float(kept["seconds_per_4096_of_context_and_64_rows"])
        if not (0.0 <= costs._per_unit < 1e4 and 0.0 <= costs._per_rows < 1e4):
            raise ValueError("not a time")
        costs._points = _rising(costs._base)
        return costs

    def _context_seconds(self, num_tokens: int, context: int) -> float:
        units = context / _CONTEXT_UNIT
        return units * (self._per_unit + self._per_rows * num_tokens / _ROWS_UNIT)

    def _size_seconds(self, num_tokens: int) -> float:
        points = self._points
        if not points:
            return 0.0
        last = points[-1][0]
        if num_tokens > last:
            grown = _between(self._shape, num_tokens) / _between(self._shape, last)
            return points[-1][1] * grown
        if num_tokens < points[0][0]:
            first = points[0][0]
            return points[0][1] * _between(self._shape, num_tokens) / _between(self._shape, first)
        return _between(points, num_tokens)


def _rising(base: Mapping[int, float]) -> list[tuple[int, float]]:
    """Times do not fall with more work; where measurements say so it is noise."""
    points: list[tuple[int, float]] = []
    most = 0.0
    for size, seconds in sorted(base.items()):
        most = max(most, seconds)
        points.append((size, most))
    return points


def _between(points: Sequence[tuple[int, float]], at: int) -> float:
    """Linear between the points, level before the first, as steep as the last two beyond them."""
    if at <= points[0][0] or len(points) == 1:
        return points[0][1]
    right = min(bisect_left(points, (at,)), len(points) - 1)
    (x0, y0), (x1, y1) = points[right - 1], points[right]
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0)
