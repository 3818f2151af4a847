"""Chooses how an answer is read: as its lines are shown, by the keys of its containers, with comments as markers.

What a reading by lines would take away is known to ``keyed``, which comments may stand for code to ``placeholders``.
Each way of reading raises ``Doubt`` where it finds no place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from editd.apply.outcome import CERTAIN, LIKELY, SHOWN, SURE, Aligned, Doubt
from editd.apply.paste.recognise import Step
from editd.apply.paste.segments import Sketch
from editd.apply.readers.by_keys import Keyed, cap_losses, is_to_go, lost_by, read_keyed
from editd.apply.readers.in_turn import read_step, read_steps
from editd.apply.readers.new_imports import ELSEWHERE
from editd.apply.readers.placeholders import Placeholders
from editd.apply.readers.together import TOO_LONG, capped
from editd.apply.text.edited_lines import Draft
from editd.apply.text.file_lines import Lines
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


def read_answer(steps: Sequence[Step], lines: Lines) -> tuple[Aligned, Sketch]:
    """The likeliest reading of an answer, certain or not, and the sketch with the part of each change.

    No change that takes a member of a container away is certain, and none at all where a code block may be for another
    file. Raises ``Doubt`` if there is no reading.
    """
    found, sketch = _with_comments(steps, lines)
    other_file = next((step.doubt for step in steps if step.doubt), "")
    return (capped(found, LIKELY, other_file) if other_file else found), sketch


def _with_comments(steps: Sequence[Step], lines: Lines) -> tuple[Aligned, Sketch]:
    """As its lines are shown, or with comments that stand for code as markers. Raises ``Doubt``."""
    steps = [replace(step, lines=mended(step.lines, lines)) for step in steps]
    comments = Placeholders(steps, lines)
    if not comments.lone:
        return _read(steps, lines)
    # 1) as it is shown
    shown: tuple[Aligned, Sketch] | None = None
    why_not: Doubt | None = None
    try:
        shown = _read(steps, lines)
    except Doubt as doubt:
        why_not = doubt
    comments.weigh(shown[0].changes if shown is not None else ())
    # 2) with comments that stand for code as markers
    read: tuple[Aligned, Sketch] | None = None
    if comments.taken:
        with suppress(Doubt):
            read = _read(comments.as_markers(), lines)
    if read is not None and read[0].sure >= SHOWN and read[0].changes:
        if not (why := comments.doubt):
            return read
        other = shown[0].changes if shown is not None else ()
        return replace(capped(read[0], LIKELY, why), other=other), read[1]
    if shown is None:
        raise why_not or Doubt(TOO_LONG)
    if why := comments.warning:
        with suppress(Doubt):
            read = _read(comments.as_markers(doubtful=True), lines)
        found = capped(shown[0], LIKELY, why)
        return (found if read is None else replace(found, other=read[0].changes)), shown[1]
    return shown


def _read(steps: Sequence[Step], lines: Lines) -> tuple[Aligned, Sketch]:
    """As its lines are shown, or by keys where that is likelier. Raises ``Doubt``."""
    read: tuple[Aligned, Sketch] | None = None
    why_not: Doubt | None = None
    try:
        read = read_steps(steps, lines)
    except Doubt as doubt:
        why_not = doubt
    literal = read[0] if read is not None and read[0].sure >= SHOWN else None
    if literal is None or literal.sure < CERTAIN or lost_by(literal.changes, lines):
        with suppress(Doubt):
            keyed = _by_keys(steps, lines, literal)
            if keyed is not None and keyed is not literal:
                is_other = literal is None or keyed.changes is not literal.changes
                sketch = Sketch((), tuple(step.lines for step in steps))
                read = keyed, sketch if is_other or read is None else read[1]
    if read is None:
        raise why_not or Doubt(TOO_LONG)
    return cap_losses(read[0], lines), read[1]


def _by_keys(steps: Sequence[Step], lines: Lines, literal: Aligned | None) -> Aligned | None:
    """The reading by keys, or the literal one where that is likelier; ``None`` if there is neither.

    literal: how the code blocks are read as they are shown. Several blocks are read one after the other if that takes
    members away. Raises ``Doubt``.
    """
    if len(steps) == 1:
        return _block_by_keys(steps[0], lines, literal)
    if literal is not None and not lost_by(literal.changes, lines):
        return literal
    draft = Draft(lines)
    for step in steps:
        found: Aligned | None = None
        why_not: Doubt | None = None
        try:
            found = read_step(step, draft.lines, alone=False)
        except Doubt as doubt:
            why_not = doubt
        if found is None or lost_by(found.changes, draft.lines):
            found = _block_by_keys(step, draft.lines, found)
        if found is None:
            raise why_not or Doubt(TOO_LONG)
        draft.take(found)
    whole = draft.changes()
    return whole if literal is not None else capped(whole, LIKELY, ELSEWHERE)


def _block_by_keys(step: Step, lines: Lines, literal: Aligned | None) -> Aligned | None:
    """One code block by keys, or the literal reading where that is likelier; each with the other reading.

    The keys are likelier if the literal reading takes members away of which the block shows few, if it is not
    sure, and if it puts all lines where none was.
    """
    prose = step.told[:_FEW_ABOVE]
    keyed = read_keyed(step.lines, lines, prose, by_share=True)
    if keyed is None or literal is None:
        return literal if keyed is None else _placed(keyed)
    lost = lost_by(literal.changes, lines)
    unmentioned = [member for member in lost if not is_to_go(member, step.told)]
    only_adds = all(change.start == change.end for change in literal.changes)
    is_unsure = min(change.sure for change in literal.changes) < SURE or only_adds
    keeps = any(member.start in keyed.staying for member in unmentioned)
    fits = keyed.fits and (bool(unmentioned) or (is_unsure and not lost))
    if not _is_whole(step, lines) and (keeps or (fits and not lost_by(keyed.changes, lines))):
        return Aligned(keyed.changes, keyed.sure, literal.changes)
    other = read_keyed(step.lines, lines, prose, by_share=False) if lost else None
    return literal if other is None else replace(literal, other=other.changes)


def _placed(keyed: Keyed) -> Aligned:
    """A reading by keys where there is no other; doubtful if what is new in it may belong elsewhere."""
    found = Aligned(keyed.changes, keyed.sure)
    return found if keyed.fits else capped(found, LIKELY, ELSEWHERE)


def _is_whole(step: Step, lines: Lines) -> bool:
    """Whether a code block is all of the file: the prose says so, or it has most of the file's lines."""
    if any(map(_WHOLE.search, step.told[:_FEW_NEAR])):
        return True
    shown = {line.strip() for line in step.lines}
    strong = [line.strip() for line in lines.keys if not is_weak(line)]
    return sum(line in shown for line in strong) >= _MOST_SHOWN * len(strong) > 0
