"""Definitions and lines that a reading takes away and the paste does not mention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from editd.apply.doubts.support import Support
from editd.apply.doubts.table import CONFIDENT, SHOWN, WEAK_GUESS, WOULD_GO
from editd.apply.doubts.weighing import CLEAR
from editd.apply.paste.segments import Sketch
from editd.apply.reading import LineChange, NoReadingError, Reading, sentence_of
from editd.apply.text.file_lines import MOST_COMPARED, FileLines
from editd.apply.text.line import likeness, num_strong, same_rows
from editd.apply.text.named_blocks import NamedBlock
from editd.diff.matching import is_weak

_VERSION = 0.6  # least likeness of a line to the one that it is a version of

# Least likeness of a line that goes to one that may have come for it, in doubt and in much doubt.
_AKIN, _VERY_AKIN = 0.5, 0.8

# Lines that may go unmentioned in a doubtful change.
_FEW_LOOSE, _SOME_LOOSE, _MANY_LOOSE = 2, 4, 10


def refuse_unlikely(found: Reading, sketch: Sketch, lines: FileLines) -> Reading:
    """The reading as it may be shown. Raises ``Doubt`` if it is unlikely or loses a definition."""
    gone = lost(found.changes, lines, sketch)
    if gone is not None:
        raise NoReadingError(WOULD_GO.format(gone.name[:60], gone.start + 1))
    if found.confidence < SHOWN:
        raise NoReadingError(sentence_of(found))
    for one in found.changes:
        if loose := _unmentioned(one, found, lines, sketch):
            raise NoReadingError(WOULD_GO.format(lines.keys[loose[0]].strip()[:60], loose[0] + 1))
    if found.other and lost(found.other, lines, sketch):
        return replace(found, other=())
    return found


def _unmentioned(one: LineChange, found: Reading, lines: FileLines, sketch: Sketch) -> list[int]:
    """Lines that a doubtful change loses, if they are too many to be shown as gone.

    Those that the sketch does not have, and of which none that comes is a version. Where markers and a clear
    alignment show the place by lines that say enough, it is about them.
    """
    # 1) whether it is about them, and how many may go
    doubts = {kind for each in found.changes for kind in each.doubts}
    aligned = (
        bool(sketch.segments) and one.before_doubts >= CLEAR
    )  # a reading by names has no such probability
    others = {*one.doubts} - {"gone", "members"}
    is_named = "members" in one.doubts and not others  # a sentence names the members that go
    if one.confidence > CONFIDENT or is_named or others in ({"blank"}, {"much"}):
        return []
    support = Support(lines, one.start, one.end, one.new)
    is_thin = "thin" in one.doubts and not support.strong
    if aligned and sketch.marked and not is_thin and not {"still", "branch"} & doubts:
        return []
    few: float = _FEW_LOOSE if support.strong else 1
    if aligned:
        few = inf if support.strong else _SOME_LOOSE if is_thin and sketch.marked else _MANY_LOOSE
    if found.confidence <= WEAK_GUESS:
        few = 0
    # 2) which go
    akin = _AKIN if one.confidence >= WEAK_GUESS else _VERY_AKIN
    shown = {line.strip() for block in sketch.code_blocks for line in block}
    come = [line for line in support.added if not is_weak(line)]
    gone = {line for line in support.removed if not is_weak(line) and line.strip() not in shown}
    if len(gone) * len(come) <= MOST_COMPARED:
        gone = {x for x in gone if not any(likeness(x, y, akin) for y in come)}
    loose = [n for n in range(one.start, one.end) if lines.keys[n] in gone]
    return loose if len(loose) > few else []


def lost(
    changes: Sequence[LineChange], lines: FileLines, sketch: Sketch, *, blocks: bool = False
) -> NamedBlock | None:
    """A function or class that would go, and whose name the sketch does not have. blocks: or another block.

    One that keeps most of its lines has another name, and does not go.
    """
    shown = sketch.text
    for one in changes:
        support = Support(lines, one.start, one.end, one.new)
        if all(map(is_weak, support.removed)):
            continue
        gone = Counter(support.removed)
        for block in lines.heads_in(one.start, one.end):
            if block.name in shown or (block.is_other and not blocks):
                continue
            strong = [x for x in lines.keys[block.start : block.end] if not is_weak(x)]
            kept = len(strong) - 1 - sum((Counter(strong[1:]) & gone).values())
            if block.is_other and any(
                likeness(block.name, x.strip(), _VERSION) for x in support.added
            ):
                continue  # what the block's first line has become
            if len(one.new) < one.end - one.start or 2 * kept < len(strong) - 1:
                return block
    return None


def displaces(
    changes: Sequence[LineChange], edits: Sequence[LineChange], lines: FileLines, sketch: Sketch
) -> bool:
    """Whether such a one goes in part, or for other lines, where few lines show the place.

    One that goes as a whole may be meant to. edits: what the changes really change.
    """
    shown = sketch.text
    for edit in edits:
        named = [
            block
            for block in lines.heads_in(edit.start, edit.end)
            if block.name not in shown and not block.is_other
        ]
        if any(edit.new or block.end > edit.end for block in named):
            one = next(x for x in changes if x.start <= edit.start and edit.end <= x.end)
            rows = same_rows(one.new, lines.keys[one.start : one.end])
            if min(map(num_strong, rows)) < 2:
                return True
    return False
