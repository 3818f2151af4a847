"""The best reading of a sketch: its changes, how sure each is, and a sentence where one is in doubt.

Three ways to read a sketch, one scale: by its lines in the file's order (``align``), by whole definitions
(``named``), and each part by itself where the parts stand in another order. What is not likely, and
what loses a definition that the sketch does not mention, is no reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from editd.apply.doubts.marks import confirmed
from editd.apply.doubts.support import Support
from editd.apply.doubts.weighing import CLEAR, agreed, weighed
from editd.apply.outcome import (
    BEST_GUESS,
    CERTAIN,
    CONFIDENT,
    SHOWN,
    WEAK_GUESS,
    LineChange,
    NoReadingError,
    Reading,
)
from editd.apply.paste.segments import Markers, Segment, Sketch, cut, holds_marker
from editd.apply.readers.by_alignment import align, same_rows
from editd.apply.readers.by_names import read_by_name
from editd.apply.text.file_lines import (
    MOST_COMPARED,
    FileLines,
    NamedBlock,
    likeness,
    nearest,
    num_strong,
)
from editd.diff.matching import is_weak

_GONE = (
    "“{}” (line {}) would go, and the paste does not mention it; show more lines around the change."
)
_AS_LIKELY = "Another reading of the sketch is as likely; show more lines around the change."
_OTHERWISE = (
    "The sketch could be read otherwise here; look at the change, or show more lines around it."
)
TOO_LONG = "The sketch is too long for its file to be compared with it; apply it in parts."
_VERSION = 0.6  # least likeness of a line to the one that it is a version of
_IN_ORDER = 0.9  # least, of parts that certainly stand in the sketch's order
# Least likeness of a line that goes to one that may have come for it, in doubt and in much doubt.
_AKIN, _VERY_AKIN = 0.5, 0.8
# Lines that may go unmentioned in a doubtful change.
_FEW_LOOSE, _SOME_LOOSE, _MANY_LOOSE = 2, 4, 10
# Doubts that those raise who show definitions in part.
_OF_NAMES = {"still", "open", "version", "moves", "spares"}
_APART = 0.98  # least, of each part that is support by itself


def read_sketch(
    blocks: Sequence[Sequence[str]],
    lines: FileLines,
    *,
    marked: bool = False,
) -> tuple[Reading, Sketch]:
    """The likeliest reading of code blocks in the file's order, and the sketch with the part of each change.

    marked: the file goes on above and below. Raises ``Doubt`` where there is none.
    """
    sketch = cut(blocks, lines)
    if marked:
        segments = [*sketch.segments]
        segments[0] = replace(segments[0], above=True)
        segments[-1] = replace(segments[-1], below=True)
        sketch = replace(sketch, segments=tuple(segments))
    found, segments_read = _by_lines(sketch, lines)
    if found is not None and found.confidence >= CERTAIN and not lost(found.changes, lines, sketch):
        named = None  # it could not be surer
    else:
        named = read_by_name(sketch.code_blocks, lines, Markers(lines))
    strong = [line for segment in sketch.segments for line in segment.lines if not is_weak(line)]
    if (
        named is None
        and strong
        and not (found is not None and found.confidence >= SHOWN)
        and not any(line.strip() in lines.where_bare for line in strong)
    ):
        raise NoReadingError(
            sketch.doubt
            or f"None of the sketch's lines is in the file, so its place is unknown"
            f"{nearest(strong[0], lines)}; name the file that it is for.",
            sketch.segments[0].at,
            final=True,
        )
    if named is not None:
        named = weighed(named, (), sketch, lines)
        same = found is not None and _text(found, lines) == _text(named, lines)
        doubted = any(one.sentence for one in named.changes)
        if found is not None and same and not doubted:
            found = agreed(found)
            named = named if sketch.marked else confirmed(named, lines)
        if found is not None and not same and _is_clear(found, sketch, named, lines):
            found = Reading(
                tuple(
                    replace(one, confidence=max(one.confidence, WEAK_GUESS))
                    for one in found.changes
                ),
                max(found.confidence, WEAK_GUESS),
                found.other,
            )
        elif (
            found is None
            or found.confidence
            < (named.confidence if sketch.marked else min(x.confidence for x in named.changes))
            or (same and doubted and found.confidence < CERTAIN)
            or lost(found.changes, lines, sketch, blocks=found.confidence < CERTAIN)
        ):
            found, segments_read = named, ()
    if found is None:
        raise NoReadingError(TOO_LONG)
    if sketch.doubt:
        every = (line for block in sketch.code_blocks for line in block)
        elided = any(holds_marker(x) and x.strip() not in lines.where_bare for x in every)
        found = capped(found, BEST_GUESS, sketch.doubt, ("elided" if elided else "marker",))
    if found.confidence < CERTAIN and (gone := lost(found.changes, lines, sketch, blocks=True)):
        found = capped(found, BEST_GUESS, _GONE.format(gone.name[:60], gone.start + 1), ("gone",))
    return found, replace(sketch, segments=segments_read)


def _is_clear(found: Reading, sketch: Sketch, named: Reading, lines: FileLines) -> bool:
    """Whether the alignment is right rather than the reading by names, if they are not the same."""
    if sketch.doubt or min(one.before_doubts for one in found.changes) < CLEAR:
        return False
    if lost(found.changes, lines, sketch):
        return False
    blank = [x for x in _text(found, lines) if x] == [x for x in _text(named, lines) if x]
    if blank and any("" in block for block in sketch.code_blocks):
        return True
    doubts = {kind for one in found.changes for kind in one.doubts}
    return sketch.marked and not doubts & _OF_NAMES


def _text(found: Reading, lines: FileLines) -> list[str]:
    text: list[str] = []
    position = 0
    for one in found.changes:
        text += [*lines.keys[position : one.start], *one.new]
        position = one.end
    return [*text, *lines.keys[position:]]


def refuse_unlikely(found: Reading, sketch: Sketch, lines: FileLines) -> Reading:
    """The reading as it may be shown. Raises ``Doubt`` if it is unlikely or loses a definition."""
    gone = lost(found.changes, lines, sketch)
    if gone is not None:
        raise NoReadingError(_GONE.format(gone.name[:60], gone.start + 1))
    if found.confidence < SHOWN:
        raise NoReadingError(sentence_of(found))
    for one in found.changes:
        if loose := _unmentioned(one, found, lines, sketch):
            raise NoReadingError(_GONE.format(lines.keys[loose[0]].strip()[:60], loose[0] + 1))
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


def sentence_of(found: Reading) -> str:
    """Why a reading is not certain: the sentence of its most doubtful change."""
    told = min(found.changes, key=lambda one: (not one.sentence, one.confidence))
    return told.sentence or (_AS_LIKELY if found.confidence < SHOWN else _OTHERWISE)


def _by_lines(sketch: Sketch, lines: FileLines) -> tuple[Reading | None, tuple[Segment, ...]]:
    """Aligned in the file's order, or part by part if that is certain and the order another one.

    Also the part of each change.
    """
    found = align(lines, sketch.segments)
    if found is None:
        return None, ()
    in_order = found.confidence
    found = weighed(found, sketch.segments, sketch, lines)
    if found.confidence >= CERTAIN or len(sketch.segments) < 2 or in_order >= _IN_ORDER:
        return found, sketch.segments
    apart: list[tuple[LineChange, Segment]] = []
    for segment in sketch.segments:
        one = align(lines, [replace(segment, above=True, below=True)])
        if one is None or one.changes[0].confidence < _APART:
            return found, sketch.segments
        apart.append((one.changes[0], segment))
    ordered = sorted(apart, key=lambda one: (one[0].start, one[0].end))
    if ordered == apart or any(one.end > two.start for (one, _), (two, _) in pairwise(ordered)):
        return found, sketch.segments
    changes = tuple(one for one, _ in ordered)
    segments = tuple(replace(segment, above=True, below=True) for _, segment in ordered)
    alone = Reading(changes, min(one.confidence for one in changes))
    other = weighed(alone, segments, sketch, lines)
    return (other, segments) if other.confidence > found.confidence else (found, sketch.segments)


def capped(found: Reading, most: float, told: str, kinds: Iterable[str] = ("unnamed",)) -> Reading:
    """The reading, no change of it surer than ``most``; ``told`` says why.

    kinds: the doubts that are raised against all changes; an unnamed one is never a note (``marks``).
    """
    changes = tuple(
        replace(
            one,
            confidence=min(one.confidence, most),
            sentence=told if one.confidence >= most else one.sentence,
            doubts=tuple(dict.fromkeys((*one.doubts, *kinds))),
        )
        for one in found.changes
    )
    return Reading(changes, min(found.confidence, most), found.other)


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
