"""``merge``: read the paste, place its parts, write the text."""

from __future__ import annotations

from collections.abc import Sequence

from editd.apply.lines import Lines, shifted
from editd.apply.outcome import Doubt, InDoubt, Merged
from editd.apply.places import NoPlace, Place, place
from editd.apply.sketch import Piece, pieces_of
from editd.apply.writing import written
from editd.diff.document import Document
from editd.prompts.language import language_of


def merge(
    text: str, sketch: str, *, path: str = "", lines: tuple[int, int] | None = None
) -> Merged | InDoubt:
    """``text`` as ``sketch`` says, if that can mean one text only.

    text: the whole buffer as it is, line ends and all. sketch: what was pasted: changed lines with
    markers for what stays, a unified diff, search/replace blocks, each with or without a fence and
    prose around it. path: the file's name, which tells its language and chooses among the files of
    a diff. lines: only these may change (0-based, end exclusive). Never raises for any text.
    """
    try:
        document = Document.of(text)
        language = language_of(path)
        buffer = Lines(document.model_lines)
        pasted = Document.of(sketch).model_text.split("\n")
        pieces = pieces_of(pasted, {line.strip() for line in buffer.keys}, language)
        places = place_all(pieces, buffer)
        return written(document, places, "sketch")
    except Doubt as doubt:
        return doubt.outcome


def place_all(pieces: Sequence[Piece], lines: Lines) -> list[Place]:
    found = []
    for piece in pieces:
        one = place_piece(piece, lines)
        if isinstance(one, NoPlace):
            raise Doubt(
                f"Line {piece.at + one.edge + 1} of the sketch stands at {one.found}", piece.at
            )
        found.append(one)
    return found


def place_piece(piece: Piece, lines: Lines) -> Place | NoPlace:
    def at(moved: Sequence[str]) -> Place | NoPlace:
        return place(
            moved, lines, blank_above=bool(piece.blank_above), blank_below=bool(piece.blank_below)
        )

    found = at(piece.lines)
    if isinstance(found, Place):
        return found
    others = [one for moved in shifted(piece.lines, lines) if isinstance(one := at(moved), Place)]
    return others[0] if len(others) == 1 else found
