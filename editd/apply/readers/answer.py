"""Chooses how an answer is read: as its lines are shown, by the keys of its containers, with comments as markers.

What a reading by lines would take away is known to ``keyed``, which comments may stand for code to ``placeholders``.
Each way of reading raises ``Doubt`` where it finds no place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from editd.apply.paste.recognise import CodeBlock
from editd.apply.paste.segments import Sketch
from editd.apply.readers.by_keys import KeyReading, cap_losses, is_to_go, lost_by, read_keyed
from editd.apply.readers.in_turn import read_step, read_steps
from editd.apply.readers.new_imports import MAY_BELONG_ELSEWHERE
from editd.apply.readers.placeholders import Placeholders
from editd.apply.readers.together import TOO_LONG
from editd.apply.reading import (
    BEST_GUESS,
    CERTAIN,
    CONFIDENT,
    SHOWN,
    NoReadingError,
    Reading,
    capped,
)
from editd.apply.text.edited_lines import EditedLines
from editd.apply.text.file_lines import FileLines
from editd.apply.text.indent import mended
from editd.diff.matching import is_weak

_WHOLE = re.compile(
    r"\b(?:full|whole|entire|complete|final)\b(?:[ -]\w+){0,3}? "
    r"(?:file|config\w*|content\w*|document|manifest|version)\b",
    re.IGNORECASE,
)
_FEW_ABOVE, _FEW_NEAR = (
    3,
    2,
)  # lines of prose that may name a container, that may speak of a whole file
_MOST_SHOWN = 0.8  # share of the file's lines in a code block that shows all of it


def read_answer(code_blocks: Sequence[CodeBlock], lines: FileLines) -> tuple[Reading, Sketch]:
    """The likeliest reading of an answer, certain or not, and the sketch with the part of each change.

    No change that takes a member of a container away is certain, and none at all where a code block may be for another
    file. Raises ``Doubt`` if there is no reading.
    """
    found, sketch = _with_comments(code_blocks, lines)
    other_file = next((block.doubt for block in code_blocks if block.doubt), "")
    return (capped(found, BEST_GUESS, other_file) if other_file else found), sketch


def _with_comments(code_blocks: Sequence[CodeBlock], lines: FileLines) -> tuple[Reading, Sketch]:
    """As its lines are shown, or with comments that stand for code as markers. Raises ``Doubt``."""
    code_blocks = [replace(block, lines=mended(block.lines, lines)) for block in code_blocks]
    comments = Placeholders(code_blocks, lines)
    if not comments.lone:
        return _read(code_blocks, lines)
    # 1) as it is shown
    shown: tuple[Reading, Sketch] | None = None
    why_not: NoReadingError | None = None
    try:
        shown = _read(code_blocks, lines)
    except NoReadingError as doubt:
        why_not = doubt
    comments.weigh(shown[0].changes if shown is not None else ())
    # 2) with comments that stand for code as markers
    read: tuple[Reading, Sketch] | None = None
    if comments.taken:
        with suppress(NoReadingError):
            read = _read(comments.as_markers(), lines)
    if read is not None and read[0].confidence >= SHOWN and read[0].changes:
        if not (sentence := comments.doubt):
            return read
        other = shown[0].changes if shown is not None else ()
        return replace(capped(read[0], BEST_GUESS, sentence), other=other), read[1]
    if shown is None:
        raise why_not or NoReadingError(TOO_LONG)
    if sentence := comments.warning:
        with suppress(NoReadingError):
            read = _read(comments.as_markers(doubtful=True), lines)
        found = capped(shown[0], BEST_GUESS, sentence)
        return (found if read is None else replace(found, other=read[0].changes)), shown[1]
    return shown


def _read(code_blocks: Sequence[CodeBlock], lines: FileLines) -> tuple[Reading, Sketch]:
    """As its lines are shown, or by keys where that is likelier. Raises ``Doubt``."""
    read: tuple[Reading, Sketch] | None = None
    why_not: NoReadingError | None = None
    try:
        read = read_steps(code_blocks, lines)
    except NoReadingError as doubt:
        why_not = doubt
    literal = read[0] if read is not None and read[0].confidence >= SHOWN else None
    if literal is None or literal.confidence < CERTAIN or lost_by(literal.changes, lines):
        with suppress(NoReadingError):
            keyed = _by_keys(code_blocks, lines, literal)
            if keyed is not None and keyed is not literal:
                is_other = literal is None or keyed.changes is not literal.changes
                sketch = Sketch((), tuple(block.lines for block in code_blocks))
                read = keyed, sketch if is_other or read is None else read[1]
    if read is None:
        raise why_not or NoReadingError(TOO_LONG)
    return cap_losses(read[0], lines), read[1]


def _by_keys(
    code_blocks: Sequence[CodeBlock], lines: FileLines, literal: Reading | None
) -> Reading | None:
    """The reading by keys, or the literal one where that is likelier; ``None`` if there is neither.

    literal: how the code blocks are read as they are shown. Several blocks are read one after the other if that takes
    members away. Raises ``Doubt``.
    """
    if len(code_blocks) == 1:
        return _block_by_keys(code_blocks[0], lines, literal)
    if literal is not None and not lost_by(literal.changes, lines):
        return literal
    draft = EditedLines(lines)
    for block in code_blocks:
        found: Reading | None = None
        why_not: NoReadingError | None = None
        try:
            found = read_step(block, draft.lines, alone=False)
        except NoReadingError as doubt:
            why_not = doubt
        if found is None or lost_by(found.changes, draft.lines):
            found = _block_by_keys(block, draft.lines, found)
        if found is None:
            raise why_not or NoReadingError(TOO_LONG)
        draft.take(found)
    whole = draft.changes()
    return whole if literal is not None else capped(whole, BEST_GUESS, MAY_BELONG_ELSEWHERE)


def _block_by_keys(block: CodeBlock, lines: FileLines, literal: Reading | None) -> Reading | None:
    """One code block by keys, or the literal reading where that is likelier; each with the other reading.

    The keys are likelier if the literal reading takes members away of which the block shows few, if it is not
    sure, and if it puts all lines where none was.
    """
    prose = block.prose[:_FEW_ABOVE]
    keyed = read_keyed(block.lines, lines, prose, by_share=True)
    if keyed is None or literal is None:
        return literal if keyed is None else _placed(keyed)
    lost = lost_by(literal.changes, lines)
    unmentioned = [member for member in lost if not is_to_go(member, block.prose)]
    only_adds = all(change.start == change.end for change in literal.changes)
    is_unsure = min(change.confidence for change in literal.changes) < CONFIDENT or only_adds
    keeps = any(member.start in keyed.staying for member in unmentioned)
    fits = keyed.fits and (bool(unmentioned) or (is_unsure and not lost))
    if not _is_whole(block, lines) and (keeps or (fits and not lost_by(keyed.changes, lines))):
        return Reading(keyed.changes, keyed.confidence, literal.changes)
    other = read_keyed(block.lines, lines, prose, by_share=False) if lost else None
    return literal if other is None else replace(literal, other=other.changes)


def _placed(keyed: KeyReading) -> Reading:
    """A reading by keys where there is no other; doubtful if what is new in it may belong elsewhere."""
    found = Reading(keyed.changes, keyed.confidence)
    return found if keyed.fits else capped(found, BEST_GUESS, MAY_BELONG_ELSEWHERE)


def _is_whole(block: CodeBlock, lines: FileLines) -> bool:
    """Whether a code block is all of the file: the prose says so, or it has most of the file's lines."""
    if any(map(_WHOLE.search, block.prose[:_FEW_NEAR])):
        return True
    shown = {line.strip() for line in block.lines}
    strong = [line.strip() for line in lines.keys if not is_weak(line)]
    return sum(line in shown for line in strong) >= _MOST_SHOWN * len(strong) > 0
