"""What a round costs: t(k, context), from a few measurements and from every real round.

Numbers only. Measuring, and keeping the figures between two starts, is left to
``models.round_costs``, choosing a window from them to ``window``.

t(k, context) = t(k) + context · (a + b · k): reading what is cached, and multiplying each row by it.
t(k) is kept at powers of two and is linear between them; a size not measured yet is estimated
from those next to it and the shape that such machines have. Only the growth of t with k matters: a
uniform slowdown does not change the window. A tree of k rows takes a multiple of t(k), also kept by
size, for its masks and for keeping one branch of the cache. Where a rejection makes a target read accepted tokens
again, that has a price a token.

A busy machine makes a round slower, never faster, and a size that seems dear is not tried again. So low
times are believed sooner than high ones, and no time may be what cannot be: more rows are not quicker
than fewer, and twice as many take no longer than two passes. While nothing is drafted, a size that took
far longer than on other machines is believed less and less, until it is tried again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log2
from typing import Any, Protocol, Self

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Verified rows at which t is kept."""

Shape = Sequence[tuple[int, float]]

# Times relative to one row's. CPU: 2 cores, 0.5B in float32. GPU: flat until
# the arithmetic takes longer than reading the weights, at some 150 rows of half precision.
CPU_SHAPE: Shape = ((1, 1.0), (2, 1.9), (16, 2.2), (32, 4.1), (64, 6.1), (128, 11.0), (256, 19.0))
# Quantised weights on a CPU, by llama.cpp: a token alone is cheap. Between 38M in q8_0 and 0.5B in q4_k_m
# (docs/explanation/backends.md).
QUANTISED_CPU_SHAPE: Shape = (
    *((1, 1.0), (2, 2.0), (4, 3.2), (8, 4.6), (16, 7.0), (32, 13.0)),
    *((64, 25.0), (128, 48.0), (256, 95.0)),
)
GPU_SHAPE: Shape = ((1, 1.0), (128, 1.1), (256, 1.8), (1024, 7.0))

# A real round moves the figures by this share of the difference, up or down; the first ones, more.
_UP, _DOWN = 0.05, 0.2
_AGAIN = 0.1  # the share of what reading again has taken that is believed
# A round in which the machine was busy with something else may look many times too slow.
_MOST_CHANGE = 2.0
# Twice as many rows may take so much more than twice as long: kernels for one row differ from others.
_MOST_A_ROW, _MOST_BESIDE_ONE = 1.1, 1.5
# So much of a time beyond reason is forgotten in each round that drafts nothing.
_FORGOTTEN = 0.03
_MEASURED = 3  # rounds that a measurement counts for
_CONTEXT_UNIT = 4096.0
_ROWS_UNIT = 64.0


class Costs(Protocol):
    """t(k, context) of chains and of trees, and a way to tell it what a round has really taken.

    again_row: seconds to read a token once more after a rejection; 0 where nothing is read again.
    """

    @property
    def again_row(self) -> float: ...

    def seconds(self, num_tokens: int, context: int, *, tree: bool = False) -> float: ...

    def learn(
        self, num_tokens: int, context: int, seconds: float, *, tree: bool = False
    ) -> None: ...

    def learn_again(
        self, num_tokens: int, context: int, seconds: float, num_again: int
    ) -> None: ...


class RoundCosts:
    """t(k, context) of one model on one machine; learns as it goes.

    times: of so many rows each, as ``measured`` takes them in. alone: about what one row takes, until something was
    measured; 0 where nothing is known.
    """

    again_row = 0.0

    def __init__(self, shape: Shape = GPU_SHAPE, times: Shape = (), *, alone: float = 0.0) -> None:
        self._shape = shape
        self._base: dict[int, float] = {}  # size → seconds behind an empty context
        self._seen: dict[int, int] = {}
        # Seconds for ``_CONTEXT_UNIT`` tokens of context: of a round, and of ``_ROWS_UNIT`` rows.
        self._per_unit, self._per_rows = 0.0, 0.0
        self._points = _curve(shape, {1: alone}) if alone else []
        self._trees: dict[int, float] = {}  # size → a tree's time by a chain's
        self._trees_seen: dict[int, int] = {}
        self._tree_points: list[tuple[int, float]] = []
        for size, seconds in times:
            self.measured(size, seconds)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes that were measured."""
        return tuple(sorted(self._base))

    def seconds(self, num_tokens: int, context: int, *, tree: bool = False) -> float:
        """The time to verify ``num_tokens`` rows behind ``context`` tokens; 0 if nothing is known.

        A tree that was never seen is taken for a chain.
        """
        chain = self._size_seconds(num_tokens) + self._context_seconds(num_tokens, context)
        if not tree or not self._tree_points:
            return chain
        return chain * _between(self._tree_points, min(num_tokens, self._tree_points[-1][0]))

    def measured(self, size: int, seconds: float) -> None:
        """Take in one of ``SIZES``, behind hardly any context: of several times the least."""
        if seconds > 0.0:
            self._base[size] = min(seconds, self._base.get(size, seconds))
            self._seen[size] = _MEASURED
            self._points = _curve(self._shape, self._base)

    def learn(self, num_tokens: int, context: int, seconds: float, *, tree: bool = False) -> None:
        """Take in one real round."""
        if num_tokens < 1 or seconds <= 0.0:
            return
        size = SIZES[min(round(log2(num_tokens)), len(SIZES) - 1)]
        if tree:
            chain = self.seconds(num_tokens, context)
            if chain > 0.0:
                self._learn_tree(size, seconds / chain)
            return
        # A round of 50 rows says something about 64: as much less as is believed so far.
        known = self._size_seconds(num_tokens)
        scale = self._size_seconds(size) / known if known else 1.0
        behind = self._context_seconds(num_tokens, context)
        if size not in self._base:
            own = max(seconds - behind, 0.1 * seconds)
            if self._base:  # if it is dearer than that, the next rounds will say so, too
                own = min(own, _MOST_CHANGE * known)
            self._base[size], self._seen[size] = own * scale, 1
        else:
            expected = known + behind
            error = min(max(seconds, expected / _MOST_CHANGE), expected * _MOST_CHANGE) - expected
            seen = self._seen[size] = self._seen[size] + 1
            # Normalised least mean squares: the error is shared by the size and the context.
            units = context / _CONTEXT_UNIT
            of_rows = units * num_tokens / _ROWS_UNIT
            step = _share(error, seen) * error / (1.0 + units * units + of_rows * of_rows)
            self._base[size] = max(self._size_seconds(size) + step * scale, 1e-9)
            self._per_unit = max(self._per_unit + step * units, 0.0)
            self._per_rows = max(self._per_rows + step * of_rows, 0.0)
            if error > 0.0:
                self._lift_others(size)
        if num_tokens == 1:
            self._forget()
        self._points = _curve(self._shape, self._base)

    def learn_again(self, num_tokens: int, context: int, seconds: float, num_again: int) -> None:
        """Take in a round that read ``num_again`` tokens once more, which says little of t(k)."""
        expected = self.seconds(num_tokens, context)
        most = _MOST_CHANGE * self.seconds(1, context)
        each = min(max(seconds - expected, 0.0) / num_again, most)
        share = _AGAIN if self.again_row else 1.0
        self.again_row += share * (each - self.again_row)

    def _lift_others(self, size: int) -> None:
        """On a machine that became slower a size need not wait until the others were tried."""
        for other, seconds in self._base.items():
            least = self._base[size]
            if other < size:
                least /= _most_times(other, size)
            self._base[other] = max(seconds, least)

    def _forget(self) -> None:
        """Sizes that were dear on a busy machine would else never be tried again."""
        for size, seconds in self._base.items():
            usual = self._base[1] * _between(self._shape, size) / self._shape[0][1]
            if seconds > _MOST_CHANGE * usual:
                believed = (1.0 - _FORGOTTEN) * min(seconds, self._size_seconds(size))
                self._base[size] = max(believed, _MOST_CHANGE * usual)
                self._seen[size] = 1

    def _learn_tree(self, size: int, times: float) -> None:
        known = self._trees.get(size, self._tree_times(size))
        times = min(max(times, known / _MOST_CHANGE), known * _MOST_CHANGE)
        seen = self._trees_seen[size] = self._trees_seen.get(size, 0) + 1
        self._trees[size] = known + _share(times - known, seen) * (times - known)
        self._tree_points = sorted(self._trees.items())

    def _tree_times(self, size: int) -> float:
        """What a tree of a size that was not seen is taken to cost: as one of the nearest size."""
        if not self._tree_points:
            return 1.0
        return min(self._tree_points, key=lambda point: abs(log2(point[0] / size)))[1]

    def as_json(self) -> dict[str, Any]:
        """What ``restored`` reads."""
        return {
            "seconds": {str(size): seconds for size, seconds in sorted(self._base.items())},
            "seconds_per_4096_of_context": self._per_unit,
            "seconds_per_4096_of_context_and_64_rows": self._per_rows,
            "seconds_a_token_read_again": self.again_row,
            "trees_by_chains": {str(size): times for size, times in sorted(self._trees.items())},
        }

    @classmethod
    def restored(cls, kept: Mapping[str, Any], shape: Shape) -> Self:
        """Raises ``ValueError``, ``KeyError`` or ``TypeError`` for what ``as_json`` did not write."""
        costs = cls(shape)
        for size, seconds in kept["seconds"].items():
            if int(size) not in SIZES or not 0.0 < float(seconds) < 1e4:
                raise ValueError("not a time of a size that is kept")
            costs._base[int(size)] = float(seconds)
            costs._seen[int(size)] = _MEASURED
        for size, times in kept["trees_by_chains"].items():
            if int(size) not in SIZES or not 0.0 < float(times) < 1e3:
                raise ValueError("not what a tree costs")
            costs._trees[int(size)] = float(times)
            costs._trees_seen[int(size)] = _MEASURED
        costs._tree_points = sorted(costs._trees.items())
        costs._per_unit = float(kept["seconds_per_4096_of_context"])
        costs._per_rows = float(kept["seconds_per_4096_of_context_and_64_rows"])
        costs.again_row = float(kept["seconds_a_token_read_again"])
        if not all(
            0.0 <= time < 1e4 for time in (costs._per_unit, costs._per_rows, costs.again_row)
        ):
            raise ValueError("not a time")
        costs._points = _curve(shape, costs._base)
        return costs

    def _context_seconds(self, num_tokens: int, context: int) -> float:
        units = context / _CONTEXT_UNIT
        return units * (self._per_unit + self._per_rows * num_tokens / _ROWS_UNIT)

    def _size_seconds(self, num_tokens: int) -> float:
        return _between(self._points, num_tokens) if self._points else 0.0


def _share(error: float, seen: int) -> float:
    """Which part of a difference is believed: of a higher time less."""
    return max(_DOWN, 1.0 / seen) if error < 0.0 else max(_UP, 0.5 / seen)


def _curve(shape: Shape, base: Mapping[int, float]) -> list[tuple[int, float]]:
    """T at all sizes: the measured ones as far as they can be, the others by the shape between them."""
    if not base:
        return []
    times = [_between(shape, size) for size in SIZES]
    known = [(log2(size), log2(base[size] / _between(shape, size))) for size in sorted(base)]
    curve = [
        took * 2.0 ** _held(known, log2(size)) for size, took in zip(SIZES, times, strict=True)
    ]
    for index in range(len(SIZES) - 1, 0, -1):
        curve[index - 1] = min(curve[index - 1], curve[index])
    for index, (less, more) in enumerate(pairwise(SIZES)):
        curve[index + 1] = min(curve[index + 1], curve[index] * _most_times(less, more))
    return list(zip(SIZES, curve, strict=True))


def _most_times(less: int, more: int) -> float:
    """How many times as long ``more`` rows can take as ``less``."""
    beside_one = _MOST_BESIDE_ONE / _MOST_A_ROW if less == 1 else 1.0
    return beside_one * float((2.0 * _MOST_A_ROW) ** log2(more / less))


def _between(points: Sequence[tuple[int, float]], at: int) -> float:
    """Linear between the points, level before the first, as steep as the last two beyond them."""
    if at <= points[0][0] or len(points) == 1:
        return points[0][1]
    right = min(bisect_left(points, (at,)), len(points) - 1)
    (x0, y0), (x1, y1) = points[right - 1], points[right]
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0)


def _held(points: Sequence[tuple[float, float]], at: float) -> float:
    """Linear between the points, level beyond them."""
    (first, low), (last, high) = points[0], points[-1]
    if at <= first:
        return low
    if at >= last:
        return high
    right = bisect_left(points, (at,))
    (x0, y0), (x1, y1) = points[right - 1], points[right]
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0)
