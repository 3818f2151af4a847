"""Where a piece of a sketch belongs: by its first and its last lines, or nowhere for certain.

The rules and their reasons: ``docs/explanation/apply.md``. In short: what lies between the buffer's
lines that are the piece's first and last line becomes the piece. An edge is *firm* if its line
stands in the buffer once, or if it begins a row of lines, two of them strong, that stands there
once. A piece has a place if both edges are firm, and no other pair of such lines lies inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from editd.apply.lines import Lines, num_strong
from editd.diff.matching import is_weak


@dataclass(frozen=True, slots=True)
class Place:
    """Lines ``start .. end`` of the buffer become ``lines``, the piece as it is indented there.

    above, below: how many of the first and the last lines are the buffer's own.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    above: int
    below: int

    @property
    def core(self) -> tuple[int, int]:
        """The lines that are replaced: without those that the piece only shows."""
        return self.start + self.above, max(self.start + self.above, self.end - self.below)

    @property
    def changes_nothing(self) -> bool:
        return self.above == len(self.lines) == self.end - self.start


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Why there is none. edge: index into the piece's lines. found: the buffer's lines like it."""

    edge: int
    found: tuple[int, ...]
    both_firm: bool = False


@dataclass(frozen=True, slots=True)
class _Edge:
    at: int
    sole: bool


def place(
    piece: Sequence[str],
    lines: Lines,
    *,
    blank_above: bool = False,
    blank_below: bool = False,
    moved: bool = False,
    allowed: tuple[int, int] | None = None,
) -> Place | NoPlace:
    """The one place of ``piece``.

    blank_above, blank_below: blank lines were taken from that edge. moved: it is indented otherwise
    than it was written. Both make an edge need two strong lines. allowed: lines of the buffer, start
    and end, where it may be.
    """
    keys = tuple(line.rstrip() for line in piece)
    low, high = allowed or (0, len(lines))
    starts = [i for i in lines.where.get(keys[0], ()) if low <= i < high]
    lasts = [i for i in lines.where.get(keys[-1], ()) if low <= i < high]
    if not starts or not lasts or (moved and (blank_above or blank_below)):
        return NoPlace(len(keys) - 1 if starts else 0, ())
    if len(keys) == 1:
        return _place_of_one(keys, piece, lines, starts, blank=blank_above or blank_below)

    def below(start: int) -> Sequence[str]:
        return keys[: lines.run_down(keys, start)]

    def above(last: int) -> Sequence[str]:
        return keys[len(keys) - lines.run_up(keys, last + 1) :]

    top_rule = _Rule(lines, needs_two=blank_above or moved, may_be_sole=not blank_above)
    bottom_rule = _Rule(lines, needs_two=blank_below or moved, may_be_sole=not blank_below)
    # A line that stands there once leaves the other edge fewer lines to choose from; a row does not,
    # because what makes it heavy may be a new line that happens to stand elsewhere.
    top = top_rule.firm(starts, below, margin=2)
    bottom = bottom_rule.firm(lasts, above, margin=2)
    if top is not None and top.sole:
        lasts = [i for i in lasts if i > top.at]
        bottom = bottom_rule.firm(lasts, above, margin=1)
    elif bottom is not None and bottom.sole:
        starts = [i for i in starts if i < bottom.at]
        top = top_rule.firm(starts, below, margin=1)
    if top is None:
        return NoPlace(0, tuple(starts))
    if bottom is None or bottom.at <= top.at:
        return NoPlace(len(keys) - 1, tuple(lasts))
    # Another such line inside: the piece may be meant to begin or to end there.
    if not top.sole and any(top.at < i < bottom.at for i in starts):
        return NoPlace(0, tuple(starts))
    if not bottom.sole and any(top.at < i < bottom.at for i in lasts):
        return NoPlace(len(keys) - 1, tuple(lasts))
    found = _fitted(top.at, bottom.at + 1, piece, keys, lines)
    both_sole = top.sole and bottom.sole
    rows = num_strong(below(top.at)) >= 2 and num_strong(above(bottom.at)) >= 2
    removed = found.core[1] - found.core[0]
    if removed > _FEW_LINES and not (both_sole and rows):
        return NoPlace(len(keys) - 1, (bottom.at,))
    if found.changes_nothing and moved:
        return NoPlace(0, (top.at,), both_firm=True)  # or is the indentation the change?
    if found.changes_nothing and not both_sole:
        return NoPlace(0, tuple(starts), both_firm=True)
    return found


_FEW_LINES = 5


@dataclass(frozen=True, slots=True)
class _Rule:
    """What makes an edge firm. needs_two: a row must have two strong lines, one line is no row."""

    lines: Lines
    needs_two: bool
    may_be_sole: bool

    def firm(
        self, found: Sequence[int], row_at: Callable[[int], Sequence[str]], *, margin: int
    ) -> _Edge | None:
        """The one of ``found`` that the edge can mean; ``None`` where the rules leave a choice."""
        if not found:
            return None
        rows = [row_at(index) for index in found]
        sole = len(found) == 1 and self.may_be_sole
        if sole and not is_weak(self.lines.keys[found[0]]):
            return _Edge(found[0], sole=True)
        weights = [self._weight(row) for row in rows]
        best = max(weights)
        others = sorted(weights)[:-1]
        if best < 2 or (others and others[-1] > best - margin):
            return None
        return _Edge(found[weights.index(best)], sole=sole)

    def _weight(self, row: Sequence[str]) -> int:
        return 0 if self.needs_two and num_strong(row) < 2 else self.lines.weight(row)


def _place_of_one(
    keys: Sequence[str], piece: Sequence[str], lines: Lines, found: Sequence[int], *, blank: bool
) -> Place | NoPlace:
    """A line that the buffer has changes nothing, wherever it stands."""
    if blank or is_weak(keys[0]):
        return NoPlace(0, tuple(found))
    return _fitted(found[0], found[0] + 1, piece, keys, lines)


def _fitted(start: int, end: int, piece: Sequence[str], keys: Sequence[str], lines: Lines) -> Place:
    most = min(len(keys), end - start)
    above = min(lines.run_down(keys, start), most)
    below = min(lines.run_up(keys, end), most - above)
    return Place(start, end, tuple(piece), above, below)
