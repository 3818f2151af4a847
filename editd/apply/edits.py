"""What placed pieces and blocks change, line by line. Lines that they only show stay byte for byte.

Assistants often drop a file's trailing blanks or add their own. So a line that differs in nothing else
stays as it is. Where the trailing blanks may be the intended change, ``Doubt`` is raised.
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
    """What a block changes. It names its old lines, so every difference is intended."""
    return [
        Edit(
            place.start + c.old_start, place.start + c.old_end, tuple(new[c.new_start : c.new_end])
        )
        for c in changes(old, new)
    ]


def edits_of_pieces(places: Sequence[Place], lines: Lines) -> list[Edit]:
    """What the pieces of a sketch change. Raises ``Doubt`` where trailing blanks may be intended."""
    edits: list[Edit] = []
    shown: list[tuple[str, str]] = []  # the buffer's line and the sketch's, at the pieces' edges
    inner: list[tuple[str, str]] = []  # and between changes, where like lines may be other lines
    for place in places:
        changed, at_edges, between = _compared(place, lines)
        _refuse_lost_blank_lines(place, changed, lines)
        if not place.is_as_deep:
            _refuse_indentation_alone(changed, lines)
        edits += changed
        shown += at_edges
        inner += between
    edges = [pair for place in places for pair in _edges(place, lines) if pair[0].strip()]
    keeps = any(was == now != was.rstrip() for was, now in shown + inner)
    loses = any(len(now) < len(was) for was, now in edges)
    # A blank line between changes may be a different one, so blanks that it gains are not counted.
    more = sum(len(now) > len(was) for was, now in shown + inner if now.strip())
    adds = more > 1 or any(len(now) > len(was) for was, now in edges)
    ends_in_blanks = any(line != line.rstrip() for edit in edits for line in edit.new)
    if (
        ((loses or adds) and keeps)
        or (ends_in_blanks and keeps == adds)
        or any(len(now) < len(was) and not loses for was, now in shown + inner)
        or any(len(now) > len(was) and not adds for was, now in shown + inner)
    ):
        raise Doubt(
            "The sketch differs from the file only in spaces at line ends, "
            "which may or may not be intended; use a diff or search/replace blocks for that."
        )
    _refuse_other_indentation(edits, lines)
    if adds:
        return [Edit(e.start, e.end, tuple(line.rstrip() for line in e.new)) for e in edits]
    return edits


def _refuse_other_indentation(edits: Sequence[Edit], lines: Lines) -> None:
    """Tabs in a file indented by spaces, or spaces in a file indented by tabs."""
    if lines.indented_by_tabs is None:
        return
    wrong = "  " if lines.indented_by_tabs else "\t"
    for edit in edits:
        for line in edit.new:
            if wrong and line.startswith(wrong) and line.strip():
                raise Doubt(
                    "New lines of the sketch are indented by "
                    f"{'tabs' if wrong != '  ' else 'spaces'}, and the file by the other; "
                    f"indent them like the file."
                )


def _refuse_indentation_alone(edits: Sequence[Edit], lines: Lines) -> None:
    for edit in edits:
        old = [line.strip() for line in lines.keys[edit.start : edit.end]]
        if any(old) and old == [line.strip() for line in edit.new]:
            raise Doubt(
                f"The sketch changes nothing but the indentation of line {edit.start + 1} of the file, "
                "which may be meant or not; use a diff or search/replace blocks for that."
            )


def _refuse_lost_blank_lines(place: Place, edits: Sequence[Edit], lines: Lines) -> None:
    """A missing blank line is in doubt: assistants often leave blank lines out."""
    shows_none = all(line.strip() for line in place.lines)
    for edit in edits:
        old, new = lines.keys[edit.start : edit.end], edit.new
        if not old:
            continue
        lost = "" in (old if any(new) else (old[0], old[-1]))
        only_blank = not any(old) and sum(not line.strip() for line in new) < len(old)
        if only_blank or (shows_none and lost):
            raise Doubt(
                f"The sketch leaves out a blank line of the file, at line {edit.start + 1}, which may or "
                "may not be intended; show it, or use a diff."
            )


def _edges(place: Place, lines: Lines) -> list[tuple[str, str]]:
    """The first and the last line of a piece where the buffer has them: the buffer's and the piece's."""
    found = [(lines.raw[place.start], place.lines[0])] if place.above else []
    return [*found, (lines.raw[place.end - 1], place.lines[-1])] if place.below else found


def _compared(
    place: Place, lines: Lines
) -> tuple[list[Edit], list[tuple[str, str]], list[tuple[str, str]]]:
    """The changes of one piece, and pairs of equal lines: at its edges, and between its changes.

    The lines of a pair differ in trailing blanks at most.
    """
    old, new = lines.raw[place.start : place.end], place.lines
    core, core_end, old_end = place.above, len(new) - place.below, len(old) - place.below
    shown = list(zip(old[:core], new[:core], strict=True))
    shown += zip(old[old_end:], new[core_end:], strict=True)
    edits: list[Edit] = []
    inner: list[tuple[str, str]] = []
    was = now = core
    keys = [[line.rstrip() for line in side] for side in (old[core:old_end], new[core:core_end])]
    for change in changes(*keys):
        start, end = core + change.old_start, core + change.old_end
        new_start, new_end = core + change.new_start, core + change.new_end
        inner += zip(old[was:start], new[now:new_start], strict=True)
        edits.append(Edit(place.start + start, place.start + end, tuple(new[new_start:new_end])))
        was, now = end, new_end
    inner += zip(old[was:old_end], new[now:core_end], strict=True)
    return edits, shown, inner
