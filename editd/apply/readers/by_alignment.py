"""Aligns the segments of a sketch (pasted lines between two markers) with ranges of the file's lines. Scores are costs below zero: the logarithm of how likely a range is.

A *reading* gives each segment a range of the file, in the file's order; the range becomes the segment, and all else
stays. A range costs what its cheapest alignment with the segment does: lines match, or stand in a gap in which lines
go, are new or are rewritten (``AlignmentCosts``). Readings with equal text count as one. Sums over all readings,
forward and backward, give the probability of a text and of each change. Knows lines; what is a marker, a definition or
a fence is known elsewhere. ``docs/explanation/apply.md`` has a picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editd.apply.paste.segments import Segment
from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import (
    common_ends,
    given_name,
    is_other_name,
    likeness,
    num_blank,
    words_of,
)
from editd.diff.matching import is_weak
from editd.turns import yield_point

# What each thing that an assistant may have meant costs. Data; ``python -m benchmarks.apply.tune`` fits it.
# The unit is the nat: of two readings that differ by one, the cheaper is e times as likely.
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


@dataclass(frozen=True, slots=True)
class AlignmentCosts:
    """The cost of each thing that an assistant may have meant, in nats: of two readings that differ by one, the cheaper is e times as likely.

    Data; ``python -m benchmarks.apply.tune`` fits it.
    """

    opened: float = 2.0  # a gap
    removed: float = 0.3  # each line that goes
    blank_removed: float = 1.1  # a blank line that goes, as a share of that
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


ALIGNMENT_COSTS = AlignmentCosts()


def align(
    lines: FileLines,
    segments: Sequence[Segment],
    within: tuple[int, int] | None = None,
    costs: AlignmentCosts = ALIGNMENT_COSTS,
) -> Reading | None:
    """The likeliest reading, in all of the file or in the lines ``within`` (0-based, end exclusive); ``None`` if the
    segments times the lines are too many (3,000,000), or the segments have no lines.

    Its confidences are the alignment's probabilities, without any doubt, and segments that change nothing are among its
    changes. ``other`` is the next likely text, if it costs at most 3 more. costs: of what an assistant may have meant.
    Calls ``yield_point`` (pauses for other work).
    """
    low, high = within or (0, len(lines))
    size = sum(len(segment.lines) for segment in segments)
    if not size or size * (high - low + 1) > MOST_PAIRS:
        return None
    starts = max(2, min(MOST_STARTS, MOST_CELLS // (size * (high - low + 1))))
    table = _Alignment(lines, low, high, segments, costs, starts)
    chosen = table.best_ranges()
    same = [
        table.gives_same_text(number, range_number) for number, range_number in enumerate(chosen)
    ]
    sums = table.scores_through(_logsum)
    every = _logsum(sums[0], 0)
    same_scores = [
        np.where(is_same, score, _NEVER) for is_same, score in zip(same, table.scores, strict=True)
    ]
    confidence = float(
        np.exp(min(0.0, float(_logsum(table.scores_through(_logsum, same_scores)[0], 0) - every)))
    )
    tops = table.scores_through(_largest)
    changes = []
    rivals = []
    for number, range_number in enumerate(chosen):
        others = np.where(same[number], _NEVER, tops[number])
        next_one = int(others.argmax())
        own = float(min(1.0, np.exp(sums[number][same[number]] - every).sum()))
        position = table.range_of(number, range_number)
        changes.append(
            ChangedLines(*position, table.texts[number][range_number], own, before_doubts=own)
        )
        if others[next_one] > _NEVER / 2:
            rivals.append((float(others[next_one]), number, next_one))
    other: tuple[ChangedLines, ...] = ()
    if rivals and max(rivals)[0] > float(tops[0].max()) - _CLOSE:
        picks = table.best_ranges(forced=max(rivals)[1:])
        other = tuple(
            ChangedLines(
                *table.range_of(number, range_number),
                table.texts[number][range_number],
                float(range_number == is_same),
            )
            for number, (range_number, is_same) in enumerate(zip(picks, chosen, strict=True))
        )
    return Reading(tuple(changes), confidence, other)


class _Alignment:
    """The likely ranges of each segment, their scores (costs below zero) and their texts."""

    def __init__(
        self,
        lines: FileLines,
        low: int,
        high: int,
        segments: Sequence[Segment],
        costs: AlignmentCosts,
        most_starts: int,
    ) -> None:
        self.lines, self.low, self.segments, self.costs = lines, low, segments, costs
        self.file, self.size = lines.keys[low:high], high - low
        self.most_starts = most_starts
        share = [0.0, *(1.0 if line else costs.blank_removed for line in self.file)]
        self.removed = np.cumsum(share)[None] * costs.removed
        rows = [[self._sketch_line(line) for line in segment.lines] for segment in segments]
        self.starts: list[Indices] = []
        self.ends: list[Indices] = []
        self.scores: list[Array] = []
        for number, around in enumerate(self._marginals(rows)):
            self._add_ranges(number, rows[number], *around)
        self.texts = [self._texts_of(number) for number in range(len(segments))]
        self._score_whole_ranges()
        self.transitions = [
            self._transitions_between(ends, starts)
            for ends, starts in zip(self.ends, self.starts[1:], strict=False)
        ]

    def range_of(self, number: int, pick: int) -> tuple[int, int]:
        """Range number ``pick`` of a segment, in lines of the whole file: start and end (exclusive)."""
        return int(self.starts[number][pick]) + self.low, int(self.ends[number][pick]) + self.low

    # --- one line, one range ---

    def _sketch_line(self, line: str) -> _SketchLine:
        """A line of the sketch, compared with every line of the part of the file that is aligned: where it stands, and
        the score of a new line.

        If it stands nowhere in the part and has a letter or digit, also where lines of a likeness of 0.5 or more stand,
        with their scores; the only line of the file that gives the same name a value counts as 0.6 at least.
        """
        costs, high = self.costs, self.low + self.size
        positions = [n - self.low for n in self.lines.where.get(line, ()) if self.low <= n < high]
        alike, worth, others = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.bool_)
        if is_weak(line):
            new = costs.new_weak
        elif positions:
            new = costs.new_known + costs.new_unique * len(positions) ** -0.5
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
        return _SketchLine(np.array(positions, np.int64), -new, alike, worth, others)

    def _shares(self, line: str) -> Array:
        """For each line of the whole file its likeness to ``line``, 0 to 1: twice the words and signs in common, in any
        order, by the number of those of both lines together.
        """
        own, (positions, totals) = Counter(words_of(line)), self.lines.words
        common = np.zeros(len(totals))
        for word, count in own.items():
            if word in positions:
                common += np.minimum(count, np.bincount(positions[word], minlength=len(totals)))
        shares: Array = 2 * common / np.maximum(1, np.array(totals) + own.total())
        return shares

    def _scores_of_ends(
        self, begins: Array, rows: Sequence[_SketchLine], removal: Array, first: Array, last: Array
    ) -> Array:
        """The best score of the rows' alignment at each position where a segment may end, a row of the result for each
        row of ``begins``. Calls ``yield_point`` for each row.

        begins: a score for each position where it begins, a row for each start to compare. rows: the segment's lines.
        removal: the cost of all lines above a position, if they go. first, last: the cost of a gap at its edges, by
        position.
        """
        opened = self.costs.opened
        matched = begins
        edges = len(rows) - 1
        gaps = np.maximum.accumulate(begins - opened - first + removal, axis=1) - removal
        for number, row in enumerate(rows):
            yield_point()
            best = np.maximum(matched, gaps)
            matched = np.full_like(best, _NEVER)
            matched[:, row.positions + 1] = best[:, row.positions]
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
            gaps = (
                np.maximum.accumulate(np.maximum(fresh, matched - opened) + removal, axis=1)
                - removal
            )
        scores: Array = np.maximum(matched, gaps - last)
        return scores

    def _edges(self, segment: Segment) -> tuple[Array, Array]:
        """The cost of a gap (no shared line) at each position where the segment may begin, and where it may end:
        ``edge``, which is high, but ``outside`` at an end of the file on a side without a marker.
        """
        first, last = (np.full(self.size + 1, self.costs.edge) for _ in range(2))
        if not segment.above:
            first[0] = self.costs.outside
        if not segment.below:
            last[-1] = self.costs.outside
        return first, last

    # --- all ranges ---

    def _marginals(self, rows: Sequence[Sequence[_SketchLine]]) -> list[tuple[Array, Array, Array]]:
        """For each segment three arrays by position: the best score of all before it, the best score of a whole reading
        in which it begins there, and the best score of all after it. rows: each segment's lines.
        """
        last = self.size - 1
        scores = self._scores_of_edge(marked=self.segments[0].above)
        before = []
        for segment, own in zip(self.segments, rows, strict=True):
            before.append(scores)
            ends = self._scores_of_ends(scores[None], own, self.removed, *self._edges(segment))[0]
            scores = self._scores_after_marker(ends)
        removal = self.removed[:, -1:] - self.removed[:, ::-1]
        scores = self._scores_of_edge(marked=self.segments[-1].below)
        found = []
        for segment, own, score in reversed(list(zip(self.segments, rows, before, strict=True))):
            upside_down = [row.reversed(last) for row in reversed(own)]
            first, last_ = self._edges(segment)
            edges = last_[::-1], first[::-1]
            begins = self._scores_of_ends(scores[None], upside_down, removal, *edges)[0]
            found.append((score, score + begins[::-1], scores[::-1]))
            scores = self._scores_after_marker(begins)
        return found[::-1]

    def _scores_of_edge(self, *, marked: bool) -> Array:
        """The score of each position as the beginning of the first segment, or, upside down, the end of the last.

        marked: whether a marker is there; then the file's end itself costs ``idle``, else any other position costs
        ``forgotten``.
        """
        scores = np.full(self.size + 1, 0.0 if marked else -self.costs.forgotten)
        scores[0] = -self.costs.idle if marked else 0.0
        return scores

    def _scores_after_marker(self, ends: Array) -> Array:
        """The best score at each position after the marker that follows a segment, which may stand for no line at a
        cost. ends: the segment's score at each end.
        """
        scores: Array = ends - self.costs.idle
        scores[1:] = np.maximum(scores[1:], np.maximum.accumulate(ends)[:-1])
        return scores

    def _add_ranges(
        self, number: int, rows: Sequence[_SketchLine], before: Array, total: Array, after: Array
    ) -> None:
        """Append the likeliest ranges of a segment to ``starts``, ``ends`` and ``scores``: as many starts as
        ``most_starts`` and 64 ranges at most, none whose reading costs 14 more than the best.

        before, total, after: its ``_marginals``. rows: its lines.
        """
        best = total.max()
        order = np.argsort(-total, kind="stable")[: self.most_starts]
        order = order[total[order] >= best - _WITHIN]
        low = int(order.min())
        begins = np.full((len(order), self.size + 1 - low), _NEVER)
        begins[np.arange(len(order)), order - low] = 0
        inside = [row.from_line(low) for row in rows]
        removal = self.removed[:, low:]
        first, last = (edge[low:] for edge in self._edges(self.segments[number]))
        scores = self._scores_of_ends(begins, inside, removal, first, last)
        sums = before[order][:, None] + scores + after[None, low:]
        flat = np.argsort(-sums, axis=None, kind="stable")[:MOST_RANGES]
        rank, end = np.unravel_index(flat[sums.ravel()[flat] >= best - _WITHIN], sums.shape)
        self.starts.append(order[rank])
        self.ends.append(end + low)
        self.scores.append(scores[rank, end])

    def _texts_of(self, number: int) -> list[tuple[str, ...]]:
        """The lines that each range of a segment becomes: those of the segment, but of the blank lines beside a marker
        only as many as the range has there; where none of the range's lines goes, a blank line of its end may be added
        (``_spaced``).
        """
        segment = self.segments[number]
        lead = num_blank(segment.lines) * segment.above
        tail = num_blank(segment.lines[::-1]) * segment.below
        found = []
        for start, end in zip(self.starts[number], self.ends[number], strict=True):
            old = self.file[start:end]
            top = max(0, lead - num_blank(old))
            bottom = max(0, tail - num_blank(old[::-1]))
            new = segment.lines[top : len(segment.lines) - bottom]
            found.append(self._spaced(int(start), int(end), new))
        return found

    def _spaced(self, start: int, end: int, new: tuple[str, ...]) -> tuple[str, ...]:
        """The new lines, with a blank line added below them if the range ``start .. end`` ends in one and their last
        lines differ, or above them if the range begins with one, their last lines are all of the range and their first
        line is another; only if the file's line beyond that end is not blank.

        As they are if some line of the range goes, and never with both.
        """
        old = self.file[start:end]
        if Counter(old) - Counter(new):
            return new  # lines go
        above, below = common_ends(new, old)
        if old[-1:] == ("",) and not below and any(self.file[end : end + 1]):
            return (*new, "")
        is_above = len(below) == len(old) and not above
        if old[:1] == ("",) and is_above and start and self.file[start - 1]:
            return ("", *new)
        return new

    def _score_whole_ranges(self) -> None:
        """Take from all ``scores``, in place, the costs of whole ranges (``_cost_of_range``) and of the sketch's ends,
        then multiply them by ``scale``.
        """
        for number, segment in enumerate(self.segments):
            ranges = zip(self.starts[number], self.ends[number], self.texts[number], strict=True)
            cost = np.array(
                [
                    self._cost_of_range(segment, self.file[start:end], new)
                    for start, end, new in ranges
                ]
            )
            if number == 0:
                cost -= self._scores_of_edge(marked=segment.above)[self.starts[number]]
            if number == len(self.segments) - 1:
                cost -= self._scores_of_edge(marked=segment.below)[self.size - self.ends[number]]
            self.scores[number] = (self.scores[number] - cost) * self.costs.scale

    def _cost_of_range(self, segment: Segment, old: Sequence[str], new: tuple[str, ...]) -> float:
        """The cost of what only a whole range shows: ``still`` alone if nothing changes; else the sum for context
        without letters or digits beside a marker, for lines that go at an end unseen (``_num_unseen``), and, between
        two markers, for a single line of context on one side but more on the other, blank lines aside.
        """
        costs = self.costs
        if tuple(old) == new:
            return costs.still
        rows = common_ends(new, old)
        cost = 0.0
        for row, marked in zip(rows, (segment.above, segment.below), strict=True):
            cost += costs.weak_edge * (marked and bool(row) and all(map(is_weak, row)))
        for first, second in ((new, old), (new[::-1], old[::-1])):
            if unseen := _num_unseen(first, second):
                cost += costs.unseen + costs.unseen_each * unseen
        least, most = sorted(sum(map(bool, row)) for row in rows)
        return cost + costs.lopsided * (segment.above and segment.below and least == 1 < most)

    def _transitions_between(self, ends: Indices, starts: Indices) -> Array:
        """A matrix: the score of each range of a segment followed by each range of the next. Impossible if they overlap
        or stand in the other order, the cost of a marker that stands for nothing if they touch, else 0. ends, starts:
        of the ranges.
        """
        transition = np.where(ends[:, None] < starts[None], 0.0, _NEVER)
        idle = -self.costs.idle * self.costs.scale
        return np.where(ends[:, None] == starts[None], idle, transition)

    # --- all readings ---

    def best_ranges(self, forced: tuple[int, int] | None = None) -> list[int]:
        """The number of the likeliest range of each segment, together, in order. forced: a segment and the range that
        it has to have.
        """
        scores = list(self.scores)
        if forced is not None:
            number, pick = forced
            only = np.full_like(scores[number], _NEVER * 10)
            only[pick] = scores[number][pick]
            scores[number] = only
        score, back = scores[0], []
        for own, transition in zip(scores[1:], self.transitions, strict=True):
            sums = score[:, None] + transition
            back.append(sums.argmax(0))
            score = sums.max(0) + own
        chosen = [int(score.argmax())]
        for row in reversed(back):
            chosen.append(int(row[chosen[-1]]))
        return chosen[::-1]

    def scores_through(
        self, reduce: Callable[[Array, int], Array], scores: list[Array] | None = None
    ) -> list[Array]:
        """By segment and range: the score of all readings through it, reduced over the ranges of the segments before
        and after.

        reduce: ``_logsum`` for all readings, ``_largest`` for the best. scores: in place of the table's own.
        """
        own = self.scores if scores is None else scores
        before, after = [own[0]], [np.zeros(len(own[-1]))]
        for score, transition in zip(own[1:], self.transitions, strict=True):
            before.append(reduce(before[-1][:, None] + transition, 0) + score)
        for score, transition in reversed(list(zip(own[1:], self.transitions, strict=True))):
            after.append(reduce(transition + (after[-1] + score)[None], 1))
        return [earlier + later for earlier, later in zip(before, after[::-1], strict=True)]

    def gives_same_text(self, number: int, pick: int) -> NDArray[np.bool_]:
        """For each range of a segment whether the whole file has the same text afterwards as with range number ``pick``
        (true for that one).
        """
        file, (start, end) = self.lines.keys, self.range_of(number, pick)
        new = self.texts[number][pick]
        found = []
        for position, other in enumerate(self.texts[number]):
            first, last = self.range_of(number, position)
            low, high = min(first, start), max(last, end)
            as_long = len(other) - (last - first) == len(new) - (end - start)
            found.append(
                as_long
                and (*file[low:first], *other, *file[last:high])
                == (*file[low:start], *new, *file[end:high])
            )
        return np.array(found)


@dataclass(frozen=True, slots=True)
class _SketchLine:
    """A line of the sketch: its positions in the file, its score if new, and the positions and scores of similar lines.

    others: which of the similar ones give another name a value.
    """

    positions: Indices
    new: float
    alike: Indices
    worth: Array
    others: NDArray[np.bool_]

    def reversed(self, last: int) -> _SketchLine:
        """A copy of the line for the file read upwards. last: the file's last position."""
        return _SketchLine(
            last - self.positions[::-1],
            self.new,
            last - self.alike[::-1],
            self.worth[::-1],
            self.others[::-1],
        )

    def from_line(self, low: int) -> _SketchLine:
        """A copy of the line for the file without its first ``low`` lines; positions above are dropped."""
        later = self.alike >= low
        return _SketchLine(
            self.positions[self.positions >= low] - low,
            self.new,
            self.alike[later] - low,
            self.worth[later],
            self.others[later],
        )


def _num_unseen(new: Sequence[str], old: Sequence[str]) -> int:
    """How many lines at the beginning of a range go before the first that the new lines have anywhere, or all of them
    if there is none; 0 if the first line stays or is rewritten, or either side is empty. Blank lines with which both
    begin are passed over.
    """
    blank = min(num_blank(new), num_blank(old))
    new, old = new[blank:], old[blank:]
    if not new or not old or new[0] == old[0]:
        return 0
    if likeness(new[0], old[0], _SAME if is_other_name(new[0], old[0]) else 0.5):
        return 0
    stay = set(new)
    return next((n for n, line in enumerate(old) if line in stay), len(old))


def _logsum(values: Array, axis: int) -> Array:
    """The logarithm of the sum of exponentials along an axis."""
    top = values.max(axis=axis, keepdims=True)
    total: Array = (np.log(np.exp(values - top).sum(axis=axis, keepdims=True)) + top).squeeze(axis)
    return total


def _largest(values: Array, axis: int) -> Array:
    """The maximum along an axis."""
    largest: Array = values.max(axis=axis)
    return largest
