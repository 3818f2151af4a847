"""Definitions and lines that a reading (the changes that a paste is taken to mean) takes away and the paste does not mention.

A reading that loses a definition is never shown; how many other lines may go unmentioned depends on how doubtful the
change is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from editd.apply.doubts.support import Support
from editd.apply.doubts.table import CONFIDENT, SHOWN, WEAK_GUESS, WOULD_GO
from editd.apply.doubts.weighing import CLEAR
from editd.apply.paste.segments import Sketch
from editd.apply.reading import ChangedLines, NoReadingError, Reading, sentence_of
from editd.apply.text.file_lines import MOST_COMPARED, FileLines
from editd.apply.text.line import common_ends, likeness, num_strong
from editd.apply.text.named_blocks import NamedBlock
from editd.diff.matching import is_weak

_VERSION = 0.6  # least likeness of a line to the one that it is a version of

# Least likeness of a line that goes to one that may have come for it, in doubt and in much doubt.
_AKIN, _VERY_AKIN = 0.5, 0.8

# Lines that may go unmentioned in a doubtful change.
_FEW_LOOSE, _SOME_LOOSE, _MANY_LOOSE = 2, 4, 10


def refuse_if_not_shown(reading: Reading, sketch: Sketch, lines: FileLines) -> Reading:
    """The reading if it may be shown to people; without ``other`` if that one loses a definition.

    Raises ``NoReadingError`` if the reading takes away a definition that the sketch does not name, if its confidence is
    below ``SHOWN`` (0.5), or if some change loses too many lines that the sketch does not mention.
    """
    block = lost_definition(reading.changes, lines, sketch)
    if block is not None:
        raise NoReadingError(WOULD_GO.format(block.name[:60], block.start + 1))
    if reading.confidence < SHOWN:
        raise NoReadingError(sentence_of(reading))
    for change in reading.changes:
        if loose := _unmentioned(change, reading, lines, sketch):
            raise NoReadingError(WOULD_GO.format(lines.keys[loose[0]].strip()[:60], loose[0] + 1))
    if reading.other and lost_definition(reading.other, lines, sketch):
        return replace(reading, other=())
    return reading


def _unmentioned(
    change: ChangedLines, reading: Reading, lines: FileLines, sketch: Sketch
) -> list[int]:
    """The numbers of the file's lines that a doubtful change takes away without mention, if they are more than
    ``_most_unmentioned`` allows; else empty.

    Unmentioned are lines with a letter or digit that the sketch has nowhere, and of which no new line is a version:
    alike by 0.5, or 0.8 if the change is less than a weak guess (not looked at for more than a million pairs).
    """
    support = Support(lines, change.start, change.end, change.new)
    few = _most_unmentioned(change, reading, sketch, support)
    if few == inf:
        return []
    akin = _AKIN if change.confidence >= WEAK_GUESS else _VERY_AKIN
    shown = {line.strip() for block in sketch.code_blocks for line in block}
    added = [line for line in support.added if not is_weak(line)]
    removed = {line for line in support.removed if not is_weak(line) and line.strip() not in shown}
    if len(removed) * len(added) <= MOST_COMPARED:
        removed = {x for x in removed if not any(likeness(x, y, akin) for y in added)}
    loose = [n for n in range(change.start, change.end) if lines.keys[n] in removed]
    return loose if len(loose) > few else []


def _most_unmentioned(
    change: ChangedLines, reading: Reading, sketch: Sketch, support: Support
) -> float:
    """How many lines a change may take away that the sketch does not mention; infinite if any number.

    Any number if the change is more than ``CONFIDENT``, or doubted for blank lines, size or named members alone; and in
    a sketch with markers if it is aligned clearly and not thin, unless some change of the reading has the doubt
    ``still`` or ``branch``. Else none if the reading is a weak guess or less. Else, if it is aligned clearly: any number
    if a line with a letter or digit stands on both sides, four if the sketch has markers and the change is thin, and
    ten; otherwise two with such lines on both sides, and one. Thin is a change with the doubt ``thin`` and no such line
    on some side.
    """
    doubts = {kind for other_change in reading.changes for kind in other_change.doubts}
    aligned = (
        bool(sketch.segments) and change.before_doubts >= CLEAR
    )  # a reading by names has no such probability
    others = {*change.doubts} - {"gone", "members"}
    is_named = "members" in change.doubts and not others  # a sentence names the members that go
    if change.confidence > CONFIDENT or is_named or others in ({"blank"}, {"much"}):
        return inf
    is_thin = "thin" in change.doubts and not support.strong
    if aligned and sketch.marked and not is_thin and not {"still", "branch"} & doubts:
        return inf
    if reading.confidence <= WEAK_GUESS:
        return 0
    if not aligned:
        return _FEW_LOOSE if support.strong else 1
    if support.strong:
        return inf
    return _SOME_LOOSE if is_thin and sketch.marked else _MANY_LOOSE


def lost_definition(
    changes: Sequence[ChangedLines], lines: FileLines, sketch: Sketch, *, blocks: bool = False
) -> NamedBlock | None:
    """The first function or class that the changes take away and whose name stands nowhere in the sketch's text;
    ``None`` if there is none.

    Not lost is a definition if its line with the name stays out of the changed ranges, if half of its other lines stay
    and the change does not shrink the file (it was renamed), or if the change removes brackets and blank lines only.
    blocks: whether other blocks count, such as rules of CSS and tests, unless a new line resembles their first line.
    """
    shown = sketch.text
    for change in changes:
        support = Support(lines, change.start, change.end, change.new)
        if all(map(is_weak, support.removed)):
            continue
        removed = Counter(support.removed)
        for block in lines.heads_in(change.start, change.end):
            if block.name in shown or (block.is_other and not blocks):
                continue
            strong = [x for x in lines.keys[block.start : block.end] if not is_weak(x)]
            num_kept = len(strong) - 1 - sum((Counter(strong[1:]) & removed).values())
            if block.is_other and any(
                likeness(block.name, x.strip(), _VERSION) for x in support.added
            ):
                continue  # what the block's first line has become
            if len(change.new) < change.end - change.start or 2 * num_kept < len(strong) - 1:
                return block
    return None


def displaces_definition(
    changes: Sequence[ChangedLines], edits: Sequence[ChangedLines], lines: FileLines, sketch: Sketch
) -> bool:
    """Whether some edit replaces the line with the name of a function or class that the sketch does not name, writes
    other lines for it or leaves the rest of the definition there, and fewer than two different lines above or below the
    change show that this is the location (lines with a letter or digit, shared with the file).

    False if the definition goes as a whole with nothing in its place, which may be meant, or gets a new name. changes:
    whole ones. edits: the same without their unchanged lines.
    """
    shown = sketch.text
    for edit in edits:
        if "renamed" in edit.doubts:
            continue
        named = [
            block
            for block in lines.heads_in(edit.start, edit.end)
            if block.name not in shown and not block.is_other
        ]
        if any(edit.new or block.end > edit.end for block in named):
            whole_change = next(x for x in changes if x.start <= edit.start and edit.end <= x.end)
            rows = common_ends(whole_change.new, lines.keys[whole_change.start : whole_change.end])
            if min(map(num_strong, rows)) < 2:
                return True
    return False
