"""The time of a round (a pass of the model over a draft), t(k rows, context), from measurements and from real rounds.

Numbers only. Measuring, and storing the figures between two starts, is left to ``models.round_costs``, choosing a
window from them to ``window``.

t(k, context) = t(k) + context · (a + b · k): reading what is cached, and multiplying each row by it. t(k) is stored
at powers of two and is linear between them; a size not measured yet is estimated from those next to it and the shape
that such machines have. Only the growth of t with k matters: a uniform slowdown does not change the window. A tree of
k rows takes a multiple of t(k), also stored by size, for its masks and for keeping one branch of the cache. Where a
rejection makes a target read accepted tokens again, that has a price a token.

A busy machine makes a round slower, never faster, and a size that seems dear is not tried again. So low times are
believed sooner than high ones, and no time may be what cannot be: more rows are not quicker than fewer, and twice as
many take no longer than two passes. While nothing is drafted, a size that took far longer than on other machines is
believed less and less, until it is tried again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log2
from typing import Any, Protocol, Self

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Numbers of verified rows at which t is stored."""

CostShape = Sequence[tuple[int, float]]

# Times relative to one row's. CPU: 2 cores, 0.5B in float32. GPU: flat until
# the arithmetic takes longer than reading the weights, at some 150 rows of half precision.
CPU_SHAPE: CostShape = (
    (1, 1.0),
    (2, 1.9),
    (16, 2.2),
    (32, 4.1),
    (64, 6.1),
    (128, 11.0),
    (256, 19.0),
)
# Quantised weights on a CPU, by llama.cpp: a token alone is cheap. Between 38M in q8_0 and 0.5B in q4_k_m
# (docs/explanation/backends.md).
QUANTISED_CPU_SHAPE: CostShape = (
    *((1, 1.0), (2, 2.0), (4, 3.2), (8, 4.6), (16, 7.0), (32, 13.0)),
    *((64, 25.0), (128, 48.0), (256, 95.0)),
)
GPU_SHAPE: CostShape = ((1, 1.0), (128, 1.1), (256, 1.8), (1024, 7.0))

# A real round moves the figures by this share of the difference, up or down; the first ones, more.
_UP, _DOWN = 0.05, 0.2
_AGAIN = 0.1  # the share of what reading again has taken that is believed
# A round in which the machine was busy with something else may look many times too slow.
_LEAST_OF_ROWS = 0.25  # of a round's time, behind an empty context
_LEAST_FIGURE = 1e-6
_MOST_CHANGE = 2.0
# Twice as many rows may take so much more than twice as long: kernels for one row differ from others.
_MOST_A_ROW, _MOST_BESIDE_ONE = 1.1, 1.5
# So much of a time beyond reason is forgotten in each round that drafts nothing.
_FORGOTTEN = 0.03
_MEASURED = 3  # rounds that a measurement counts for
_CONTEXT_UNIT = 4096.0
_ROWS_UNIT = 64.0


class CostModel(Protocol):
    """The costs of rounds, t(k, context), of chains and of trees; learns from real rounds."""

    @property
    def again_row(self) -> float:
        """Seconds to read a token once more after a rejection; 0 if nothing is read again."""
        ...

    def seconds(self, num_tokens: int, context: int, *, tree: bool = False) -> float:
        """The time to verify ``num_tokens`` rows after ``context`` cached tokens; 0 if nothing is known."""
        ...

    def learn(self, num_tokens: int, context: int, seconds: float, *, tree: bool = False) -> None:
        """Learn from a round that verified ``num_tokens`` rows."""
        ...

    def learn_again(self, num_tokens: int, context: int, seconds: float, num_again: int) -> None:
        """Learn from a round that also read ``num_again`` tokens once more."""
        ...


class RoundCosts:
    """The costs t(k, context) of one model on one machine; learns from every round.

    times: pairs of rows and seconds, as for ``measured``. alone: an estimate for one row until something is measured;
    0 for none.
    """

    again_row = 0.0

    def __init__(
        self, shape: CostShape = GPU_SHAPE, times: CostShape = (), *, alone: float = 0.0
    ) -> None:
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
            self.record_measurement(size, seconds)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes that were measured."""
        return tuple(sorted(self._base))

    def seconds(self, num_tokens: int, context: int, *, tree: bool = False) -> float:
        """The estimated seconds of a pass that verifies ``num_tokens`` rows (the draft and the
        token before it) after ``context`` cached tokens, interpolated between sizes; 0 if nothing
        is known.

        tree: the rows are a draft with branches; counts as a chain until a tree was seen.
        """
        chain = self._size_seconds(num_tokens) + self._context_seconds(num_tokens, context)
        if not tree or not self._tree_points:
            return chain
        return chain * _interpolated(self._tree_points, min(num_tokens, self._tree_points[-1][0]))

    def record_measurement(self, size: int, seconds: float) -> None:
        """Record the measured time of one of ``SIZES``, after hardly any context; of several times
        for a size the least counts. Does nothing for times of 0 or less.
        """
        if seconds > 0.0:
            self._base[size] = min(seconds, self._base.get(size, seconds))
            self._seen[size] = _MEASURED
            self._points = _curve(self._shape, self._base)

    def learn(self, num_tokens: int, context: int, seconds: float, *, tree: bool = False) -> None:
        """Learn from a real round: move the time of its size (of the nearest power of two), and
        that of context, towards ``seconds``; of a tree only the multiple for trees, and only if its
        chain's time is known.

        One round moves an estimate to twice or half at most, and raises those of other sizes that
        would be impossible beside it; a size seen for the first time takes its time. A round of one
        row also lets times that look too high fade a little. Does nothing for no tokens, or times
        of 0 or less.
        """
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
        context_seconds = self._context_seconds(num_tokens, context)
        if size not in self._base:
            size_seconds = max(seconds - context_seconds, 0.1 * seconds)
            if self._base:  # if it is dearer than that, the next rounds will say so, too
                size_seconds = min(size_seconds, _MOST_CHANGE * known)
            self._base[size], self._seen[size] = size_seconds * scale, 1
        else:
            expected = known + context_seconds
            error = min(max(seconds, expected / _MOST_CHANGE), expected * _MOST_CHANGE) - expected
            seen = self._seen[size] = self._seen[size] + 1
            # Normalised least mean squares: the error is shared by the size and the context.
            units = context / _CONTEXT_UNIT
            of_rows = units * num_tokens / _ROWS_UNIT
            step = _learning_rate(error, seen) * error / (1.0 + units * units + of_rows * of_rows)
            # Where every round has the same long context, its part would in time eat up that of the rows.
            least = _LEAST_OF_ROWS * min(seconds, expected) * scale / (1.0 + units)
            self._base[size] = max(self._size_seconds(size) + step * scale, least)
            self._per_unit = max(self._per_unit + step * units, 0.0)
            self._per_rows = max(self._per_rows + step * of_rows, 0.0)
            if error > 0.0:
                self._lift_others(size)
        if num_tokens == 1:
            self._forget()
        self._points = _curve(self._shape, self._base)

    def learn_again(self, num_tokens: int, context: int, seconds: float, num_again: int) -> None:
        """Move ``again_row``, the seconds to read a token again, towards what a round took beyond
        its estimate, by token and at most twice the time of one row; t(k) does not change.

        num_again: tokens that were read again, at least one. Counts whole while ``again_row`` is 0,
        later a tenth.
        """
        expected = self.seconds(num_tokens, context)
        most = _MOST_CHANGE * self.seconds(1, context)
        each = min(max(seconds - expected, 0.0) / num_again, most)
        share = _AGAIN if self.again_row else 1.0
        self.again_row += share * (each - self.again_row)

    def _lift_others(self, size: int) -> None:
        """Raise the stored times of other sizes, in place, to the least that this size's time
        allows: on a machine that became slower they need not be tried first.
        """
        for other, seconds in self._base.items():
            least = self._base[size]
            if other < size:
                least /= _most_growth(other, size)
            self._base[other] = max(seconds, least)

    def _forget(self) -> None:
        """Lower by 3 % the times that are more than twice the usual (the time of one row times the
        shape's ratio for the size), not below twice: sizes that were dear on a busy machine would
        else never be tried again. They then count as seen once. A pass over one row must have a
        time.
        """
        for size, seconds in self._base.items():
            usual = self._base[1] * _interpolated(self._shape, size) / self._shape[0][1]
            if seconds > _MOST_CHANGE * usual:
                faded = (1.0 - _FORGOTTEN) * min(seconds, self._size_seconds(size))
                self._base[size] = max(faded, _MOST_CHANGE * usual)
                self._seen[size] = 1

    def _learn_tree(self, size: int, times: float) -> None:
        """Move the multiple for trees of a size (a tree's time by a chain's) towards ``times``, to
        twice or half of what is known at most; a new size starts from the nearest one's.
        """
        known = self._trees.get(size, self._tree_times(size))
        times = min(max(times, known / _MOST_CHANGE), known * _MOST_CHANGE)
        seen = self._trees_seen[size] = self._trees_seen.get(size, 0) + 1
        self._trees[size] = known + _learning_rate(times - known, seen) * (times - known)
        self._tree_points = sorted(self._trees.items())

    def _tree_times(self, size: int) -> float:
        """The multiple for a tree of an unseen size: that of the nearest seen size (by ratio), 1 if
        there is none.
        """
        if not self._tree_points:
            return 1.0
        return min(self._tree_points, key=lambda point: abs(log2(point[0] / size)))[1]

    def as_json(self) -> dict[str, Any]:
        """The figures, as ``restored`` reads them."""
        return {
            "seconds": {str(size): seconds for size, seconds in sorted(self._base.items())},
            "seconds_per_4096_of_context": self._per_unit,
            "seconds_per_4096_of_context_and_64_rows": self._per_rows,
            "seconds_a_token_read_again": self.again_row,
            "trees_by_chains": {str(size): times for size, times in sorted(self._trees.items())},
        }

    @classmethod
    def restored(cls, figures: Mapping[str, Any], shape: CostShape) -> Self:
        """The costs that ``as_json`` wrote, each as one that was measured. Raises ``ValueError``,
        ``KeyError`` or ``TypeError`` for anything else. shape: the usual growth of the time with
        the size, for sizes without a figure.
        """
        costs = cls(shape)
        costs._base = _figures_of_sizes(figures["seconds"], 1e4)
        costs._seen = dict.fromkeys(costs._base, _MEASURED)
        costs._trees = _figures_of_sizes(figures["trees_by_chains"], 1e3)
        costs._trees_seen = dict.fromkeys(costs._trees, _MEASURED)
        costs._tree_points = sorted(costs._trees.items())
        per_unit = figures["seconds_per_4096_of_context"]
        per_rows = figures["seconds_per_4096_of_context_and_64_rows"]
        again_row = figures["seconds_a_token_read_again"]
        if not all(0.0 <= time < 1e4 for time in (per_unit, per_rows, again_row)):
            raise ValueError("not a time")
        costs._per_unit, costs._per_rows = float(per_unit), float(per_rows)
        costs.again_row = float(again_row)
        costs._points = _curve(shape, costs._base)
        return costs

    def _context_seconds(self, num_tokens: int, context: int) -> float:
        """The part of a round's time that the context takes."""
        units = context / _CONTEXT_UNIT
        return units * (self._per_unit + self._per_rows * num_tokens / _ROWS_UNIT)

    def _size_seconds(self, num_tokens: int) -> float:
        """The part of a round's time that its rows take; 0 if nothing is known."""
        return _interpolated(self._points, num_tokens) if self._points else 0.0


def _figures_of_sizes(table: object, below: float) -> dict[int, float]:
    """A saved table of figures by size, with numbers for keys.

    Raises ``TypeError`` if it is no table of numbers, ``ValueError`` if a size is not in ``SIZES``,
    or a figure not between a microsecond and ``below``, both exclusive.
    """
    if not isinstance(table, Mapping):
        raise TypeError("not a table of sizes")
    for size, figure in table.items():
        if int(size) not in SIZES or not _LEAST_FIGURE < figure < below:
            raise ValueError("not a figure of a size that is measured")
    return {int(size): float(figure) for size, figure in table.items()}


def _learning_rate(error: float, seen: int) -> float:
    """The share of a difference that is believed: less of a higher time."""
    return max(_DOWN, 1.0 / seen) if error < 0.0 else max(_UP, 0.5 / seen)


def _curve(shape: CostShape, base: Mapping[int, float]) -> list[tuple[int, float]]:
    """The time t(k) at all of ``SIZES``: those of ``base`` (measured) as they are, but within the
    limits of reason (never less for more rows, twice as many rows hardly more than two passes), the
    others by ``shape`` between them. Empty if nothing was measured.
    """
    if not base:
        return []
    times = [_interpolated(shape, size) for size in SIZES]
    known = [(log2(size), log2(base[size] / _interpolated(shape, size))) for size in sorted(base)]
    curve = [
        seconds * 2.0 ** _interpolated_level(known, log2(size))
        for size, seconds in zip(SIZES, times, strict=True)
    ]
    for index in range(len(SIZES) - 1, 0, -1):
        curve[index - 1] = min(curve[index - 1], curve[index])
    for index, (less, more) in enumerate(pairwise(SIZES)):
        curve[index + 1] = min(curve[index + 1], curve[index] * _most_growth(less, more))
    return list(zip(SIZES, curve, strict=True))


def _most_growth(less: int, more: int) -> float:
    """The largest credible ratio of the times of ``more`` and of ``less`` rows."""
    beside_one = _MOST_BESIDE_ONE / _MOST_A_ROW if less == 1 else 1.0
    return beside_one * float((2.0 * _MOST_A_ROW) ** log2(more / less))


def _interpolated(points: Sequence[tuple[int, float]], at: int) -> float:
    """The value at ``at``: linear between the points (at least one, in order), level before the
    first, as steep as the last two beyond them.
    """
    if at <= points[0][0] or len(points) == 1:
        return points[0][1]
    right = min(bisect_left(points, (at,)), len(points) - 1)
    (x0, y0), (x1, y1) = points[right - 1], points[right]
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0)


def _interpolated_level(points: Sequence[tuple[float, float]], at: float) -> float:
    """The value at ``at``: linear between the points (at least one, in order), level before the
    first and beyond the last.
    """
    (first, low), (last, high) = points[0], points[-1]
    if at <= first:
        return low
    if at >= last:
        return high
    right = bisect_left(points, (at,))
    (x0, y0), (x1, y1) = points[right - 1], points[right]
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0)
