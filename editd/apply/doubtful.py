"""Splits a sketch that is partly in doubt into certain hunks and parts left to a model.

A part in doubt lies between the certain pieces above and below it. If the certain pieces are in another
order than in the file, this range is unknown, and the whole sketch is left to the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from editd.apply.edits import edits_of_pieces
from editd.apply.lines import Lines
from editd.apply.outcome import Doubt, Doubtful
from editd.apply.places import NoPlace, Place
from editd.apply.sketch import Piece
from editd.apply.writing import written
from editd.diff.document import Document
from editd.diff.hunk import Hunk


def decided(
    pieces: Sequence[Piece],
    found: Sequence[Place | NoPlace],
    sketch: Sequence[str],
    lines: Lines,
    document: Document,
) -> tuple[tuple[Hunk, ...], tuple[Doubtful, ...]]:
    """The hunks of the placed pieces, and the parts without a place. If both are empty, all is in doubt.

    sketch: the lines that ``pieces`` were cut from.
    """
    certain = [one for one in found if isinstance(one, Place)]
    if not certain or any(first.end > second.start for first, second in pairwise(certain)):
        return (), ()
    try:
        edits = edits_of_pieces(certain, lines)
        hunks = written(document, edits, "sketch", ended=True).hunks if edits else ()
    except Doubt:
        return (), ()
    return hunks, tuple(_doubtful(pieces, found, sketch, len(lines)))


def _doubtful(
    pieces: Sequence[Piece], found: Sequence[Place | NoPlace], sketch: Sequence[str], size: int
) -> list[Doubtful]:
    """Neighbouring pieces without a place form one part, between the certain pieces above and below."""
    parts = []
    numbered = list(enumerate(found))
    for unplaced, group in groupby(numbered, key=lambda one: isinstance(one[1], NoPlace)):
        if not unplaced:
            continue
        numbers = [number for number, _ in group]
        first, last = numbers[0], numbers[-1]
        above = found[first - 1] if first else None
        below = found[last + 1] if last + 1 < len(found) else None
        top = pieces[first - 1].at + len(pieces[first - 1].lines) if first else 0
        end = pieces[last + 1].at if last + 1 < len(pieces) else len(sketch)
        parts.append(
            Doubtful(
                above.core[1] if isinstance(above, Place) else 0,
                below.core[0] if isinstance(below, Place) else size,
                tuple(sketch[top:end]),
            )
        )
    return parts
