"""``merge``: reads the paste, and writes its likeliest text: the one that is certain, or a reading with marks.

``likely`` is the same text for a model that merges, to draft from: the best reading, however unlikely. A wrong
guess costs it a round and never a character.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, pairwise

from editd.apply.commas import with_commas
from editd.apply.doubts.table import CERTAIN, CONFIDENT, FROM_PROSE, sentence_for
from editd.apply.outcome import (
    BestReading,
    Doubtful,
    Merged,
    Unresolved,
    sentence_for_reader,
    with_others,
    written,
)
from editd.apply.paste.alternatives import chosen
from editd.apply.paste.invisible import without_invisible
from editd.apply.paste.recognise import CodeBlock, Paste, recognise
from editd.apply.paste.segments import Segment
from editd.apply.readers.by_keys import OTHERS_STAY
from editd.apply.readers.by_old_lines import read_substitutions
from editd.apply.reading import LineChange, NoReadingError, capped, sentence_of
from editd.apply.text.file_lines import FileLines
from editd.apply.trailing_blanks import TrailingBlanks
from editd.diff.document import Document
from editd.diff.matching import is_weak
from editd.syntax.language import language_of

_PLACED = "Placed by its lines; no other place fits as well."
_NOTEBOOK = ".ipynb"
_IN_CELLS = "The file is a notebook, which keeps its code as JSON; paste the code into its cell."
_BLANKS = (
    "The sketch shows spaces at line ends otherwise than the file, which may or may not be intended; use a "
    "diff or search/replace blocks for that."
)


def merge(
    text: str,
    sketch: str,
    *,
    path: str = "",
    lines: tuple[int, int] | None = None,
    file: str = "",
    beside: Sequence[str] = (),
) -> Merged | Unresolved:
    """``text`` with the change in ``sketch``, if only one result is possible. Never raises for any text.

    text: the whole buffer, with its own line ends. sketch: changed lines with markers for what stays, a
    unified diff, or search/replace blocks, each with or without a fence and prose around it. path: the
    file's name, which gives its language and chooses among the files of an answer. lines: only these may
    change (0-based, end exclusive). file: its absolute path, if that is known. beside: names of other files that the same sketch is merged into.
    """
    document = Document.of(text)
    buffer = FileLines(document.model_lines)
    try:
        paste = _recognised(sketch, buffer, path, file, beside)
        if paste.form == "sketch":
            merged = _of_sketch(document, buffer, paste, path, lines)
        else:
            merged = _of_blocks(document, buffer, paste, lines)
    except NoReadingError as doubt:
        return _unsettled(doubt, None)
    return with_others(merged, paste.others)


def _recognised(
    sketch: str, lines: FileLines, path: str, file: str = "", beside: Sequence[str] = ()
) -> Paste:
    """The paste without what copies add, and of several versions the one that is meant. Raises ``Doubt``."""
    text = without_invisible(sketch, lines.where_bare, language_of(path))
    paste = recognise(text, lines.where_bare, language_of(path), path, file, beside)
    if paste.form != "sketch":
        return paste
    code_blocks = chosen(paste.code_blocks, text, lines.where_bare)
    if path.lower().endswith(_NOTEBOOK) and not any(map(_is_json, code_blocks)):
        raise NoReadingError(_IN_CELLS, final=True)
    return replace(paste, code_blocks=code_blocks)


def _is_json(block: CodeBlock) -> bool:
    """Whether most lines of a code block are lines of JSON."""
    told = [line.strip() for line in block.lines if not is_weak(line)]
    return 2 * sum(line.startswith(('"', "{", "[")) for line in told) > len(told)


def _of_blocks(
    document: Document, buffer: FileLines, paste: Paste, allowed: tuple[int, int] | None
) -> Merged | Unresolved:
    """Where all old lines of a diff or of search/replace blocks stand; else where they are alike."""
    edits = read_substitutions(paste.substitutions, buffer)
    sentence = next((one.sentence for one in edits if one.sentence), "")
    try:
        _refuse_outside(edits, allowed)
        merged = written(document, edits, paste.form)
    except NoReadingError as doubt:
        raise (NoReadingError(sentence) if sentence else doubt) from None
    if not sentence:
        return merged
    return _unsettled(
        NoReadingError(sentence),
        _marked(merged, edits, sentence, [x.confidence < CONFIDENT for x in edits]),
    )


def _of_sketch(
    document: Document,
    buffer: FileLines,
    paste: Paste,
    path: str,
    allowed: tuple[int, int] | None,
) -> Merged | Unresolved:
    """The text of the best reading."""
    from editd.apply.doubts import losses, marks
    from editd.apply.readers.answer import read_answer

    # 1) the best reading, and whether the blanks at its line ends are meant
    buffer.language = language_of(path) or language_of(f"x.{paste.info}") or paste.info
    found, sketch = read_answer(paste.code_blocks, buffer)
    found = with_commas(found, buffer)
    if paste.is_cut:
        found = capped(found, sentence_for("cut"), ("cut",))
    ends = TrailingBlanks(paste, buffer, found.changes)
    edits = ends.differences(found.changes)
    _refuse_outside(edits, allowed)
    merged = written(document, edits, "sketch")
    displaced = losses.displaces(found.changes, edits, buffer, sketch)
    if marks.is_certain(found) and not ends.doubtful and not displaced:
        return merged
    # 2) what a model would have to decide, and the reading if it may be shown
    sentence = NoReadingError(_BLANKS if ends.doubtful else sentence_of(found))
    if len(paste.code_blocks) == 1 and sketch.segments and found.confidence < CERTAIN:
        are_certain = [one.confidence >= CERTAIN for one in found.changes]
        certain = [one for one in edits if one.confidence >= CERTAIN]
        ranges = _ranges(
            found.changes, sketch.segments, are_certain, paste.code_blocks[0].lines, len(buffer)
        )
        sentence.outcome = replace(
            sentence.outcome,
            certain=written(document, certain, "sketch").hunks if certain else (),
            doubtful=ranges if any(are_certain) else (),
        )
    try:
        shown = losses.refuse_unlikely(found, sketch, buffer)
    except NoReadingError as doubt:
        return _unsettled(
            sentence if doubt.outcome.reason == sentence.outcome.reason else doubt, None
        )
    # Of changes that do not lean on one another, as those of several steps, each is as sure as it is.
    least = min(one.confidence for one in edits)
    is_named = not sketch.segments
    whole = (shown.confidence >= CONFIDENT or shown.confidence >= least or is_named) and not (
        ends.doubtful or displaced
    )
    suspects = [not whole or marks.is_suspect(one) for one in edits]
    best = _marked(merged, edits, sentence.outcome.reason, suspects)
    with suppress(NoReadingError):
        others = ends.differences(shown.other)
        other = written(document, others, "sketch")
        best = replace(best, other=other if other.text != merged.text else None)
    return _unsettled(sentence, best)


def _unsettled(doubt: NoReadingError, reading: BestReading | None) -> Unresolved:
    sentence = doubt.outcome
    final = sentence.final and reading is None
    return Unresolved(
        sentence.reason, sentence.line, final, sentence.certain, sentence.doubtful, reading
    )


def _marked(
    merged: Merged, edits: Iterable[LineChange], reason: str, suspects: Iterable[bool]
) -> BestReading:
    """A reading whose hunks say how sure they are. suspects: which changes could be wrong."""
    told = zip(edits, suspects, strict=True)
    ordered = sorted(told, key=lambda one: (one[0].start, one[0].end))
    hunks = tuple(
        replace(hunk, suspect=sentence_for_reader(one.sentence or reason))
        if is_suspect
        else replace(hunk, note=_PLACED)
        if one.confidence >= CONFIDENT and one.sentence not in (FROM_PROSE, OTHERS_STAY)
        else replace(hunk, note=sentence_for_reader(one.sentence or reason))
        for hunk, (one, is_suspect) in zip(merged.hunks, ordered, strict=True)
    )
    return BestReading(replace(merged, hunks=hunks), all(hunk.suspect is None for hunk in hunks))


def _ranges(
    found: Sequence[LineChange],
    parts: Sequence[Segment],
    are_certain: Sequence[bool],
    sketch: Sequence[str],
    size: int,
) -> tuple[Doubtful, ...]:
    """Neighbouring parts in doubt, between the certain ones above and below, with the sketch's lines of them."""
    if any(one.start > two.start for one, two in pairwise(found)) or any(
        one.at > two.at for one, two in pairwise(parts)
    ):
        return ()
    ranges = []
    for is_certain, group in groupby(range(len(parts)), key=lambda number: are_certain[number]):
        if is_certain:
            continue
        numbers = list(group)
        first, last = numbers[0], numbers[-1] + 1
        top = parts[first - 1].at + len(parts[first - 1].lines) if first else 0
        bottom = parts[last].at if last < len(parts) else len(sketch)
        start = found[first - 1].end if first else 0
        end = found[last].start if last < len(parts) else size
        ranges.append(Doubtful(start, end, tuple(sketch[top:bottom])))
    return tuple(ranges)


def _refuse_outside(edits: Sequence[LineChange], allowed: tuple[int, int] | None) -> None:
    for edit in edits if allowed is not None else ():
        start, end = allowed or (0, 0)
        if not start <= edit.start <= edit.end <= end:
            raise NoReadingError(
                f"The paste changes line {edit.start + 1}, and only lines {start + 1} to {end} may "
                "change."
            )


# --- the draft for a model that merges ---
