"""What a piece that has a place could mean as well.

Its place rests on lines that stand in the file, and on how deep they are. Where these can be explained
in another way that gives another text, the piece is in doubt for all that speaks for its place. Knows one
piece, its place and the places of the others; the rules: ``docs/explanation/apply.md``.
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
    """The places, in the sketch's order, without those that may as well mean something else."""
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
    """Whether it is the head of what is shown next, or the line beside it: else a change may have got lost."""
    place = found[number]
    assert isinstance(place, Place)  # noqa: S101
    others = [one for one in found if isinstance(one, Place) and one is not place]
    if any(place.end == one.start or one.end == place.start for one in others):
        return True
    below = found[number + 1] if number + 1 < len(found) else None
    if below is None:
        return len(found) == 1
    if not isinstance(below, Place):
        return True  # which is in doubt itself
    if place.lines[-1].rstrip().endswith(",") and "(" not in place.lines[-1]:
        return False  # one of many, and no head
    depth = len(indent_of(next(line for line in below.lines if line.strip())))
    return below.start >= place.end and depth > len(indent_of(place.lines[-1]))


def _may_go_on(place: Place, found: Sequence[Place | NoPlace], lines: Lines) -> bool:
    """Whether it may begin or end right beside a part that changes nothing, and delete what lies between.

    The marker between such a part and its neighbour often stands for no line at all.
    """
    still = [one for one in found if isinstance(one, Place) and one.changes_nothing]
    first, last = place.lines[0].rstrip(), place.lines[-1].rstrip()
    return any(
        one.end < place.start and lines.keys[one.end] == first != "" for one in still
    ) or any(place.end < one.start and lines.keys[one.start - 1] == last != "" for one in still)


def _cuts_blank_lines(place: Place, lines: Lines) -> bool:
    """Whether it begins or ends with a blank line, and the file has one more beyond it."""
    ends = (place.lines[0], place.start - 1), (place.lines[-1], place.end)
    return any(
        not line.strip() and 0 <= beyond < len(lines) and not lines.keys[beyond]
        for line, beyond in ends
    )


def _moves(place: Place, lines: Lines) -> bool:
    """Whether a line that the file has once, next above or below the piece, is put there: it may be moved."""
    above = next(filter(None, reversed(lines.keys[: place.start])), "")
    below = next(filter(None, lines.keys[place.end :]), "")
    new = place.difference(lines)[1]
    return any(line in new and lines.weight((line,)) > 1 for line in (above, below))


def _is_unevenly_shifted(place: Place, lines: Lines) -> bool:
    """Whether a line is, as shifted, the file's but for its indentation: others may be as wrong."""
    if not place.shifted:
        return False
    gone, written = place.difference(lines)
    return bool(set(strong_lines(gone)) & set(strong_lines(written)))


def _stands_elsewhere(place: Place, lines: Lines) -> bool:
    """Whether another place has all that the piece says, but for where lines are broken."""
    said = "".join(map(unbroken, place.lines))
    around = lines.unbroken[: place.start], lines.unbroken[place.end :]
    return any(said in "".join(side) for side in around)


def _is_edge_new(place: Place, lines: Lines) -> bool:
    """Whether a row may be what becomes of lines that go, or be put there, and nothing is shown beyond it."""
    end = place.core[1]
    first, last = place.above, len(place.lines) - place.below
    old = [line.strip() for line in lines.keys[place.start : place.end]]
    new = [line.strip() for line in place.lines]
    inner = changes(old[first : end - place.start], new[first:last])
    touched = []  # of each row that a change is beside: the row, what stood before it, what goes, what comes
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
    """Whether a row may be: beside it the last ``gone`` lines of ``old`` become ``new``.

    written: all lines of the piece that are new.
    """
    if not gone or not row or not row[-1]:
        return False
    alone = num_strong(row) <= 1 and _WORD.search(row[-1])
    is_list = all(_kind(line) == _kind(row[-1]) for line in old[-gone:] if line)
    if alone and is_list and gone > len(new):
        return True  # of a list: it may be one that is put there
    if _pair_up(new, old[-gone:]):
        return False
    if not num_strong(row) and set("".join(row)) & set("{[(") and not any(nesting(row)):
        # It separates what stands side by side, as “} | {” does: another one may be put there.
        return True
    if alone and (is_list or gone - len(new) > _MUCH):
        return True  # it may be one more; or it alone speaks for all that goes
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
    """Whether the last lines of both are versions of each other, so that what follows them stays."""
    now, then = (next((line for line in reversed(side) if line), "") for side in (new, old))
    return bool(now and then) and likeness(now, then, _ALIKE) > 0


def _kind(line: str) -> str:
    """The line's form without its words."""
    return _WORD.sub("w", line)


_WORD = re.compile(r"\w+")
_MUCH = 10  # lines that go without others in their place
_ALIKE, _VERY_ALIKE = 0.59, 0.75  # of a line that may be another's version; 0.59: “}” and “},”
