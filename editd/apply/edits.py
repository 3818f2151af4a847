"""What placed pieces and blocks change, line by line; what they only show stays byte for byte.

Knows the noise of trailing blanks: assistants lose those of a file and add some of their own. A line
that differs in nothing else stays as it is, unless that may be the very change that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    edits = [edit for place in places for edit in _edits(place, lines)]
    shown = [pair for place in places for pair in _shown(place, lines)]
    adds = any(len(new) > len(old) for old, new in shown)
    keeps = any(old == new != old.rstrip() for old, new in shown)
    if adds:
        return [Edit(e.start, e.end, tuple(line.rstrip() for line in e.new)) for e in edits]
    if not keeps and any(line != line.rstrip() for edit in edits for line in edit.new):
        raise Doubt(
            "New lines of the sketch end in blanks, which may be meant or not; take them away, or "
            "use a diff."
        )
    return edits


def _edits(place: Place, lines: Lines) -> Iterator[Edit]:
    start, end = place.core
    new = place.lines[place.above : len(place.lines) - place.below]
    old = lines.raw[start:end]
    keys = [[line.rstrip() for line in side] for side in (old, new)]
    position = new_position = 0
    shown = list(_shown(place, lines))
    strips = any(len(one) < len(other) for other, one in shown)
    for change in changes(*keys):
        if not strips:
            _refuse_stripped(old[position : change.old_start], new[new_position:], start + position)
        yield Edit(
            start + change.old_start,
            start + change.old_end,
            tuple(new[change.new_start : change.new_end]),
        )
        position, new_position = change.old_end, change.new_end
    if not strips:
        _refuse_stripped(old[position:], new[new_position:], start + position)


def _refuse_stripped(old: Sequence[str], new: Sequence[str], at: int) -> None:
    """Lines that stand between changes and differ in the blanks that the buffer has at their end."""
    for number, (was, now) in enumerate(zip(old, new, strict=False)):
        if len(now) < len(was):
            raise Doubt(
                f"The sketch has line {at + number + 1} without the blanks at its end, which may be "
                "meant or not; use a diff for that."
            )


def _shown(place: Place, lines: Lines) -> Iterator[tuple[str, str]]:
    """The buffer's line and the piece's, for the lines that a piece only shows at its edges."""
    for offset in range(place.above):
        yield lines.raw[place.start + offset], place.lines[offset]
    for offset in range(1, place.below + 1):
        yield lines.raw[place.end - offset], place.lines[-offset]
