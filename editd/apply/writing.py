"""Placed pieces become hunks and a text, byte for byte where nothing was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from editd.apply.outcome import Doubt, Form, Merged
from editd.apply.places import Place
from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Origin
from editd.diff.matching import changes


def written(document: Document, places: Sequence[Place], form: Form) -> Merged:
    """The text with the places' cores replaced. Raises ``Doubt`` where they contradict each other."""
    ordered = sorted(places, key=lambda place: (place.core, place.start))
    hunks: list[Hunk] = []
    for place, following in zip(ordered, [*ordered[1:], None], strict=True):
        if following is not None and _clash(place, following):
            raise Doubt(
                f"Two parts of the sketch speak of the same lines, {following.start + 1} to "
                f"{min(place.end, following.end)}; apply them one after the other."
            )
        hunks += _hunks(document, place, len(hunks) + 1)
    if not hunks:
        raise Doubt("The sketch changes nothing: all its lines stand in the file already.")
    return Merged(apply(hunks, document.text), tuple(hunks), form)


def _clash(first: Place, second: Place) -> bool:
    """Whether one changes lines that the other changes or shows."""
    if first.changes_nothing and second.changes_nothing:
        return False
    (a, b), (c, d) = first.core, second.core
    return b > second.start or c < first.end or (b == c and a < b and c < d and False)


def _hunks(document: Document, place: Place, first_id: int) -> list[Hunk]:
    start, end = place.core
    new = [line + "\n" for line in place.lines[place.above : len(place.lines) - place.below]]
    old = list(document.model_lines[start:end])
    keys = [[line.rstrip() for line in side] for side in (old, new)]
    unended = bool(document.lines) and not document.ends_with_newline
    if unended and end == len(document.lines):
        raise Doubt("TODO unended")
    found = []
    for change in changes(*keys):
        lines = document.restore_ends(
            new[change.new_start : change.new_end],
            start + change.old_start,
            change.old_end - change.old_start,
        )
        found.append(
            Hunk(
                first_id + len(found),
                start + change.old_start,
                change.old_end - change.old_start,
                lines,
                origins=tuple(Origin(i, 0, len(line), "sketch") for i, line in enumerate(lines)),
            )
        )
    return found
