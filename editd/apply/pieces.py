"""Where all pieces of a sketch belong, together: each has one place, and none speaks of another's."""

from __future__ import annotations

from collections.abc import Sequence

from editd.apply.lines import Lines, shifted
from editd.apply.nearest import nearest
from editd.apply.outcome import Doubt
from editd.apply.places import NoPlace, Place, place
from editd.apply.sketch import Piece


def place_pieces(pieces: Sequence[Piece], lines: Lines, language: str) -> list[Place]:
    """A place for each piece, in the sketch's order. Raises ``Doubt`` with one sentence."""
    found = []
    for piece in pieces:
        one = _place(piece, lines)
        if isinstance(one, NoPlace):
            raise _doubt(piece, one, lines)
        found.append(one)
    _refuse_clashes(found)
    return found


def _place(piece: Piece, lines: Lines) -> Place | NoPlace:
    """Its place as it is indented; else the only one with another indentation."""

    def at(moved: Sequence[str]) -> Place | NoPlace:
        return place(
            moved, lines, blank_above=bool(piece.blank_above), blank_below=bool(piece.blank_below)
        )

    found = at(piece.lines)
    if isinstance(found, Place) or found.found:
        return found
    others = [one for moved in shifted(piece.lines, lines) if isinstance(one := at(moved), Place)]
    distinct = {(one.start, one.end, one.lines): one for one in others}
    return others[0] if len(distinct) == 1 else found


def _refuse_clashes(places: Sequence[Place]) -> None:
    """No piece may change what another changes or shows; two may show the same lines."""
    ordered = sorted(places, key=lambda one: (one.start, one.end))
    for number, first in enumerate(ordered):
        for second in ordered[number + 1 :]:
            if second.start >= first.end:
                break
            (a, b), (c, d) = first.core, second.core
            changes_shown = max(a, second.start) < min(b, second.end) or max(c, first.start) < min(
                d, first.end
            )
            if changes_shown:
                raise Doubt(
                    f"Two parts of the sketch speak of line {second.start + 1} of the file, and one "
                    "of them changes it; apply them one after the other."
                )


def _doubt(piece: Piece, found: NoPlace, lines: Lines) -> Doubt:
    number = piece.at + found.edge
    line = piece.lines[found.edge].strip()
    shown = f"“{line[:60]}” (line {number + 1} of the sketch)"
    if len(found.found) > 1:
        places = " and ".join(str(index + 1) for index in found.found[:2])
        return Doubt(
            f"{shown} stands {len(found.found)} times in the file, first at lines {places}; show "
            f"more lines {'above' if found.edge == 0 else 'below'} the change.",
            number,
        )
    if found.found:
        return Doubt(
            f"{shown} does not say for certain where it belongs; show more lines around the change.",
            number,
        )
    side = "begin" if found.edge == 0 else "end"
    return Doubt(
        f"{shown} is not in the file{nearest(line, lines)}; {side} each part of the sketch with a "
        "line that stays.",
        number,
    )
