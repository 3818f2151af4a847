"""``merge``: reads the paste, places its parts and writes the text."""

from __future__ import annotations

from editd.apply.block import place_block
from editd.apply.doubtful import decided
from editd.apply.edits import Edit, edits_of_block, edits_of_pieces
from editd.apply.guards import displaced
from editd.apply.lines import Lines
from editd.apply.outcome import Doubt, InDoubt, Merged, Reading, Unsettled
from editd.apply.pieces import place_pieces, why_not
from editd.apply.places import NoPlace, Place
from editd.apply.recognise import Paste, recognise
from editd.apply.sketch import pieces_of
from editd.apply.writing import written
from editd.checks import syntax
from editd.checks.rewrite import Rewrite
from editd.diff.document import Document
from editd.prompts.language import language_of


def merge(
    text: str, sketch: str, *, path: str = "", lines: tuple[int, int] | None = None
) -> Merged | Unsettled:
    """``text`` with the change in ``sketch``, if only one result is possible. Never raises for any text.

    text: the whole buffer, with its own line ends. sketch: changed lines with markers for what stays, a
    unified diff, or search/replace blocks, each with or without a fence and prose around it. path: the
    file's name, which gives its language and chooses among the files of a diff. lines: only these may
    change (0-based, end exclusive).
    """
    document = Document.of(text)
    buffer = Lines(document.model_lines)
    language = language_of(path)
    try:
        paste = recognise(sketch, {line.strip() for line in buffer.keys}, language, path)
    except Doubt as doubt:
        return _unsettled(doubt.outcome, None)
    try:
        return _merged(document, buffer, paste, language, lines)
    except Doubt as doubt:
        why = doubt.outcome
    from editd.apply.reading import read  # numpy, for which what is certain does not wait

    reading = read(document, buffer, paste, language, why.reason, lines)
    return _unsettled(why, reading)


def _unsettled(why: InDoubt, reading: Reading | None) -> Unsettled:
    final = why.final and reading is None
    return Unsettled(why.reason, why.line, final, why.certain, why.doubtful, reading)


def _merged(
    document: Document,
    buffer: Lines,
    paste: Paste,
    language: str,
    allowed: tuple[int, int] | None,
) -> Merged:
    """The only text that the paste can mean."""
    known = {line.strip() for line in buffer.keys}
    # 1) where its parts belong, and what they change there
    edits: list[Edit] = []
    placed: list[Place] = []
    if len(paste.parts) > 1:
        raise Doubt(f"The paste has {len(paste.parts)} code blocks; look where each belongs.")
    if paste.form == "sketch":
        pieces = pieces_of(paste.lines, known, language)
        found = place_pieces(pieces, buffer, language)
        for piece, one in zip(pieces, found, strict=True):
            if isinstance(one, NoPlace):
                certain, doubtful = decided(pieces, found, paste.lines, buffer, document)
                raise Doubt(*why_not(piece, one, buffer), certain=certain, doubtful=doubtful)
        placed = [one for one in found if isinstance(one, Place)]
        edits = edits_of_pieces(placed, buffer)
    for block in paste.blocks:
        place, old = place_block(block, buffer)
        edits += edits_of_block(place, old, place.lines)
    # 2) the text
    _refuse_outside(edits, allowed)
    merged = written(document, edits, paste.form, ended=paste.ended)
    if any(one.is_thin for one in placed):
        _refuse_misplaced(document, merged, language)
    return merged


def _refuse_misplaced(document: Document, merged: Merged, language: str) -> None:
    """New syntax errors or a lost definition mean that the lines belong elsewhere."""
    rewrite = Rewrite(document, merged.hunks, "", language, ((0, len(document.lines)),))
    harm = [doubt.reason.rstrip(".") for doubt in syntax.doubts(rewrite)]
    if (lost := displaced(document, merged.hunks, language)) is not None:
        harm.append(f"“{lost.name}” (line {lost.start + 1}) would go")
    if harm:
        raise Doubt(f"{harm[0]}, as the sketch is placed; show more lines around the change.")


def _refuse_outside(edits: list[Edit], allowed: tuple[int, int] | None) -> None:
    if allowed is None:
        return
    start, end = allowed
    for edit in edits:
        if not start <= edit.start <= edit.end <= end:
            raise Doubt(
                f"The paste changes line {edit.start + 1}, and only lines {start + 1} to {end} may "
                "change."
            )
