"""The lines that a changed segment (pasted lines between two markers) shares with its range of the file, and whether they prove its location.

A segment has two *rows*: the lines with which both it and its range begin, and those with which both end. They show a
location only if no other range fits almost as well (``rival``), if they are enough for what goes (``is_thin``), and if
they cannot be part of the change themselves (``is_edge_new``): a line that stays and a new line that the file also has
elsewhere look the same (``docs/decisions/0017``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import common_ends, indent_of, likeness, nesting, num_strong
from editd.diff.matching import changes, is_weak

_MOST_RANGES = 4_000  # above it no place is certain
_LEAD = 2  # in weight, over another range
_FEW, _SOME, _MANY = 5, 10, 40  # lines that go: what one strong line supports, two, unique ones
_ALIKE = 0.59  # least ratio of two versions: “}” and “},”
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"(\"[^\"]+\"|'[^']+'|`[^`]+`)")
_FLOW = re.compile(
    r"\W*(?:if|else|elif|elsif|for|foreach|while|until|unless|do|switch|match|with|try|except|catch|finally|return)\b"
)
_KEYWORD = re.compile(r"\W*(?:begin|do|else|finally|try)\W*")
_COMMENT_MARK = re.compile(r"\s*(?:/?\*+/?|#+|//+|--+)\s*")


@dataclass(frozen=True)
class Support:
    """Lines ``start .. end`` of the file that become ``new``, compared."""

    lines: FileLines
    start: int
    end: int
    new: tuple[str, ...]

    @cached_property
    def old(self) -> tuple[str, ...]:
        """The file's lines in the range."""
        return self.lines.keys[self.start : self.end]

    @cached_property
    def rows(self) -> tuple[list[str], list[str]]:
        """The lines that old and new share above the change, and those below it, from the end upwards."""
        return common_ends(self.new, self.old)

    @cached_property
    def removed(self) -> list[str]:
        """Old lines that the new ones have not, as often as they are missing."""
        return list((Counter(self.old) - Counter(self.new)).elements())

    @cached_property
    def added(self) -> list[str]:
        """New lines that the old ones have not, as often as they are added."""
        return list((Counter(self.new) - Counter(self.old)).elements())

    @property
    def strong(self) -> int:
        """The number of different lines with a letter or digit, of the weaker row."""
        return min(map(num_strong, self.rows))

    @property
    def edges(self) -> tuple[str, ...]:
        """The first and the last new line; empty if nothing is new."""
        return (self.new[0], self.new[-1]) if self.new else ()

    def is_sole(self, line: str) -> bool:
        """Whether the file has the line exactly once, trailing blanks aside."""
        return len(self.lines.where.get(line, ())) == 1


# --- other ranges ---


@dataclass(frozen=True, slots=True)
class _Range:
    """Lines ``start .. end`` of the file that begin and end as a segment does.

    above, below: the lengths of the rows. rows: of both, each line counted once. weight: what they weigh
    (``_weights``).
    """

    start: int
    end: int
    above: int
    below: int
    rows: int
    weight: int

    def holds(self, other: _Range) -> bool:
        """Whether the other range lies within this one."""
        return self.start <= other.start and other.end <= self.end


def rival_range(support: Support) -> tuple[int, int] | None:
    """A second range (0-based, end exclusive), of two lines or more, that the rows (the lines shared at both ends)
    support almost as well (``_beats``), and in which the change would give another text; ``None`` if there is none.

    The first one found in which nothing would go, else the first one found. If both rows are equally long, of two lines
    or more, a range in which they are not is no rival, unless nothing goes there and the paste has each line of a row
    twice (those without a letter or digit aside). ``(0, number of lines)`` if the ranges are too many to be compared
    (4,000, or the file's budget of comparisons, which is used up by what is compared).
    """
    lines, new, file = support.lines, support.new, support.lines.keys
    above, below = support.rows
    starts, ends = [support.start], [support.end]
    if above:
        starts = lines.where[new[0]]
    if below:
        ends = [i + 1 for i in lines.where[new[-1]]]
    if len(starts) * len(ends) > _MOST_RANGES or lines.is_too_much(
        (len(starts) + len(ends)) * len(new)
    ):
        return 0, len(file)
    tops = [(start, lines.run_down(new, start)) for start in starts]
    bottoms = [(end, lines.run_up(new, end)) for end in ends]
    down, up = _weights(new, support), _weights(new[::-1], support)

    def range_of(start: int, end: int, top: int, bottom: int) -> _Range:
        """A range with the rows that it shares with the segment."""
        size = end - start
        top, bottom = min(top, size), min(bottom, size)
        rows = min(top + bottom, size, len(new))
        return _Range(start, end, top, bottom, rows, down[top] + up[bottom])

    own = range_of(support.start, support.end, len(above), len(below))
    # a row of lines that the part has twice may be new
    repeats = any(all(is_weak(x) or new.count(x) > 1 for x in row) for row in support.rows)
    framed = own.above == own.below >= 2 and support.strong
    loses, found = num_strong(support.removed) > 0, None
    for (start, top), (end, bottom) in product(tops, bottoms):
        if end - start < 2 or (start, end) == (support.start, support.end):
            continue
        other = range_of(start, end, top, bottom)
        spared = loses and top + bottom >= end - start
        uneven = framed and other.above != other.below and not (repeats and spared)
        if uneven or (found and not spared) or _beats(own, other, support):
            continue
        low, high = min(support.start, start), max(support.end, end)
        own_text = (*file[low : support.start], *new, *file[support.end : high])
        if own_text != (*file[low:start], *new, *file[end:high]):
            if spared:
                return start, end
            found = start, end
    return found


def would_spare_lines(support: Support, where: tuple[int, int]) -> bool:
    """Whether lines with a letter or digit go in the support's own range, while the range ``where`` consists only of lines
    that the segment shows, so none would go there.
    """
    lines, new = support.lines, support.new
    shown = lines.run_down(new, where[0]) + lines.run_up(new, where[1])
    return num_strong(support.removed) > 0 and shown >= where[1] - where[0]


def _weights(new: Sequence[str], support: Support) -> list[int]:
    """The weights of the first n lines, for each n from 0 to all: a line that the file has once weighs 2, another one
    1; lines without a letter or digit, and those that came before in ``new``, weigh nothing.
    """
    seen: set[str] = set()
    found = [0]
    for line in new:
        own = 0 if line in seen or is_weak(line) else 2 if support.is_sole(line) else 1
        seen.add(line)
        found.append(found[-1] + own)
    return found


def _beats(own: _Range, other: _Range, support: Support) -> bool:
    """Whether the range ``own`` is so much better supported than ``other`` that ``other`` is no rival.

    If neither holds the other: it weighs at least 2 more. If ``own`` holds ``other``: it weighs at least 3 more, the
    change adds a line with a letter or digit, and removes ten at most; never if only ``other`` would delete nothing. If
    ``other`` holds ``own``: the change adds such a line, ``own`` weighs at least 2 more, and at each edge that differs
    ``other`` shares just one line, no blank one, and ``own`` more.
    """
    lead, removed = own.weight - other.weight, len(support.removed)
    adds = any(not is_weak(line) for line in support.added)
    if own.holds(other):  # it deletes less, so the larger one must weigh more and add something
        if other.rows == other.end - other.start and own.rows != own.end - own.start:
            return False  # it deletes nothing
        return lead > _LEAD and adds and removed <= _SOME
    if not other.holds(own):
        return lead >= _LEAD
    # It keeps all lines that this one shows, and deletes more. Blank lines are everywhere.
    moved = own.start != other.start, own.end != other.end
    if not adds or any(edge and not line for edge, line in zip(moved, support.edges, strict=True)):
        return False
    longer = other.above == 1 < own.above, other.below == 1 < own.below
    return lead >= _LEAD and all(not edge or more for edge, more in zip(moved, longer, strict=True))


# --- blocks beside each other ---


def lost_block(support: Support, shown: Collection[str]) -> str | None:
    """The first line, stripped, of a block that goes although no other takes its place, such as a rule of CSS or a
    test; ``None`` if there is none, or the change adds no line with a letter or digit.

    Blocks are lines of least depth in the range with deeper ones below, no control flow. shown: the sketch's lines,
    stripped; blocks with such a first line are not lost. If more blocks go than come and fewer than two lines support
    the range, the last that goes is lost; else the first with other names in quotes than the new first lines have, if
    these have any and the number of lines changes.
    """
    removed = [line for line in _heads(support.old) if line.strip() not in shown]
    if not removed or not any(not is_weak(line) for line in support.added):
        return None  # a part that adds nothing is about what goes
    old_lines = {line.strip() for line in support.old}
    added = [line for line in _heads(support.new) if line.strip() not in old_lines]
    if len(removed) > len(added) and support.strong < 2:
        return removed[-1].strip()
    if num_strong(support.removed) == num_strong(support.added):
        return None
    named = {name for line in added for name in _QUOTED.findall(line)}
    return next(
        (line.strip() for line in removed if not named.issuperset(_QUOTED.findall(line)) and named),
        None,
    )


def _heads(row: Sequence[str]) -> list[str]:
    """The least deep lines of a row that are followed by a deeper line, without control flow and lines without a letter
    or digit; blank lines and ``{`` alone are passed over.
    """
    shown = [line for line in row if line.strip() not in ("", "{")]
    least = min((len(indent_of(line)) for line in shown), default=0)
    return [
        line
        for line, below in pairwise(shown)
        if len(indent_of(line)) == least < len(indent_of(below))
        and not is_weak(line)
        and not _FLOW.match(line)
    ]


# --- the rows themselves ---


def is_thin(support: Support) -> bool:
    """Whether the shared rows are too little support for the number of lines that go. A line counts on a side if it has
    a letter or digit.

    With one or more on each side five lines may go in any case. If lines are added: ten; up to 40 if two stand on each
    side or the file has the outermost lines once, any number if both. For the other cases see ``_is_thin_on_a_side``
    and ``_is_thin_for_deletion``.
    """
    adds = any(not is_weak(line) for line in support.added)
    removed, strong = len(support.removed), support.strong
    if not strong:
        return _is_thin_on_a_side(support, adds=adds)
    if removed <= _FEW:
        return False
    if not adds:
        return _is_thin_for_deletion(support)
    sole, supported = _has_sole_edges(support), strong >= 2
    few = removed <= _SOME
    return not (few or (sole and supported) or (removed <= _MANY and (sole or supported)))


def _is_thin_on_a_side(support: Support, *, adds: bool) -> bool:
    """Whether rows of which one has no line with a letter or digit are too little for the lines that go.

    They are unless something is added (``adds``), the outermost lines are neither blank nor all mere signs of comments,
    and five lines go at most; if the file has the outermost lines once, five and two for each line added, 40 at most.
    """
    if not all(support.edges) or all(map(_COMMENT_MARK.fullmatch, support.edges)):
        return True
    much = _FEW
    if _has_sole_edges(support):
        much = min(_MANY, _FEW + 2 * len(support.added))
    return not (adds and len(support.removed) <= much)


def _is_thin_for_deletion(support: Support) -> bool:
    """Whether rows with a letter or digit on each side are too little for a change that adds no such line.

    They are unless the file has the outermost lines once, two such lines stand on each side or the rows are equally
    long, and ten lines go at most, or 40 if the rows weigh 6 or more (``_weights``).
    """
    above, below = support.rows
    removed = len(support.removed)
    weight = _weights(above, support)[-1] + _weights(below, support)[-1]
    return not (
        _has_sole_edges(support)
        and (support.strong >= 2 or len(above) == len(below))
        and (removed <= _SOME or (removed <= _MANY and weight >= 3 * _LEAD))
    )


def _has_sole_edges(support: Support) -> bool:
    """Whether the file has the first and the last new line exactly once each; true if nothing is new."""
    return all(map(support.is_sole, support.edges))


def is_edge_new(support: Support) -> bool:
    """Whether a line that old and new share at an edge may be new rather than the file's: a new element of a list, a
    separator such as ``} | {``, a keyword that begins another statement, or the only support of a deletion of more than
    ten lines. False if nothing changes.
    """
    old, new = [x.strip() for x in support.old], [x.strip() for x in support.new]
    inner = changes(old, new)
    if not inner:
        return False
    row, fewer = support.rows[0], num_strong(support.removed) > num_strong(support.added)
    if row and fewer and all(map(_KEYWORD.fullmatch, row)):
        return True  # another statement that begins so
    top, bottom = inner[0], inner[-1]
    # For each row, the outermost line last: its lines, and those that go and come beside it.
    below = (
        new[bottom.new_end :],
        old[bottom.old_start : bottom.old_end],
        new[bottom.new_start : bottom.new_end],
    )
    above = (
        new[: top.new_start][::-1],
        old[top.old_start : top.old_end][::-1],
        new[top.new_start : top.new_end][::-1],
    )
    return any(_is_new(*side) for side in (above, below))


def _is_new(row: Sequence[str], removed: Sequence[str], added: Sequence[str]) -> bool:
    """Whether the row of shared lines on one side of a change may be new rather than the file's: an element like those
    that go, where more go than come; a line that opens and closes brackets; or a single line that is like those that go
    or beside more than ten that go.

    False if the row or ``removed`` is empty, or the outermost line is blank; and, but for the first of these, if the
    last lines that go and come are alike. row: its lines, the outermost last. removed, added: the lines that go and
    come beside it, in the same direction.
    """
    if not removed or not row or not row[-1]:
        return False
    alone = num_strong(row) <= 1 and _WORD.search(row[-1])
    is_list = len({_WORD.sub("w", line) for line in (row[-1], *filter(None, removed))}) == 1
    if alone and is_list and len(removed) > len(added):
        return True
    last_added, last_removed = (next(filter(None, reversed(side)), "") for side in (added, removed))
    if last_added and last_removed and likeness(last_added, last_removed, _ALIKE):
        return False  # the last lines are versions of each other, so those after them stay
    if not num_strong(row) and set("".join(row)) & set("{[(") and not any(nesting(row)):
        return True  # a separator such as “} | {”
    return bool(alone and (is_list or len(removed) - len(added) > _SOME))
