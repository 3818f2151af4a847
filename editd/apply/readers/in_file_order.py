"""Reads code blocks (finds the changes of the file that they mean) in the file's order: by alignment, then by names of definitions, and chooses between both.

The alignment is asked first, since a certain one needs no second opinion. Where both give one text, doubts about locations
fall away. What loses a definition that the sketch does not name is doubtful at best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from editd.apply.doubts.losses import lost_definition
from editd.apply.doubts.marks import confirmed
from editd.apply.doubts.table import CERTAIN, SHOWN, WEAK_GUESS, sentence_for
from editd.apply.doubts.weighing import CLEAR, agreed, weighed
from editd.apply.paste.markers import Markers, holds_marker
from editd.apply.paste.segments import Segment, Sketch, cut_sketch
from editd.apply.readers.by_alignment import align
from editd.apply.readers.by_names import read_by_names
from editd.apply.reading import ChangedLines, NoReadingError, Reading, capped
from editd.apply.text.file_lines import FileLines, nearest
from editd.diff.matching import is_weak

TOO_LONG = "The sketch is too long for its file to be compared with it; apply it in parts."
_IN_ORDER = 0.9  # least confidence with which segments stand in the sketch's order
_APART = 0.98  # the same of each segment that is aligned by itself
_OF_NAMES = {
    "still",
    "open",
    "version",
    "moves",
    "spares",
}  # raised where definitions are shown in part


def read_in_file_order(
    code_blocks: Sequence[Sequence[str]], lines: FileLines, *, marked: bool = False
) -> tuple[Reading, Sketch]:
    """The likeliest reading of the lines of code blocks, and the sketch with the segment (lines between two markers) of
    each change.

    marked: whether the file goes on above and below them, as if a marker stood there. The sketch has no segments if the
    reading by names was taken. The whole reading is capped if a marker may be none, or, unless it is certain, if a
    definition or other block goes that is not named. Raises ``NoReadingError`` if none of the lines with a letter or
    digit is in the file and neither names nor an alignment of a confidence of 0.5 places them, if they are only
    markers, and if they are too many to be aligned and names do not place them.
    """
    sketch = cut_sketch(code_blocks, lines)
    if marked:
        segments = [*sketch.segments]
        segments[0] = replace(segments[0], above=True)
        segments[-1] = replace(segments[-1], below=True)
        sketch = replace(sketch, segments=tuple(segments))
    # 1) by alignment, and by names unless that is certain
    aligned, segments_read = _by_alignment(sketch, lines)
    is_certain = aligned is not None and aligned.confidence >= CERTAIN
    named: Reading | None = None
    if aligned is None or not is_certain or lost_definition(aligned.changes, lines, sketch):
        named = read_by_names(sketch.code_blocks, lines, Markers(lines))
    strong = [line for segment in sketch.segments for line in segment.lines if not is_weak(line)]
    if (
        named is None
        and strong
        and not (aligned is not None and aligned.confidence >= SHOWN)
        and not any(line.strip() in lines.where_bare for line in strong)
    ):
        raise NoReadingError(
            sketch.doubt
            or f"None of the sketch's lines is in the file, so its place is unknown"
            f"{nearest(strong[0], lines)}; name the file that it is for.",
            sketch.segments[0].at,
            final=True,
        )
    # 2) the likelier of both
    reading = aligned
    if named is not None:
        reading, is_named = _likelier(aligned, weighed(named, (), sketch, lines), sketch, lines)
        segments_read = () if is_named else segments_read
    if reading is None:
        raise NoReadingError(TOO_LONG)
    # 3) doubts about the sketch as a whole
    if sketch.doubt:
        every = (line for block in sketch.code_blocks for line in block)
        is_elided = any(holds_marker(x) and x.strip() not in lines.where_bare for x in every)
        reading = capped(reading, sketch.doubt, ("elided" if is_elided else "marker",))
    is_certain = reading.confidence >= CERTAIN
    if not is_certain and (block := lost_definition(reading.changes, lines, sketch, blocks=True)):
        sentence = sentence_for("gone", block.name[:60], block.start + 1)
        reading = capped(reading, sentence, ("gone",))
    return reading, replace(sketch, segments=segments_read)


def _by_alignment(sketch: Sketch, lines: FileLines) -> tuple[Reading | None, tuple[Segment, ...]]:
    """The alignment of the segments in the file's order with its doubts, or segment by segment if their order in the
    file is another one; and the segment of each change.

    Segment by segment if the confidence in that order is below 0.9, each by itself is nearly certain (0.98), none
    overlaps another, and the reading becomes more confident. ``(None, ())`` if the sketch is too long to be aligned.
    """
    reading = align(lines, sketch.segments)
    if reading is None:
        return None, ()
    in_order = reading.confidence
    reading = weighed(reading, sketch.segments, sketch, lines)
    if reading.confidence >= CERTAIN or len(sketch.segments) < 2 or in_order >= _IN_ORDER:
        return reading, sketch.segments
    apart: list[tuple[ChangedLines, Segment]] = []
    for segment in sketch.segments:
        alone = align(lines, [replace(segment, above=True, below=True)])
        if alone is None or alone.changes[0].confidence < _APART:
            return reading, sketch.segments
        apart.append((alone.changes[0], segment))
    ordered = sorted(apart, key=lambda pair: (pair[0].start, pair[0].end))
    overlap = any(above.end > below.start for (above, _), (below, _) in pairwise(ordered))
    if ordered == apart or overlap:
        return reading, sketch.segments
    changes = tuple(change for change, _ in ordered)
    segments = tuple(replace(segment, above=True, below=True) for _, segment in ordered)
    other = Reading(changes, min(change.confidence for change in changes))
    other = weighed(other, segments, sketch, lines)
    if other.confidence > reading.confidence:
        return other, segments
    return reading, sketch.segments


def _likelier(
    aligned: Reading | None, named: Reading, sketch: Sketch, lines: FileLines
) -> tuple[Reading, bool]:
    """The likelier of a reading by alignment and one by names, and whether it is the one by names.

    If both give one text and nothing is doubted in the one by names, the alignment's doubts about locations fall away,
    and in a sketch without markers whole definitions are confirmed (``marks.confirmed``). Where their texts differ, an
    alignment that is clear (``_is_clear``) wins, as a weak guess at least. Else the reading by names wins if the
    alignment is missing, less confident (without markers: than the least confident change by names), loses a definition
    (or other block, unless it is certain), or gives the same text and is not certain while the one by names is doubted.
    """
    is_same = aligned is not None and _text(aligned, lines) == _text(named, lines)
    is_doubted = any(change.sentence for change in named.changes)
    if aligned is not None and is_same and not is_doubted:
        aligned = agreed(aligned)
        named = named if sketch.marked else confirmed(named, lines)
    if aligned is not None and not is_same and _is_clear(aligned, sketch, named, lines):
        changes = tuple(
            replace(change, confidence=max(change.confidence, WEAK_GUESS))
            for change in aligned.changes
        )
        return Reading(changes, max(aligned.confidence, WEAK_GUESS), aligned.other), False
    if (
        aligned is None
        or aligned.confidence
        < (named.confidence if sketch.marked else min(x.confidence for x in named.changes))
        or (is_same and is_doubted and aligned.confidence < CERTAIN)
        or lost_definition(aligned.changes, lines, sketch, blocks=aligned.confidence < CERTAIN)
    ):
        return named, True
    return aligned, False


def _is_clear(aligned: Reading, sketch: Sketch, named: Reading, lines: FileLines) -> bool:
    """Whether the alignment is right rather than the reading by names, to be asked where their texts differ.

    The alignment's probability has to be 0.9 or more for every change, no definition may be lost and no marker be
    doubtful; then either both texts differ in blank lines alone, of which the sketch shows some, or the sketch has
    markers and no change has one of the doubts ``_OF_NAMES``, raised where definitions are shown in part.
    """
    if sketch.doubt or min(change.before_doubts for change in aligned.changes) < CLEAR:
        return False
    if lost_definition(aligned.changes, lines, sketch):
        return False
    differ_in_blanks = [x for x in _text(aligned, lines) if x] == [
        x for x in _text(named, lines) if x
    ]
    if differ_in_blanks and any("" in block for block in sketch.code_blocks):
        return True
    doubts = {name for change in aligned.changes for name in change.doubts}
    return sketch.marked and not doubts & _OF_NAMES


def _text(reading: Reading, lines: FileLines) -> list[str]:
    """The file's lines after the changes of a reading, which have to be in the file's order: unchanged lines without
    trailing blanks, new lines as they are.
    """
    text: list[str] = []
    position = 0
    for change in reading.changes:
        text += [*lines.keys[position : change.start], *change.new]
        position = change.end
    return [*text, *lines.keys[position:]]
