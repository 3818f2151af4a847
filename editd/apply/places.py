"""Where a piece of a sketch belongs: the heaviest reading, if it has no rival.

A *reading* is a pair of the buffer's lines, taken as the piece's first and last line. The range between
them becomes the piece. A reading is supported by its *rows*: the lines with which both the piece and the
range begin, and those with which both end. The rules and their reasons are in
``docs/explanation/apply.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product

from editd.apply.lines import Lines, likeness, nesting, num_strong, strong_lines
from editd.diff.matching import is_weak


@dataclass(frozen=True, slots=True)
class Place:
    """Lines ``start .. end`` of the buffer become ``lines``, the piece as it is indented there.

    above, below: how many of the first and last lines are the buffer's own. shifted: whether the sketch
    indents the piece differently.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    above: int
    below: int
    shifted: bool = False

    @property
    def core(self) -> tuple[int, int]:
        """The replaced range of lines, without those that the piece only shows."""
        return self.start + self.above, max(self.start + self.above, self.end - self.below)

    def difference(self, lines: Lines) -> tuple[list[str], list[str]]:
        """The buffer's lines that go and the new lines, in no order. Lines that stay are in neither list."""
        old = Counter(lines.keys[slice(*self.core)])
        new = Counter(
            line.rstrip() for line in self.lines[self.above : len(self.lines) - self.below]
        )
        return list((old - new).elements()), list((new - old).elements())

    def clashes(self, start: int, end: int, core: int, core_end: int) -> bool:
        """Whether it changes a line of ``start .. end``, or shows or changes one of ``core .. core_end``."""
        first, last = self.core
        return max(first, start) < min(last, end) or max(core, self.start) < min(core_end, self.end)

    @property
    def is_even(self) -> bool:
        """Whether it shows as many strong lines above the change as below."""
        return num_strong(self.lines[: self.above]) == num_strong(
            self.lines[len(self.lines) - self.below :]
        )

    @property
    def is_thin(self) -> bool:
        """Whether lines go, and the piece shows at most one strong line above them or below them."""
        start, end = self.core
        above, below = self.lines[: self.above], self.lines[len(self.lines) - self.below :]
        return start < end and min(num_strong(above), num_strong(below)) < _SURE

    @property
    def is_as_deep(self) -> bool:
        """Whether the sketch has the buffer's indentation: some row has a strong line that is indented."""
        rows = *self.lines[: self.above], *self.lines[len(self.lines) - self.below :]
        return not self.shifted and any(not is_weak(line) and line[0].isspace() for line in rows)

    @property
    def changes_nothing(self) -> bool:
        return self.above == len(self.lines) == self.end - self.start


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Why a piece has no place.

    edge: the line that is in doubt, 0 for the piece's first, -1 for its last. found: indices of lines in
    the buffer where it might be. only: the place of its only reading, which has too little support.
    reason: a sentence that says more, if there is one.
    """

    edge: int
    found: tuple[int, ...]
    only: Place | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """Lines ``start .. end`` as the piece's.

    above, below: the lengths of its rows. weight: how much they weigh. rows: the number of lines in
    both, each counted once.
    """

    start: int
    end: int
    above: int
    below: int
    weight: int
    rows: int

    def touches(self, other: Place) -> bool:
        """Whether one of the two changes what the other changes or shows."""
        return other.clashes(self.start, self.end, self.start + self.above, self.end - self.below)

    def holds(self, other: _Reading) -> bool:
        return self.start <= other.start and other.end <= self.end


_MOST_READINGS = 4_000  # above this only the heaviest are compared
_SURE = 2  # strong lines; so many are hardly new lines that the file also has by chance
_LEAD = 2  # in weight over a reading elsewhere
_LEAD_INSIDE = 3  # in weight over a smaller reading within it, which would delete less
_FEW_LINES = 3  # removed lines for which ``_LEAD`` over a smaller reading is enough
_SOME_LINES = 5  # removed lines for which one strong line on each side is enough
_MANY_LINES = 40


def place(
    piece: Sequence[str],
    lines: Lines,
    *,
    careful_above: bool = False,
    careful_below: bool = False,
    shifted: bool = False,
    context: int = 1,
    taken: Sequence[Place] = (),
) -> Place | NoPlace:
    """The one place of ``piece``.

    careful_above, careful_below: this edge was changed (blank lines were removed, or the piece was
    shifted), so its row needs two strong lines. context: the least length of both rows. taken: the places
    of other pieces, whose lines this one cannot change.
    """
    keys = tuple(line.rstrip() for line in piece)
    starts, lasts = lines.where.get(keys[0], []), lines.where.get(keys[-1], [])
    if not starts or not lasts:
        return NoPlace(-1 if starts else 0, ())
    if lines.is_too_much((len(starts) + len(lasts)) * len(keys)):
        return NoPlace(0, tuple(starts))  # of so many places none is certain
    if len(keys) == 1:
        return _place_of_one(piece, starts, careful=careful_above or careful_below)
    every = [
        one for one in _readings(keys, lines, starts, lasts) if min(one.above, one.below) >= context
    ]
    shown = [one for one in every if not any(map(one.touches, taken))]
    if not shown:
        return NoPlace(0, ())
    best, others = _best(shown, keys, lines)
    if best is None:
        return NoPlace(
            0 if len(starts) > len(lasts) else -1,
            tuple(starts if len(starts) >= len(lasts) else lasts),
        )
    if any(one.weight > best.weight or _is_apart(one, best) for one in set(every) - set(shown)):
        return NoPlace(
            0, (best.start,)
        )  # a reading that another piece rules out is as good, and may be the right one
    found = replace(_fitted(best, piece, keys, lines), shifted=shifted)
    rival = next(
        (
            other
            for other in others
            if not _beats(best, found, other, lines)
            and not _says_same(best, other, keys, lines)
            and not (_is_framed(best, keys) and other.above != other.below)
        ),
        None,
    )
    if rival is not None:
        above = rival.start != best.start
        return NoPlace(0 if above else -1, tuple(starts if above else lasts))
    top = keys[: lines.run_down(keys, best.start)]
    bottom = keys[len(keys) - lines.run_up(keys, best.end) :]
    lone = len(shown) == 1
    only = found if lone else None
    for edge, row, careful in ((0, top, careful_above), (-1, bottom, careful_below)):
        few = num_strong(row) < _SURE
        fits = shifted and lone and keys[edge]
        blank = not keys[edge] and not (lone and found.core[0] == found.core[1])
        if few and ((careful and not fits) or (blank and not _is_adjacent(found, lines))):
            return NoPlace(edge, (best.start if edge == 0 else best.end - 1,), only)
    sole = all(len(lines.where[keys[edge]]) == 1 for edge in (0, -1))
    if shifted and len(found.difference(lines)[0]) > 2 * _SOME_LINES:
        return NoPlace(-1, (best.end - 1,), only)
    strong = min(num_strong(top), num_strong(bottom))
    if not _says_enough(best, found, strong, lines, sole=sole, lone=lone):
        return NoPlace(-1, (best.end - 1,), only)
    if found.changes_nothing and (careful_above or careful_below):
        return NoPlace(0, (best.start,))
    return found


def _readings(
    keys: Sequence[str], lines: Lines, starts: Sequence[int], lasts: Sequence[int]
) -> Iterator[_Reading]:
    """Every reading with its weight. If there are too many, only those with heavy rows, or none."""
    weights_down, weights_up = _weights(keys, lines), _weights(keys[::-1], lines)
    tops = [(i, lines.run_down(keys, i)) for i in starts]
    bottoms = [(i + 1, lines.run_up(keys, i + 1)) for i in lasts]
    if len(tops) * len(bottoms) > _MOST_READINGS:
        heaviest = (
            max(weights_down[row] for _, row in tops),
            max(weights_up[row] for _, row in bottoms),
        )
        tops = [one for one in tops if weights_down[one[1]] > heaviest[0] - _LEAD_INSIDE]
        bottoms = [one for one in bottoms if weights_up[one[1]] > heaviest[1] - _LEAD_INSIDE]
        if len(tops) * len(bottoms) > _MOST_READINGS or min(heaviest) < _LEAD_INSIDE:
            return
    for (start, down), (end, up) in product(tops, bottoms):
        size = end - start
        if size > 1:
            down_here, up_here = min(down, size), min(up, size)
            weight = weights_down[down_here] + weights_up[up_here]
            rows = min(down_here + up_here, size, len(keys))
            yield _Reading(start, end, down_here, up_here, weight, rows)


def _weights(keys: Sequence[str], lines: Lines) -> list[int]:
    """The weight of the first n lines, for each n. A repeated line weighs nothing."""
    first = {key: number for number, key in reversed(list(enumerate(keys)))}
    own = (lines.weight((key,)) if first[key] == n else 0 for n, key in enumerate(keys))
    return [0, *accumulate(own)]


def _best(
    readings: Sequence[_Reading], keys: Sequence[str], lines: Lines
) -> tuple[_Reading | None, list[_Reading]]:
    """The heaviest reading and all others. Of equally heavy ones the longer rows win, then the smaller range.

    A reading that changes nothing is not chosen unless it is the only one. It is still a rival.
    """
    changing = [one for one in readings if one.rows < max(one.end - one.start, len(keys))]
    if not changing:
        only = readings[0] if len(readings) == 1 else None
        strong = only is not None and not is_weak(keys[0]) and not is_weak(keys[-1])
        sole = all(len(lines.where[key]) == 1 for key in (keys[0], keys[-1]))
        return (only, []) if strong and sole else (None, [])
    best = max(changing, key=lambda one: (one.weight, one.rows, one.start - one.end))
    return best, [one for one in readings if one is not best]


def _beats(best: _Reading, found: Place, other: _Reading, lines: Lines) -> bool:
    """Whether ``other`` is no rival of ``best``."""
    lead = best.weight - other.weight
    gone, written = found.difference(lines)
    new, removed = strong_lines(written), len(gone)
    if best.holds(other):
        outside = (*range(best.start, other.start), *range(other.end, best.end))
        if lead >= 0 and other.rows < best.rows and not any(lines.keys[i] for i in outside):
            return True  # the same place without some of its blank lines
        if other.rows == other.end - other.start and best.rows != best.end - best.start:
            return False  # it deletes nothing
        # The smaller one deletes less, so the larger one must weigh more and add something.
        enough = _LEAD if removed <= _FEW_LINES else _LEAD_INSIDE
        return lead >= enough and bool(new) and removed <= 2 * _SOME_LINES
    if not other.holds(best):
        return lead >= _LEAD
    # The larger one keeps all lines that the smaller one shows, and deletes more.
    if not new:
        return False
    if (best.start != other.start and not found.lines[0].strip()) or (
        best.end != other.end and not found.lines[-1].strip()
    ):
        return False  # blank lines are everywhere, and removed lines often end with one
    return lead >= _LEAD and _only_edges(best, other)


def _is_framed(best: _Reading, keys: Sequence[str]) -> bool:
    """Whether its rows are equally long, two lines at least: such a sketch shows its context evenly."""
    rows = keys[: best.above], keys[len(keys) - best.below :]
    return best.above == best.below >= _SURE and all(map(num_strong, rows))


def _is_apart(one: _Reading, best: _Reading) -> bool:
    return one.weight >= best.weight and (one.end <= best.start or best.end <= one.start)


def _says_same(best: _Reading, other: _Reading, keys: Sequence[str], lines: Lines) -> bool:
    """Whether both readings give the same text."""
    start, end = min(best.start, other.start), max(best.end, other.end)
    first, second = (
        (*lines.keys[start : one.start], *keys, *lines.keys[one.end : end]) for one in (best, other)
    )
    return first == second


def _only_edges(best: _Reading, other: _Reading) -> bool:
    """Whether at each edge where they differ ``other`` has a single line and ``best`` a longer row."""
    above = best.start == other.start or (other.above == 1 < best.above)
    below = best.end == other.end or (other.below == 1 < best.below)
    return above and below


def _is_adjacent(found: Place, lines: Lines) -> bool:
    """Whether few lines go, and each of them is rewritten as a similar line."""
    gone, written = found.difference(lines)
    old, new = strong_lines(gone), strong_lines(written)
    if not old or len(gone) > 2 * _SOME_LINES:
        return False
    return all(any(likeness(was, now, 0.6) for now in new) for was in old)


def _says_enough(
    best: _Reading, found: Place, strong: int, lines: Lines, *, sole: bool, lone: bool
) -> bool:
    """Whether the rows are enough support for the change.

    strong: the number of strong lines in the weaker row. sole: the file has each edge line once. lone:
    there is no other reading.
    """
    gone, written = found.difference(lines)
    removed, new = len(gone), strong_lines(written)
    if not strong:
        # A bracket at the edge may be a new line, unless the added lines close what the removed ones did.
        # And the piece may be about another place, if the file has its new lines there.
        if not _are_brackets(found) or _is_comment(found) or nesting(gone) != nesting(written):
            return False
        if any(_stands_outside(line, found, lines) for line in new):
            return False
        return (lone and bool(new) and removed <= _SOME_LINES) or (sole and removed <= _MANY_LINES)
    sure, few = strong >= _SURE, removed <= 2 * _SOME_LINES
    if removed <= _SOME_LINES or (sure and _is_adjacent(found, lines)):
        return True
    if not new:
        return (
            sole
            and (sure or found.above == found.below)
            and (few or (removed <= _MANY_LINES and best.weight >= 3 * _LEAD))
        )
    return few or (sole and sure) or (removed <= _MANY_LINES and (sole or (lone and sure)))


def _are_brackets(found: Place) -> bool:
    return all(not is_weak(line) or line.strip() for line in (found.lines[0], found.lines[-1]))


def _is_comment(found: Place) -> bool:
    """Whether it begins and ends with comment marks alone: it may be an additional comment."""
    return all(_COMMENT_MARK.fullmatch(line) for line in (found.lines[0], found.lines[-1]))


_COMMENT_MARK = re.compile(r"\s*(?:/?\*+/?|#+|//+|--+)\s*")


def _stands_outside(line: str, found: Place, lines: Lines) -> bool:
    """Whether the file has the new line elsewhere: the piece may be about that place."""
    return any(not found.start <= i < found.end for i in lines.where_bare.get(line, ()))


def _place_of_one(piece: Sequence[str], found: Sequence[int], *, careful: bool) -> Place | NoPlace:
    """A piece of one line that the buffer has changes nothing, wherever the line is."""
    if careful or is_weak(piece[0]):
        return NoPlace(0, tuple(found))
    return Place(found[0], found[0] + 1, tuple(piece), 1, 0)


def _fitted(reading: _Reading, piece: Sequence[str], keys: Sequence[str], lines: Lines) -> Place:
    start, end = reading.start, reading.end
    most = min(len(keys), end - start)
    above = min(lines.run_down(keys, start), most)
    below = min(lines.run_up(keys, end), most - above)
    return Place(start, end, tuple(piece), above, below)
