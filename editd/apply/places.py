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
    allowed: tuple[int, int] | None = None,
) -> Place | NoPlace:
    """The one place of ``piece``. allowed: lines of the buffer (start, end) where it may be."""
    keys = tuple(line.rstrip() for line in piece)
    low, high = allowed or (0, len(lines))
    starts = [i for i in lines.where.get(keys[0], ()) if low <= i < high]
    lasts = [i for i in lines.where.get(keys[-1], ()) if low <= i < high]
    if not starts:
        return NoPlace(0, ())
    if not lasts:
        return NoPlace(len(keys) - 1, ())
    if len(keys) == 1:
        return _place_of_one(keys, piece, lines, starts, blank=blank_above or blank_below)

    def strength_down(start: int) -> int:
        return num_strong(keys[: lines.run_down(keys, start)])

    def strength_up(last: int) -> int:
        return num_strong(keys[len(keys) - lines.run_up(keys, last + 1) :])

    def top_of(margin: int) -> _Edge | None:
        return _firm(starts, keys[0], strength_down, blank=blank_above, margin=margin)

    def bottom_of(margin: int) -> _Edge | None:
        return _firm(lasts, keys[-1], strength_up, blank=blank_below, margin=margin)

    top = top_of(_MARGIN)
    if top is not None:
        lasts = [i for i in lasts if i > top.at]
        bottom = bottom_of(1 if top.sole else _MARGIN)
    else:
        bottom = bottom_of(_MARGIN)
        if bottom is not None:
            starts = [i for i in starts if i < bottom.at]
            top = top_of(1 if bottom.sole else _MARGIN)
    if top is None:
        return NoPlace(0, tuple(starts))
    if bottom is None or bottom.at <= top.at:
        return NoPlace(len(keys) - 1, tuple(lasts))
    start, end = top.at, bottom.at + 1
    inside_top = not top.sole and any(start < i < bottom.at for i in starts)
    inside_bottom = not bottom.sole and any(start < i < bottom.at for i in lasts)
    if inside_top or inside_bottom:
        return NoPlace(0 if inside_top else len(keys) - 1, tuple(starts if inside_top else lasts))
    found = _fitted(start, end, piece, keys, lines)
    firm_rows = strength_down(start) >= _STRONG_LINES and strength_up(bottom.at) >= _STRONG_LINES
    num_removed = found.core[1] - found.core[0]
    if (_removes_much(found) and not firm_rows) or (
        num_removed > _FEW_LINES and not (top.sole and bottom.sole)
    ):
        return NoPlace(len(keys) - 1, (bottom.at,))
    if found.changes_nothing and not (top.sole and bottom.sole):
        return NoPlace(0, tuple(starts), both_firm=True)
    return found


def _firm(
    found: Sequence[int],
    line: str,
    strength: Callable[[int], int],
    *,
    blank: bool,
    margin: int,
) -> _Edge | None:
    """The one index that the edge can mean; ``None`` where the rules leave a choice."""
    if not found:
        return None
    if len(found) == 1 and not blank and not is_weak(line):
        return _Edge(found[0], sole=True)
    strengths = [strength(index) for index in found]
    best = max(strengths)
    others = sorted(strengths)[:-1]
    if best < _STRONG_LINES or (others and others[-1] > best - margin):
        return None
    return _Edge(found[strengths.index(best)], sole=len(found) == 1 and not blank)


def _removes_much(found: Place) -> bool:
    """Whether so many lines go that a coincidence would be a disaster."""
    start, end = found.core
    return end - start > _FEW_LINES + 2 * (len(found.lines) - found.above - found.below)


_STRONG_LINES = 2
_MARGIN = 2
_FEW_LINES = 10


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
