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
from editd.apply.doubts.support import Placed
from editd.apply.doubts.weighing import CLEAR, agreed, weighed
from editd.apply.outcome import CERTAIN, LIKELY, SHOWN, SURE, UNSURE, Aligned, Change, Doubt
from editd.apply.paste.segments import Markers, Part, Sketch, cut, holds_marker
from editd.apply.readers.by_alignment import align, same_rows
from editd.apply.readers.by_names import read_by_name
from editd.apply.text.file_lines import MOST_COMPARED, Head, Lines, likeness, nearest, num_strong
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
_APART = 0.98  # least, of each part that is placed by itself


def read_sketch(
    blocks: Sequence[Sequence[str]],
    lines: Lines,
    *,
    marked: bool = False,
) -> tuple[Aligned, Sketch]:
    """The likeliest reading of code blocks in the file's order, and the sketch with the part of each change.

    marked: the file goes on above and below. Raises ``Doubt`` where there is none.
    """
    sketch = cut(blocks, lines)
    if marked:
        parts = [*sketch.parts]
        parts[0] = replace(parts[0], above=True)
        parts[-1] = replace(parts[-1], below=True)
        sketch = replace(sketch, parts=tuple(parts))
    found, parts_read = _by_lines(sketch, lines)
    if found is not None and found.sure >= CERTAIN and not lost(found.changes, lines, sketch):
        named = None  # it could not be surer
    else:
        named = read_by_name(sketch.blocks, lines, Markers(lines))
    strong = [line for part in sketch.parts for line in part.lines if not is_weak(line)]
    if (
        named is None
        and strong
        and not (found is not None and found.sure >= SHOWN)
        and not any(line.strip() in lines.where_bare for line in strong)
    ):
        raise Doubt(
            sketch.doubt
            or f"None of the sketch's lines is in the file, so its place is unknown"
            f"{nearest(strong[0], lines)}; name the file that it is for.",
            sketch.parts[0].at,
            final=True,
        )
    if named is not None:
        named = weighed(named, (), sketch, lines)
        same = found is not None and _text(found, lines) == _text(named, lines)
        doubted = any(one.why for one in named.changes)
        if found is not None and same and not doubted:
            found = agreed(found)
            named = named if sketch.marked else confirmed(named, lines)
        if found is not None and not same and _is_clear(found, sketch, named, lines):
            found = Aligned(
                tuple(replace(one, sure=max(one.sure, UNSURE)) for one in found.changes),
                max(found.sure, UNSURE),
                found.other,
            )
        elif (
            found is None
            or found.sure < (named.sure if sketch.marked else min(x.sure for x in named.changes))
            or (same and doubted and found.sure < CERTAIN)
            or lost(found.changes, lines, sketch, blocks=found.sure < CERTAIN)
        ):
            found, parts_read = named, ()
    if found is None:
        raise Doubt(TOO_LONG)
    if sketch.doubt:
        every = (line for block in sketch.blocks for line in block)
        elided = any(holds_marker(x) and x.strip() not in lines.where_bare for x in every)
        found = capped(found, LIKELY, sketch.doubt, ("elided" if elided else "marker",))
    if found.sure < CERTAIN and (gone := lost(found.changes, lines, sketch, blocks=True)):
        found = capped(found, LIKELY, _GONE.format(gone.name[:60], gone.start + 1), ("gone",))
    return found, replace(sketch, parts=parts_read)


def _is_clear(found: Aligned, sketch: Sketch, named: Aligned, lines: Lines) -> bool:
    """Whether the alignment is right rather than the reading by names, if they are not the same."""
    if sketch.doubt or min(one.raw for one in found.changes) < CLEAR:
        return False
    if lost(found.changes, lines, sketch):
        return False
    blank = [x for x in _text(found, lines) if x] == [x for x in _text(named, lines) if x]
    if blank and any("" in block for block in sketch.blocks):
        return True
    doubts = {kind for one in found.changes for kind in one.doubts}
    return sketch.marked and not doubts & _OF_NAMES


def _text(found: Aligned, lines: Lines) -> list[str]:
    text: list[str] = []
    position = 0
    for one in found.changes:
        text += [*lines.keys[position : one.start], *one.new]
        position = one.end
    return [*text, *lines.keys[position:]]


def refuse_unlikely(found: Aligned, sketch: Sketch, lines: Lines) -> Aligned:
    """The reading as it may be shown. Raises ``Doubt`` if it is unlikely or loses a definition."""
    gone = lost(found.changes, lines, sketch)
    if gone is not None:
        raise Doubt(_GONE.format(gone.name[:60], gone.start + 1))
    if found.sure < SHOWN:
        raise Doubt(why(found))
    for one in found.changes:
        if loose := _unmentioned(one, found, lines, sketch):
            raise Doubt(_GONE.format(lines.keys[loose[0]].strip()[:60], loose[0] + 1))
    if found.other and lost(found.other, lines, sketch):
        return replace(found, other=())
    return found


def _unmentioned(one: Change, found: Aligned, lines: Lines, sketch: Sketch) -> list[int]:
    """Lines that a doubtful change loses, if they are too many to be shown as gone.

    Those that the sketch does not have, and of which none that comes is a version. Where markers and a clear
    alignment show the place by lines that say enough, it is about them.
    """
    # 1) whether it is about them, and how many may go
    doubts = {kind for each in found.changes for kind in each.doubts}
    aligned = bool(sketch.parts) and one.raw >= CLEAR  # a reading by names has no such probability
    others = {*one.doubts} - {"gone", "members"}
    is_named = "members" in one.doubts and not others  # a sentence names the members that go
    if one.sure > SURE or is_named or others in ({"blank"}, {"much"}):
        return []
    placed = Placed(lines, one.start, one.end, one.new)
    is_thin = "thin" in one.doubts and not placed.strong
    if aligned and sketch.marked and not is_thin and not {"still", "branch"} & doubts:
        return []
    few: float = _FEW_LOOSE if placed.strong else 1
    if aligned:
        few = inf if placed.strong else _SOME_LOOSE if is_thin and sketch.marked else _MANY_LOOSE
    if found.sure <= UNSURE:
        few = 0
    # 2) which go
    akin = _AKIN if one.sure >= UNSURE else _VERY_AKIN
    shown = {line.strip() for block in sketch.blocks for line in block}
    come = [line for line in placed.come if not is_weak(line)]
    gone = {line for line in placed.gone if not is_weak(line) and line.strip() not in shown}
    if len(gone) * len(come) <= MOST_COMPARED:
        gone = {x for x in gone if not any(likeness(x, y, akin) for y in come)}
    loose = [n for n in range(one.start, one.end) if lines.keys[n] in gone]
    return loose if len(loose) > few else []


def why(found: Aligned) -> str:
    """Why a reading is not certain: the sentence of its most doubtful change."""
    told = min(found.changes, key=lambda one: (not one.why, one.sure))
    return told.why or (_AS_LIKELY if found.sure < SHOWN else _OTHERWISE)


def _by_lines(sketch: Sketch, lines: Lines) -> tuple[Aligned | None, tuple[Part, ...]]:
    """Aligned in the file's order, or part by part if that is certain and the order another one.

    Also the part of each change.
    """
    found = align(lines, sketch.parts)
    if found is None:
        return None, ()
    in_order = found.sure
    found = weighed(found, sketch.parts, sketch, lines)
    if found.sure >= CERTAIN or len(sketch.parts) < 2 or in_order >= _IN_ORDER:
        return found, sketch.parts
    apart: list[tuple[Change, Part]] = []
    for part in sketch.parts:
        one = align(lines, [replace(part, above=True, below=True)])
        if one is None or one.changes[0].sure < _APART:
            return found, sketch.parts
        apart.append((one.changes[0], part))
    ordered = sorted(apart, key=lambda one: (one[0].start, one[0].end))
    if ordered == apart or any(one.end > two.start for (one, _), (two, _) in pairwise(ordered)):
        return found, sketch.parts
    changes = tuple(one for one, _ in ordered)
    parts = tuple(replace(part, above=True, below=True) for _, part in ordered)
    alone = Aligned(changes, min(one.sure for one in changes))
    other = weighed(alone, parts, sketch, lines)
    return (other, parts) if other.sure > found.sure else (found, sketch.parts)


def capped(found: Aligned, most: float, told: str, kinds: Iterable[str] = ("unnamed",)) -> Aligned:
    """The reading, no change of it surer than ``most``; ``told`` says why.

    kinds: the doubts that are raised against all changes; an unnamed one is never a note (``marks``).
    """
    changes = tuple(
        replace(
            one,
            sure=min(one.sure, most),
            why=told if one.sure >= most else one.why,
            doubts=tuple(dict.fromkeys((*one.doubts, *kinds))),
        )
        for one in found.changes
    )
    return Aligned(changes, min(found.sure, most), found.other)


def lost(
    changes: Sequence[Change], lines: Lines, sketch: Sketch, *, blocks: bool = False
) -> Head | None:
    """A function or class that would go, and whose name the sketch does not have. blocks: or another block.

    One that keeps most of its lines has another name, and does not go.
    """
    shown = sketch.text
    for one in changes:
        placed = Placed(lines, one.start, one.end, one.new)
        if all(map(is_weak, placed.gone)):
            continue
        gone = Counter(placed.gone)
        for block in lines.heads_in(one.start, one.end):
            if block.name in shown or (block.is_other and not blocks):
                continue
            strong = [x for x in lines.keys[block.start : block.end] if not is_weak(x)]
            kept = len(strong) - 1 - sum((Counter(strong[1:]) & gone).values())
            if block.is_other and any(
                likeness(block.name, x.strip(), _VERSION) for x in placed.come
            ):
                continue  # what the block's first line has become
            if len(one.new) < one.end - one.start or 2 * kept < len(strong) - 1:
                return block
    return None


def displaces(
    changes: Sequence[Change], edits: Sequence[Change], lines: Lines, sketch: Sketch
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
