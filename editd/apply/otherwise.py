"""Doubts about a piece that has a place, because it could mean something else.

A place is supported by lines that the file has and by their indentation. If these can be explained in
another way that gives another text, the piece is in doubt, however strong its support. Knows one piece,
its place and the places of the others. The rules are in ``docs/explanation/apply.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.apply.lines import (
    Lines,
    indent_of,
    likeness,
    nesting,
    num_strong,
    strong_lines,
    unbroken,
)
from editd.apply.places import NoPlace, Place
from editd.apply.shape import is_shaped
from editd.diff.matching import changes, is_weak


def doubted(found: Sequence[Place | NoPlace], lines: Lines) -> list[Place | NoPlace]:
    """The places in the sketch's order; a piece that could mean something else has ``NoPlace``."""
    return [
        NoPlace(0, (one.start,), reason=reason)
        if isinstance(one, Place) and (reason := _other_meaning(number, found, lines))
        else one
        for number, one in enumerate(found)
    ]


def _other_meaning(number: int, found: Sequence[Place | NoPlace], lines: Lines) -> str:
    place = found[number]
    assert isinstance(place, Place)  # noqa: S101 - the caller has looked
    at = f"line {place.start + 1} of the file"
    if place.changes_nothing:
        return (
            ""
            if _is_for_show(number, found)
            else (
                f"A part of the sketch changes nothing at {at}, so what it is about is not shown; show more "
                "lines around the change, or leave that part out."
            )
        )
    if _may_go_on(place, found, lines):
        return (
            f"The part of the sketch at {at} begins or ends with a line that the file also has right beside "
            "another part; show one more line above and below the change."
        )
    if _is_edge_new(place, lines):
        return (
            f"The part of the sketch at {at} begins or ends with a line that may be new or may stay; show "
            "one more line above and below the change."
        )
    if _cuts_blank_lines(place, lines):
        return (
            f"The part of the sketch at {at} shows some of several blank lines, and the others may stay or go; "
            "show all of them."
        )
    if _moves(place, lines):
        return (
            f"The part of the sketch at {at} puts lines there that stand right beyond it, so they may be meant "
            "to move; show them in their old place too, or a line beyond it."
        )
    if _stands_elsewhere(place, lines):
        return (
            f"The part of the sketch at {at} is what other lines of the file say, broken otherwise; show "
            "more lines around the change."
        )
    if not is_shaped(place, lines) or _is_unevenly_shifted(place, lines):
        return f"New lines at {at} are not as deep as the file's lines would be; indent them like the file."
    return ""


def _is_for_show(number: int, found: Sequence[Place | NoPlace]) -> bool:
    """Whether a piece that changes nothing only shows where another one is, as its head or neighbour.

    Otherwise its change may have been lost.
    """
    place = found[number]
    assert isinstance(place, Place)  # noqa: S101
    others = [one for one in found if isinstance(one, Place) and one is not place]
    if any(place.end == one.start or one.end == place.start for one in others):
        return True
    below = found[number + 1] if number + 1 < len(found) else None
    if below is None:
        return len(found) == 1
    if not isinstance(below, Place):
        return True  # the piece below is in doubt itself
    if place.lines[-1].rstrip().endswith(",") and "(" not in place.lines[-1]:
        return False  # an element of a list is not the head of anything
    depth = len(indent_of(next(line for line in below.lines if line.strip())))
    return below.start >= place.end and depth > len(indent_of(place.lines[-1]))


def _may_go_on(place: Place, found: Sequence[Place | NoPlace], lines: Lines) -> bool:
    """Whether it may begin or end right beside a part that changes nothing, and delete the lines between.

    The marker between such a part and its neighbour often stands for no lines.
    """
    still = [one for one in found if isinstance(one, Place) and one.changes_nothing]
    first, last = place.lines[0].rstrip(), place.lines[-1].rstrip()
    return any(
        one.end < place.start and lines.keys[one.end] == first != "" for one in still
    ) or any(place.end < one.start and lines.keys[one.start - 1] == last != "" for one in still)


def _cuts_blank_lines(place: Place, lines: Lines) -> bool:
    """Whether its first or last line is blank, and the file has another blank line beyond it."""
    ends = (place.lines[0], place.start - 1), (place.lines[-1], place.end)
    return any(
        not line.strip() and 0 <= beyond < len(lines) and not lines.keys[beyond]
        for line, beyond in ends
    )


def _moves(place: Place, lines: Lines) -> bool:
    """Whether it adds the line right above or below it, which the file has once: that line may be moved."""
    above = next(filter(None, reversed(lines.keys[: place.start])), "")
    below = next(filter(None, lines.keys[place.end :]), "")
    new = place.difference(lines)[1]
    return any(line in new and lines.weight((line,)) > 1 for line in (above, below))


def _is_unevenly_shifted(place: Place, lines: Lines) -> bool:
    """Whether a shifted line differs from a removed one in indentation alone.

    Then the piece was indented unevenly, and its other lines may be wrong too.
    """
    if not place.shifted:
        return False
    gone, written = place.difference(lines)
    return bool(set(strong_lines(gone)) & set(strong_lines(written)))


def _stands_elsewhere(place: Place, lines: Lines) -> bool:
    """Whether the file has the whole piece elsewhere, with other line breaks."""
    said = "".join(map(unbroken, place.lines))
    around = lines.unbroken[: place.start], lines.unbroken[place.end :]
    return any(said in "".join(side) for side in around)


def _is_edge_new(place: Place, lines: Lines) -> bool:
    """Whether a row at an edge may be new: a new version of removed lines, or an addition."""
    end = place.core[1]
    first, last = place.above, len(place.lines) - place.below
    old = [line.strip() for line in lines.keys[place.start : place.end]]
    new = [line.strip() for line in place.lines]
    inner = changes(old[first : end - place.start], new[first:last])
    # For each row beside a change: the row, the old lines before it, how many go, and the new lines.
    touched = []
    if inner and (first + inner[-1].old_end, first + inner[-1].new_end) == (
        end - place.start,
        last,
    ):
        gone, comes = (
            inner[-1].old_end - inner[-1].old_start,
            new[first + inner[-1].new_start : last],
        )
        touched.append((new[last:], old[: end - place.start], gone, comes))
    if inner and inner[0].old_start == inner[0].new_start == 0:
        gone, comes = inner[0].old_end, new[first : first + inner[0].new_end]
        touched.append((new[:first][::-1], old[first:][::-1], gone, comes[::-1]))
    written = strong_lines(place.difference(lines)[1])
    return any(_is_new(*one, written) for one in touched)


def _is_new(
    row: Sequence[str], old: Sequence[str], gone: int, new: Sequence[str], written: Sequence[str]
) -> bool:
    """Whether the row may be new. Beside it the last ``gone`` lines of ``old`` become ``new``.

    written: all new lines of the piece.
    """
    if not gone or not row or not row[-1]:
        return False
    alone = num_strong(row) <= 1 and _WORD.search(row[-1])
    is_list = all(_kind(line) == _kind(row[-1]) for line in old[-gone:] if line)
    if alone and is_list and gone > len(new):
        return True  # it may be a new element of a list
    if _pair_up(new, old[-gone:]):
        return False
    if not num_strong(row) and set("".join(row)) & set("{[(") and not any(nesting(row)):
        # A separator such as “} | {” may be a new one.
        return True
    if alone and (is_list or gone - len(new) > _MUCH):
        return True  # it may be a new element, or it is the only support for a long deletion
    if not written:
        return False
    least = _ALIKE if is_weak(row[-1]) else _VERY_ALIKE
    for last in range(max(len(row), len(old) - gone + 1), len(old) + 1):
        was = old[last - 1]
        if not was or was == row[-1]:
            continue
        alike = likeness(was, row[-1], least)
        if not alike or any(likeness(was, line, alike) for line in written):
            continue
        pairs = zip(row[:-1], old[last - len(row) : last - 1], strict=True)
        if all(now == then or likeness(now, then, _ALIKE) for now, then in pairs):
            return True
    return False


def _pair_up(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether the last line of one is a version of the other's. Then the lines after them stay."""
    now, then = (next((line for line in reversed(side) if line), "") for side in (new, old))
    return bool(now and then) and likeness(now, then, _ALIKE) > 0


def _kind(line: str) -> str:
    """The line with every word replaced by ``w``."""
    return _WORD.sub("w", line)


_WORD = re.compile(r"\w+")
_MUCH = 10  # removed lines beyond those added
_ALIKE, _VERY_ALIKE = 0.59, 0.75  # least ratio of two versions; 0.59: “}” and “},”
