"""Aligns the parts of a sketch with the file, and says how likely each place is.

A *reading* gives each part a range of the file, in the file's order; the range becomes the part, and all
else stays. A range costs what its cheapest alignment with the part does: lines match, or stand in a gap
in which lines go, are new or are rewritten (``costs``). Readings with equal text count as one. Sums over
all readings, forward and backward, give the probability of a text and of each change. Knows lines; what
is a marker, a definition or a fence is known elsewhere. ``docs/explanation/apply.md`` has a picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editd.apply.lines import Lines, given_name, is_other_name, likeness, words_of
from editd.apply.outcome import Aligned, Change
from editd.apply.sketch import Part, num_blank
from editd.diff.matching import is_weak
from editd.turns import yield_point

# What each thing that an assistant may have meant costs. Data; ``python -m benchmarks.apply.tune`` fits it.
# The unit is the nat: of two readings that differ by one, the cheaper is e times as likely.


@dataclass(frozen=True, slots=True)
class Costs:
    """Of lines that are new or go, of markers, and of places that say little."""

    opened: float = 2.0  # a gap
    gone: float = 0.3  # each line that goes
    blank_gone: float = 1.1  # a blank line that goes, as a share of that
    new: float = 0.15  # a line that the file has nowhere
    new_weak: float = 0.18  # a new line without a letter or digit
    new_known: float = 0.8  # a new line that the file has elsewhere
    new_unique: float = 3.0  # the same, divided by the root of how often the file has it
    rewritten: float = 1.0  # times 1 - likeness: one line in the place of another
    same_name: float = 0.6  # least likeness of two lines that give the same name a value
    version: float = 3.0  # a part's first or last line, if it is a version of the file's
    unlike: float = 6.0  # how much more its unlikeness costs than that of another line
    edge: float = 50.0  # a gap at another edge of a part: no line shows where it begins
    outside: float = 4.5  # the same at an end of the file, without a marker
    idle: float = 4.5  # a marker that stands for nothing
    forgotten: float = 1.0  # no marker where the file goes on
    still: float = 2.7  # a part that changes nothing
    lopsided: float = 1.1  # one line of context on one side, more on the other
    unseen: float = 1.5  # lines go beside a marker, and no line shows where that begins
    unseen_each: float = 0.3  # each of them
    weak_edge: float = 0.75  # context without a letter or digit
    scale: float = 1.5  # of all of them


COSTS = Costs()


Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MOST_STARTS, MOST_RANGES = 24, 64  # of a part that are compared
MOST_CELLS = 8_000_000  # lines times starts times positions in all; fewer starts above it
MOST_PAIRS = 3_000_000  # lines times positions; no reading above it
_WITHIN = 14.0  # what costs so much more than the best is not compared
_CLOSE = 3.0  # a second reading that costs no more than that besides is told
_VERSION = 0.4  # the most that a line may be unlike another that shows its place
_SAME = 0.85  # least likeness of lines that give different names a value, and are the same line
_NEVER = -1e9


def align(
    lines: Lines,
    parts: Sequence[Part],
    within: tuple[int, int] | None = None,
    costs: Costs = COSTS,
) -> Aligned | None:
    """The likeliest reading, in all of the file or in some lines of it. ``None`` if it would take too long."""
    low, high = within or (0, len(lines))
    size = sum(len(part.lines) for part in parts)
    if not size or size * (high - low + 1) > MOST_PAIRS:
        return None
    starts = max(2, min(MOST_STARTS, MOST_CELLS // (size * (high - low + 1))))
    table = _Table(lines, low, high, parts, costs, starts)
    chosen = table.best()
    same = [table.same_text(number, pick) for number, pick in enumerate(chosen)]
    sums = table.through(_logsum)
    every = _logsum(sums[0], 0)
    kept = [np.where(mine, score, _NEVER) for mine, score in zip(same, table.scores, strict=True)]
    sure = float(np.exp(min(0.0, float(_logsum(table.through(_logsum, kept)[0], 0) - every))))
    tops = table.through(_largest)
    changes = []
    rivals = []
    for number, pick in enumerate(chosen):
        others = np.where(same[number], _NEVER, tops[number])
        next_one = int(others.argmax())
        own = float(min(1.0, np.exp(sums[number][same[number]] - every).sum()))
        place = table.range_of(number, pick)
        changes.append(Change(*place, table.texts[number][pick], own, raw=own))
        if others[next_one] > _NEVER / 2:
            rivals.append((float(others[next_one]), number, next_one))
    other: tuple[Change, ...] = ()
    if rivals and max(rivals)[0] > float(tops[0].max()) - _CLOSE:
        picks = table.best(forced=max(rivals)[1:])
        other = tuple(
            Change(*table.range_of(number, pick), table.texts[number][pick], float(pick == mine))
            for number, (pick, mine) in enumerate(zip(picks, chosen, strict=True))
        )
    return Aligned(tuple(changes), sure, other)


class _Table:
    """The likely ranges of each part, their scores and their texts."""

    def __init__(
        self,
        lines: Lines,
        low: int,
        high: int,
        parts: Sequence[Part],
        costs: Costs,
        most_starts: int,
    ) -> None:
        self.lines, self.low, self.parts, self.costs = lines, low, parts, costs
        self.file, self.size = lines.keys[low:high], high - low
        self.most_starts = most_starts
        share = [0.0, *(1.0 if line else costs.blank_gone for line in self.file)]
        self.gone = np.cumsum(share)[None] * costs.gone
        rows = [[self._row(line) for line in part.lines] for part in parts]
        self.starts: list[Indices] = []
        self.ends: list[Indices] = []
        self.scores: list[Array] = []
        for number, around in enumerate(self._marginals(rows)):
            self._add_ranges(number, rows[number], *around)
        self.texts = [self._texts_of(number) for number in range(len(parts))]
        self._weigh()
        self.steps = [
            self._step(ends, starts)
            for ends, starts in zip(self.ends, self.starts[1:], strict=False)
        ]

    def range_of(self, number: int, pick: int) -> tuple[int, int]:
        """Its lines in the file."""
        return int(self.starts[number][pick]) + self.low, int(self.ends[number][pick]) + self.low

    # --- one line, one range ---

    def _row(self, line: str) -> _Row:
        """Where the line stands, its score if it is new, where similar lines stand, and their scores."""
        costs, high = self.costs, self.low + self.size
        places = [n - self.low for n in self.lines.where.get(line, ()) if self.low <= n < high]
        alike, worth, others = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.bool_)
        if is_weak(line):
            new = costs.new_weak
        elif places:
            new = costs.new_known + costs.new_unique * len(places) ** -0.5
        else:
            new = costs.new
            shares = self._shares(line)[self.low : high]
            own = given_name(line)
            same = self.lines.where_given.get(own or "\n", ())
            if len(same) == 1 and self.low <= same[0] < high:
                shares[same[0] - self.low] = max(shares[same[0] - self.low], costs.same_name)
            alike = np.flatnonzero(shares >= 0.5)
            worth = -costs.rewritten * (1 - shares[alike])
            given = [self.lines.given[n + self.low] if own else "" for n in alike]
            others = np.array([name not in ("", own) for name in given], np.bool_)
            others &= shares[alike] < _SAME
        return _Row(np.array(places, np.int64), -new, alike, worth, others)

    def _shares(self, line: str) -> Array:
        """For each line of the file, the share of words and signs that both have."""
        own, (places, totals) = Counter(words_of(line)), self.lines.words
        common = np.zeros(len(totals))
        for word, count in own.items():
            if word in places:
                common += np.minimum(count, np.bincount(places[word], minlength=len(totals)))
        shares: Array = 2 * common / np.maximum(1, np.array(totals) + own.total())
        return shares

    def _scores_of_ends(
        self, begins: Array, rows: Sequence[_Row], gone: Array, first: Array, last: Array
    ) -> Array:
        """``begins``: a score for each position where the part begins, a row for each start to compare.

        Returns the best score at each position where it may end. first, last: of a gap at the edges.
        """
        opened = self.costs.opened
        matched = begins
        edges = len(rows) - 1
        gaps = np.maximum.accumulate(begins - opened - first + gone, axis=1) - gone
        for number, row in enumerate(rows):
            yield_point()
            best = np.maximum(matched, gaps)
            matched = np.full_like(best, _NEVER)
            matched[:, row.places + 1] = best[:, row.places]
            if number in (0, edges):
                alike = (row.worth >= -_VERSION * self.costs.rewritten) & ~row.others
                unlike = row.worth[alike] * self.costs.unlike
                at, worth = row.alike[alike], unlike - self.costs.version
                matched[:, at + 1] = np.maximum(matched[:, at + 1], best[:, at] + worth)
            fresh = gaps + row.new
            if len(row.alike):
                fresh[:, row.alike + 1] = np.maximum(
                    fresh[:, row.alike + 1], gaps[:, row.alike] + row.worth
                )
            gaps = np.maximum.accumulate(np.maximum(fresh, matched - opened) + gone, axis=1) - gone
        scores: Array = np.maximum(matched, gaps - last)
        return scores

    def _edges(self, part: Part) -> tuple[Array, Array]:
        """What a gap costs at each place where the part may begin, and where it may end."""
        first, last = (np.full(self.size + 1, self.costs.edge) for _ in range(2))
        if not part.above:
            first[0] = self.costs.outside
        if not part.below:
            last[-1] = self.costs.outside
        return first, last

    # --- all ranges ---

    def _marginals(self, rows: Sequence[Sequence[_Row]]) -> list[tuple[Array, Array, Array]]:
        """For each part, by position: the best score before it, with it beginning there, and after it."""
        last = self.size - 1
        here = self._opened(marked=self.parts[0].above)
        before = []
        for part, own in zip(self.parts, rows, strict=True):
            before.append(here)
            ends = self._scores_of_ends(here[None], own, self.gone, *self._edges(part))[0]
            here = self._skipped(ends)
        gone = self.gone[:, -1:] - self.gone[:, ::-1]
        here = self._opened(marked=self.parts[-1].below)
        found = []
        for part, own, score in reversed(list(zip(self.parts, rows, before, strict=True))):
            upside_down = [row.reversed(last) for row in reversed(own)]
            first, last_ = self._edges(part)
            edges = last_[::-1], first[::-1]
            begins = self._scores_of_ends(here[None], upside_down, gone, *edges)[0]
            found.append((score, score + begins[::-1], here[::-1]))
            here = self._skipped(begins)
        return found[::-1]

    def _opened(self, *, marked: bool) -> Array:
        here = np.full(self.size + 1, 0.0 if marked else -self.costs.forgotten)
        here[0] = -self.costs.idle if marked else 0.0
        return here

    def _skipped(self, ends: Array) -> Array:
        """The best score at each position after a marker."""
        here: Array = ends - self.costs.idle
        here[1:] = np.maximum(here[1:], np.maximum.accumulate(ends)[:-1])
        return here

    def _add_ranges(
        self, number: int, rows: Sequence[_Row], before: Array, total: Array, after: Array
    ) -> None:
        best = total.max()
        order = np.argsort(-total, kind="stable")[: self.most_starts]
        order = order[total[order] >= best - _WITHIN]
        low = int(order.min())
        here = np.full((len(order), self.size + 1 - low), _NEVER)
        here[np.arange(len(order)), order - low] = 0
        inside = [row.from_line(low) for row in rows]
        gone = self.gone[:, low:]
        first, last = (edge[low:] for edge in self._edges(self.parts[number]))
        scores = self._scores_of_ends(here, inside, gone, first, last)
        sums = before[order][:, None] + scores + after[None, low:]
        flat = np.argsort(-sums, axis=None, kind="stable")[:MOST_RANGES]
        rank, end = np.unravel_index(flat[sums.ravel()[flat] >= best - _WITHIN], sums.shape)
        self.starts.append(order[rank])
        self.ends.append(end + low)
        self.scores.append(scores[rank, end])

    def _texts_of(self, number: int) -> list[tuple[str, ...]]:
        """What each range becomes: the part, but blank lines beside a marker only if the file has them."""
        part = self.parts[number]
        lead = num_blank(part.lines) * part.above
        tail = num_blank(part.lines[::-1]) * part.below
        found = []
        for start, end in zip(self.starts[number], self.ends[number], strict=True):
            there = self.file[start:end]
            top = max(0, lead - num_blank(there))
            bottom = max(0, tail - num_blank(there[::-1]))
            new = part.lines[top : len(part.lines) - bottom]
            found.append(self._spaced(int(start), int(end), new))
        return found

    def _spaced(self, start: int, end: int, new: tuple[str, ...]) -> tuple[str, ...]:
        """With a blank line on both sides of new lines, if the sketch shows one on the other side alone."""
        there = self.file[start:end]
        if Counter(there) - Counter(new):
            return new  # lines go
        above, below = same_rows(new, there)
        if there[-1:] == ("",) and not below and any(self.file[end : end + 1]):
            return (*new, "")
        is_above = len(below) == len(there) and not above
        if there[:1] == ("",) and is_above and start and self.file[start - 1]:
            return ("", *new)
        return new

    def _weigh(self) -> None:
        """Adds what is rare among whole ranges, and the sketch's ends."""
        for number, part in enumerate(self.parts):
            ranges = zip(self.starts[number], self.ends[number], self.texts[number], strict=True)
            cost = np.array(
                [self._rare(part, self.file[start:end], new) for start, end, new in ranges]
            )
            if number == 0:
                cost -= self._opened(marked=part.above)[self.starts[number]]
            if number == len(self.parts) - 1:
                cost -= self._opened(marked=part.below)[self.size - self.ends[number]]
            self.scores[number] = (self.scores[number] - cost) * self.costs.scale

    def _rare(self, part: Part, there: Sequence[str], new: tuple[str, ...]) -> float:
        costs = self.costs
        if tuple(there) == new:
            return costs.still
        rows = same_rows(new, there)
        cost = 0.0
        for row, marked in zip(rows, (part.above, part.below), strict=True):
            cost += costs.weak_edge * (marked and bool(row) and all(map(is_weak, row)))
        for one, two in ((new, there), (new[::-1], there[::-1])):
            if unseen := _num_unseen(one, two):
                cost += costs.unseen + costs.unseen_each * unseen
        least, most = sorted(sum(map(bool, row)) for row in rows)
        return cost + costs.lopsided * (part.above and part.below and least == 1 < most)

    def _step(self, ends: Indices, starts: Indices) -> Array:
        """From each range of a part to each of the next."""
        step = np.where(ends[:, None] < starts[None], 0.0, _NEVER)
        idle = -self.costs.idle * self.costs.scale
        return np.where(ends[:, None] == starts[None], idle, step)

    # --- all readings ---

    def best(self, forced: tuple[int, int] | None = None) -> list[int]:
        """The likeliest range of each part. forced: a part and its range."""
        scores = list(self.scores)
        if forced is not None:
            number, pick = forced
            only = np.full_like(scores[number], _NEVER * 10)
            only[pick] = scores[number][pick]
            scores[number] = only
        score, back = scores[0], []
        for own, step in zip(scores[1:], self.steps, strict=True):
            sums = score[:, None] + step
            back.append(sums.argmax(0))
            score = sums.max(0) + own
        chosen = [int(score.argmax())]
        for row in reversed(back):
            chosen.append(int(row[chosen[-1]]))
        return chosen[::-1]

    def through(
        self, reduce: Callable[[Array, int], Array], scores: list[Array] | None = None
    ) -> list[Array]:
        """By part and range: all readings through it (or the best one), what is before and after added."""
        own = self.scores if scores is None else scores
        before, after = [own[0]], [np.zeros(len(own[-1]))]
        for score, step in zip(own[1:], self.steps, strict=True):
            before.append(reduce(before[-1][:, None] + step, 0) + score)
        for score, step in reversed(list(zip(own[1:], self.steps, strict=True))):
            after.append(reduce(step + (after[-1] + score)[None], 1))
        return [one + two for one, two in zip(before, after[::-1], strict=True)]

    def same_text(self, number: int, pick: int) -> NDArray[np.bool_]:
        """Which ranges of a part give the same text as the picked one."""
        file, (start, end) = self.lines.keys, self.range_of(number, pick)
        new = self.texts[number][pick]
        found = []
        for place, other in enumerate(self.texts[number]):
            first, last = self.range_of(number, place)
            low, high = min(first, start), max(last, end)
            as_long = len(other) - (last - first) == len(new) - (end - start)
            found.append(
                as_long
                and (*file[low:first], *other, *file[last:high])
                == (*file[low:start], *new, *file[end:high])
            )
        return np.array(found)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the sketch: its places in the file, its score if new, and similar lines with scores.

    others: which of these give another name a value.
    """

    places: Indices
    new: float
    alike: Indices
    worth: Array
    others: NDArray[np.bool_]

    def reversed(self, last: int) -> _Row:
        """For the file read upwards."""
        return _Row(
            last - self.places[::-1],
            self.new,
            last - self.alike[::-1],
            self.worth[::-1],
            self.others[::-1],
        )

    def from_line(self, low: int) -> _Row:
        """For the file without its first ``low`` lines."""
        later = self.alike >= low
        return _Row(
            self.places[self.places >= low] - low,
            self.new,
            self.alike[later] - low,
            self.worth[later],
            self.others[later],
        )


def same_rows(new: Sequence[str], there: Sequence[str]) -> tuple[list[str], list[str]]:
    """The first lines that both have in a row, and the last ones (from the end upwards)."""
    rows: list[list[str]] = []
    for one, two in ((new, there), (new[::-1], there[::-1])):
        size = 0
        while size < min(len(one), len(two)) and one[size] == two[size]:
            size += 1
        rows.append(list(one[:size]))
    return rows[0], rows[1]


def _num_unseen(new: Sequence[str], there: Sequence[str]) -> int:
    """How many lines go at the beginning, below blank ones that both have, unless the first one is rewritten."""
    blank = min(num_blank(new), num_blank(there))
    new, there = new[blank:], there[blank:]
    if not new or not there or new[0] == there[0]:
        return 0
    if likeness(new[0], there[0], _SAME if is_other_name(new[0], there[0]) else 0.5):
        return 0
    stay = set(new)
    return next((n for n, line in enumerate(there) if line in stay), len(there))


def _logsum(values: Array, axis: int) -> Array:
    top = values.max(axis=axis, keepdims=True)
    total: Array = (np.log(np.exp(values - top).sum(axis=axis, keepdims=True)) + top).squeeze(axis)
    return total


def _largest(values: Array, axis: int) -> Array:
    largest: Array = values.max(axis=axis)
    return largest
