"""The best reading of a sketch: its changes, how sure each is, and a sentence where one is in doubt.

Three ways to read a sketch, one scale: by its lines in the file's order (``align``), by whole definitions
(``named``), and each part by itself where the parts stand in another order. What is not likely, and
what loses a definition that the sketch does not mention, is no reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from editd.apply.doubts.losses import _GONE, lost
from editd.apply.doubts.marks import confirmed
from editd.apply.doubts.weighing import CLEAR, agreed, weighed
from editd.apply.paste.markers import Markers, holds_marker
from editd.apply.paste.segments import Segment, Sketch, cut
from editd.apply.readers.by_alignment import align
from editd.apply.readers.by_names import read_by_name
from editd.apply.reading import (
    BEST_GUESS,
    CERTAIN,
    SHOWN,
    WEAK_GUESS,
    LineChange,
    NoReadingError,
    Reading,
    capped,
)
from editd.apply.text.file_lines import FileLines, nearest
from editd.diff.matching import is_weak

TOO_LONG = "The sketch is too long for its file to be compared with it; apply it in parts."
_IN_ORDER = 0.9  # least, of parts that certainly stand in the sketch's order
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
