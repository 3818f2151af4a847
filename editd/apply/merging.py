"""``merge`` puts a pasted answer into a file's text: a reading is one set of changes that the paste may mean; the likeliest is taken, and said to be certain or not.

The three forms part here: old lines that name themselves (``_merge_old_lines``) and sketches (``_merge_sketch``). Which
reading is the best is decided in ``readers``, how confident it is in ``doubts``.
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
    apply_changes,
    sentence_for_reader,
    with_others,
)
from editd.apply.paste.alternatives import choose_versions
from editd.apply.paste.invisible import without_invisible
from editd.apply.paste.recognise import CodeBlock, Paste, recognise
from editd.apply.paste.segments import Segment
from editd.apply.readers.by_keys import OTHERS_STAY
from editd.apply.readers.by_old_lines import read_substitutions
from editd.apply.reading import ChangedLines, NoReadingError, Reading, capped, sentence_of
from editd.apply.text.file_lines import FileLines
from editd.apply.trailing_blanks import TrailingBlanks
from editd.diff.document import Document
from editd.diff.hunk import Hunk
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
    """The text with the pasted change: ``Merged`` if only one result is possible, else ``Unresolved`` with a sentence
    and, if one may be shown, the best reading. Never raises for any text.

    text: the whole buffer, with its own line ends. sketch: changed lines with markers for what stays, a unified diff,
    or search/replace blocks, each with or without a fence and prose around it. path: the file's name, which gives its
    language and chooses among the files of an answer. lines: only these may change (0-based, end exclusive). file: its
    absolute path, if that is known. beside: names of other files that the same sketch is merged into. Calls
    ``yield_point`` now and then (pauses for other work of the process).
    """
    document = Document.of(text)
    buffer = FileLines(document.model_lines)
    try:
        paste = read_paste(sketch, buffer, path, file, beside)
        if paste.form == "sketch":
            merged = _merge_sketch(document, buffer, paste, path, lines)
        else:
            merged = _merge_old_lines(document, buffer, paste, lines)
    except NoReadingError as error:
        return _unresolved(error, None)
    return with_others(merged, paste.others)


def read_paste(
    sketch: str, lines: FileLines, path: str, file: str = "", beside: Sequence[str] = ()
) -> Paste:
    """The paste without invisible characters, for this file alone; of a sketch the code without the damage of copying,
    and of several versions the one to be taken.

    lines: the file's. path: the file's name, which gives its language and chooses among the files of an answer. file:
    its absolute path, if that is known. beside: names of other files that get the same paste. Raises ``NoReadingError``
    if the paste is empty or binary, is for other files alone (or for several, without a ``path``), deletes the file,
    has a broken block or a hunk that changes nothing, offers options without a choice, or puts code that is no JSON
    into a notebook.
    """
    text = without_invisible(sketch, lines.where_bare, language_of(path))
    paste = recognise(text, lines.where_bare, language_of(path), path, file, beside)
    if paste.form != "sketch":
        return paste
    code_blocks = choose_versions(paste.code_blocks, text, lines.where_bare)
    if path.lower().endswith(_NOTEBOOK) and not any(map(_is_json, code_blocks)):
        raise NoReadingError(_IN_CELLS, final=True)
    return replace(paste, code_blocks=code_blocks)


def _is_json(block: CodeBlock) -> bool:
    """Whether more than half of the code block's lines with a letter or digit begin with a double quote, ``{`` or ``[``."""
    rows = [line.strip() for line in block.lines if not is_weak(line)]
    return 2 * sum(line.startswith(('"', "{", "[")) for line in rows) > len(rows)


def _merge_old_lines(
    document: Document, buffer: FileLines, paste: Paste, allowed: tuple[int, int] | None
) -> Merged | Unresolved:
    """The text with the old lines of a diff, or of search/replace blocks, replaced where they stand, else where similar
    lines stand.

    ``Merged`` if no change has a sentence (a doubt to show), else ``Unresolved`` with the text as its reading. allowed:
    the lines that may change (0-based, end exclusive), ``None`` for all. Raises ``NoReadingError`` if old lines have no
    location, lines outside ``allowed`` change, changes overlap, or nothing changes; for the last three with the first
    change's sentence, if any has one.
    """
    edits = read_substitutions(paste.substitutions, buffer)
    sentence = next((edit.sentence for edit in edits if edit.sentence), "")
    try:
        _refuse_outside(edits, allowed)
        merged = apply_changes(document, edits, paste.form)
    except NoReadingError as error:
        raise (NoReadingError(sentence) if sentence else error) from None
    if not sentence:
        return merged
    return _unresolved(
        NoReadingError(sentence),
        _marked_reading(merged, edits, sentence, [x.confidence < CONFIDENT for x in edits]),
    )


def _merge_sketch(
    document: Document,
    buffer: FileLines,
    paste: Paste,
    path: str,
    allowed: tuple[int, int] | None,
) -> Merged | Unresolved:
    """The text of the sketch's best reading: ``Merged`` if it is certain, else ``Unresolved``, with the reading and the
    next likely text if they may be shown.

    Sets ``buffer.language``, by the path, else by the first fence. Commas at the ends of fragments and blanks at line
    ends are settled before; if it is doubtful whether these blanks are meant, or a definition would be displaced,
    nothing is certain and every hunk is suspect; so it is if the reading as a whole is less confident than each of its
    changes. For one code block read by alignment, the outcome also has the hunks that are certain and, if any is, the
    ranges that a model would have to decide. Raises ``NoReadingError`` if there is no reading, lines outside
    ``allowed`` (0-based, end exclusive) change, changes overlap, or nothing changes.
    """
    from editd.apply.doubts import losses, marks
    from editd.apply.readers.answer import read_answer

    # 1) the best reading, and whether the blanks at its line ends are meant
    buffer.language = language_of(path) or language_of(f"x.{paste.info}") or paste.info
    reading, sketch = read_answer(paste.code_blocks, buffer)
    reading = with_commas(reading, buffer)
    if paste.is_cut:
        reading = capped(reading, sentence_for("cut"), ("cut",))
    ends = TrailingBlanks(paste, buffer, reading.changes)
    edits = ends.differences(reading.changes)
    _refuse_outside(edits, allowed)
    merged = apply_changes(document, edits, "sketch")
    displaced = losses.displaces_definition(reading.changes, edits, buffer, sketch)
    if marks.is_certain(reading) and not ends.doubtful and not displaced:
        return merged
    # 2) what a model would have to decide, and the reading if it may be shown
    why_not = NoReadingError(_BLANKS if ends.doubtful else sentence_of(reading))
    if len(paste.code_blocks) == 1 and sketch.segments and reading.confidence < CERTAIN:
        shown_lines = paste.code_blocks[0].lines
        certain, ranges = _left_to_a_model(document, reading, edits, sketch.segments, shown_lines)
        why_not.outcome = replace(why_not.outcome, certain=certain, doubtful=ranges)
    try:
        shown = losses.refuse_if_not_shown(reading, sketch, buffer)
    except NoReadingError as error:
        return _unresolved(
            why_not if error.outcome.reason == why_not.outcome.reason else error, None
        )
    # Of changes that do not lean on one another, as those of several code blocks, each has its own confidence.
    least = min(change.confidence for change in edits)
    is_named = not sketch.segments
    is_sound = (shown.confidence >= CONFIDENT or shown.confidence >= least or is_named) and not (
        ends.doubtful or displaced
    )
    suspects = [not is_sound or marks.is_suspect(change) for change in edits]
    best = _marked_reading(merged, edits, why_not.outcome.reason, suspects)
    with suppress(NoReadingError):
        others = ends.differences(shown.other)
        other = apply_changes(document, others, "sketch")
        best = replace(best, other=other if other.text != merged.text else None)
    return _unresolved(why_not, best)


def _unresolved(error: NoReadingError, reading: BestReading | None) -> Unresolved:
    """The outcome of a merge that is not certain: the error's reason and fields, with ``reading`` as the text to show
    (``None``: none may be shown). It is final if the error is and there is no reading.
    """
    doubt = error.outcome
    final = doubt.final and reading is None
    return Unresolved(doubt.reason, doubt.line, final, doubt.certain, doubt.doubtful, reading)


def _marked_reading(
    merged: Merged, edits: Iterable[ChangedLines], reason: str, suspects: Iterable[bool]
) -> BestReading:
    """The merge as a best reading: each hunk with a suspect or a note (a sentence for people), and ``is_confident`` if
    no hunk has a suspect.

    edits: the changes of the merge, in any order, one for each hunk. suspects: for each of them, whether its hunk gets
    a suspect. reason: the sentence for changes without their own. Every other hunk gets a note: that no other place
    fits as well, if its confidence is ``CONFIDENT`` (0.95) or more and neither prose placed it nor other members stay;
    else its change's sentence. Raises ``ValueError`` if the numbers of edits, suspects and hunks differ.
    """
    pairs = zip(edits, suspects, strict=True)
    ordered = sorted(pairs, key=lambda edit: (edit[0].start, edit[0].end))
    hunks = tuple(
        replace(hunk, suspect=sentence_for_reader(edit.sentence or reason))
        if is_suspect
        else replace(hunk, note=_PLACED)
        if edit.confidence >= CONFIDENT and edit.sentence not in (FROM_PROSE, OTHERS_STAY)
        else replace(hunk, note=sentence_for_reader(edit.sentence or reason))
        for hunk, (edit, is_suspect) in zip(merged.hunks, ordered, strict=True)
    )
    return BestReading(replace(merged, hunks=hunks), all(hunk.suspect is None for hunk in hunks))


def _left_to_a_model(
    document: Document,
    reading: Reading,
    edits: Sequence[ChangedLines],
    segments: Sequence[Segment],
    sketch: Sequence[str],
) -> tuple[tuple[Hunk, ...], tuple[Doubtful, ...]]:
    """The hunks of an aligned reading that are certain, and the ranges beside them that a model would have to decide
    (``_doubtful_ranges``); both empty if no change is certain. The first alone is empty if certain changes change
    nothing.

    edits: the reading's changes without their unchanged lines. segments: one for each of the reading's changes. sketch:
    the lines of the only code block.
    """
    are_certain = [change.confidence >= CERTAIN for change in reading.changes]
    if not any(are_certain):
        return (), ()
    certain = [change for change in edits if change.confidence >= CERTAIN]
    hunks = apply_changes(document, certain, "sketch").hunks if certain else ()
    size = len(document.model_lines)
    return hunks, _doubtful_ranges(reading.changes, segments, are_certain, sketch, size)


def _doubtful_ranges(
    changes: Sequence[ChangedLines],
    segments: Sequence[Segment],
    are_certain: Sequence[bool],
    sketch: Sequence[str],
    size: int,
) -> tuple[Doubtful, ...]:
    """For each run of changes that are not certain: the file's lines from the end of the certain change above it to the
    start of the one below it, and the sketch's lines for them, markers included. Empty if the changes, or the segments,
    are not in order.

    changes, segments, are_certain: in the same order, one change for each segment (a run of the sketch's lines between
    two markers); the last says which changes are certain. sketch: the lines of the only code block. size: the file's
    number of lines.
    """
    if any(above.start > below.start for above, below in pairwise(changes)) or any(
        above.at > below.at for above, below in pairwise(segments)
    ):
        return ()
    ranges = []
    for is_certain, group in groupby(range(len(segments)), key=lambda number: are_certain[number]):
        if is_certain:
            continue
        numbers = list(group)
        first, last = numbers[0], numbers[-1] + 1
        top = segments[first - 1].at + len(segments[first - 1].lines) if first else 0
        bottom = segments[last].at if last < len(segments) else len(sketch)
        start = changes[first - 1].end if first else 0
        end = changes[last].start if last < len(segments) else size
        ranges.append(Doubtful(start, end, tuple(sketch[top:bottom])))
    return tuple(ranges)


def _refuse_outside(edits: Sequence[ChangedLines], allowed: tuple[int, int] | None) -> None:
    """Raise ``NoReadingError`` if a change touches lines outside ``allowed`` (0-based, end exclusive), for the first
    such change; ``None`` allows all lines.
    """
    for edit in edits if allowed is not None else ():
        start, end = allowed or (0, 0)
        if not start <= edit.start <= edit.end <= end:
            raise NoReadingError(
                f"The paste changes line {edit.start + 1}, and only lines {start + 1} to {end} may "
                "change."
            )
