"""What placed pieces and blocks change, line by line; what they only show stays byte for byte.

Knows the noise of trailing blanks: assistants lose those of a file and add some of their own. A line
that differs in nothing else stays as it is, unless that may be the very change that is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editd.apply.lines import Lines
from editd.apply.outcome import Doubt
from editd.apply.places import Place
from editd.diff.matching import changes


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines ``start .. end`` of the buffer become ``new``, lines without ends."""

    start: int
    end: int
    new: tuple[str, ...]


def edits_of_block(place: Place, old: Sequence[str], new: Sequence[str]) -> list[Edit]:
    """What a block changes: it says itself which lines are old, so nothing of it is noise."""
    return [
        Edit(
            place.start + c.old_start, place.start + c.old_end, tuple(new[c.new_start : c.new_end])
        )
        for c in changes(old, new)
    ]


def edits_of_pieces(places: Sequence[Place], lines: Lines) -> list[Edit]:
    """What the pieces of a sketch change. Raises ``Doubt`` where trailing blanks may be meant."""
    edits: list[Edit] = []
    same: list[tuple[str, str]] = []  # the buffer's line and the sketch's
    edges: list[tuple[str, str]] = []
    for place in places:
        changed, unchanged = _compared(place, lines)
        edits += changed
        same += unchanged
        edges += (unchanged[0], unchanged[-1]) if unchanged else ()
    keeps = any(was == now != was.rstrip() for was, now in same)
    loses = any(len(now) < len(was) for was, now in same)
    loses_at_edge = any(len(now) < len(was) for was, now in edges)
    adds = any(len(now) > len(was) and now.strip() for was, now in same)
    adds_blank = any(len(now) > len(was) and not now.strip() for was, now in same)
    ends_in_blanks = any(line != line.rstrip() for edit in edits for line in edit.new)
    if (
        (loses and (keeps or not loses_at_edge))
        or (ends_in_blanks and keeps == adds)
        or (adds_blank and not adds)
    ):
        raise Doubt(
            "The sketch differs from the file in blanks at the ends of lines, which may be meant or "
            "not; use a diff or search/replace blocks for that."
        )
    _refuse_other_indentation(edits, lines)
    if adds:
        return [Edit(e.start, e.end, tuple(line.rstrip() for line in e.new)) for e in edits]
    return edits


def _refuse_other_indentation(edits: Sequence[Edit], lines: Lines) -> None:
    """Tabs in a file that is indented by spaces, or spaces in one of tabs."""
    wrong = {True: "  ", False: "\t"}.get(lines.indented_by_tabs)  # type: ignore[call-overload]
    for edit in edits:
        for line in edit.new:
            if wrong and line.startswith(wrong) and line.strip():
                raise Doubt(
                    "New lines of the sketch are indented by "
                    f"{'tabs' if wrong != '  ' else 'spaces'}, and the file by the other; indent "
                    "them as the file is."
                )


def _compared(place: Place, lines: Lines) -> tuple[list[Edit], list[tuple[str, str]]]:
    """The changes of one piece, and its lines that are the buffer's but for blanks at their ends."""
    old, new = lines.raw[place.start : place.end], place.lines
    core_start, core_end = place.above, len(new) - place.below
    old_end = len(old) - place.below
    edits: list[Edit] = []
    same = list(zip(old[: place.above], new, strict=False))
    was, now = place.above, core_start
    keys = [
        [line.rstrip() for line in side]
        for side in (old[place.above : old_end], new[core_start:core_end])
    ]
    for change in changes(*keys):
        start, end = place.above + change.old_start, place.above + change.old_end
        new_start, new_end = core_start + change.new_start, core_start + change.new_end
        same += zip(old[was:start], new[now:new_start], strict=True)
        edits.append(Edit(place.start + start, place.start + end, tuple(new[new_start:new_end])))
        was, now = end, new_end
    same += zip(old[was:], new[now:], strict=True)
    return edits, same
