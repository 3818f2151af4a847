"""Reads an answer: its code blocks together, and one after the other, each in the text that those before it left.

So people apply it, too: a step may belong beside what an earlier one added, and need not stand in the file's
order. A step's place is shown by its lines (``reading``), told by the prose above it (``prose``), or is where
code of its kind stands (``additions``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editd.apply.doubts.losses import lost
from editd.apply.paste.recognise import CodeBlock
from editd.apply.paste.segments import Sketch
from editd.apply.readers.by_old_lines import read_blocks
from editd.apply.readers.new_code import (
    beside_like,
    inserted,
    new_block,
    read_versions,
    unmarked,
    without_context,
)
from editd.apply.readers.new_imports import read_imports
from editd.apply.readers.prose_locations import FROM_PROSE, StatedLocation, class_of, place_of
from editd.apply.readers.together import TOO_LONG, read_sketch
from editd.apply.reading import (
    BEST_GUESS,
    CERTAIN,
    CONFIDENT,
    SHOWN,
    NoReadingError,
    Reading,
    capped,
    sentence_of,
)
from editd.apply.text.edited_lines import EditedLines
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import IMPORT, indent_of, stripped
from editd.diff.matching import is_weak

_CHANGES = re.compile(
    r"^(?!.*\b(?:add|insert|place|put)\b).*\b(?:change|modify|replace|update)\b(?! (?!all|its|the|these|your)\w+ \w+s\b)",
    re.IGNORECASE,
)
_TELLS = re.compile(r"\b(?:before|after|above|below)\b", re.IGNORECASE)
_RENAMED = 0.7  # least share of lines that a definition of another name has, if it is renamed
_LEFT_OUT = (
    "The last code block, which begins with “{}”, is left out: nothing says where it belongs."
)
_MOST_LINES = 5_000  # of an answer
_MOST_WORK = 40_000  # steps times lines of the file: each step reads them anew


def read_steps(code_blocks: Sequence[CodeBlock], lines: FileLines) -> tuple[Reading, Sketch]:
    """The likeliest reading of an answer's code blocks, certain or not, and the sketch with the part of each change.

    They are read together, in the file's order, and one after the other; the surer reading is taken. The
    sketch has no parts if they were not read by lines. Raises ``Doubt`` where there is no reading
    at all.
    """
    shown = [one.lines for one in code_blocks]
    if sum(map(len, shown)) > _MOST_LINES:
        raise NoReadingError(TOO_LONG)
    together: tuple[Reading, Sketch] | None = None
    why_not: NoReadingError | None = None
    if not any(one.substitutions for one in code_blocks):
        try:
            together = read_sketch(shown, lines)
        except NoReadingError as doubt:
            why_not = doubt
    if together is not None and together[0].confidence >= CERTAIN:
        return together
    confidence = 0.0
    if together is not None and not lost(together[0].changes, lines, together[1]):
        confidence = together[0].confidence
    try:
        apart = _one_by_one(code_blocks, lines, together if len(code_blocks) == 1 else None)
    except NoReadingError as doubt:
        why_not = why_not or doubt
    else:
        doubted = together is None or min(one.confidence for one in together[0].changes) < CONFIDENT
        told = len(code_blocks) > 1 or (doubted and any(map(_TELLS.search, code_blocks[0].prose)))
        if (
            apart.confidence > confidence
            or (apart.confidence == confidence and told)
            or _has_new(code_blocks, lines)
        ):
            return apart, Sketch((), tuple(shown))
    if together is None:
        raise why_not or NoReadingError("The paste has no code.", final=True)
    return together


def _has_new(code_blocks: Sequence[CodeBlock], lines: FileLines) -> bool:
    """Whether some block is all new: that some lines of it stand in another one does not make it a version of that."""
    for one in code_blocks:
        told = place_of(one.prose, lines) is not None
        shown = unmarked(one.lines, lines) if told else one.lines
        strong = [x for x in shown if not is_weak(x)]
        few = sum(x.strip() in lines.where_bare for x in strong) < _RENAMED * len(strong)
        new = new_block(shown, lines, class_of(one.prose, lines))
        if new is not None and (told or (new.is_defined and few)):
            return True
    return False


def _one_by_one(
    code_blocks: Sequence[CodeBlock], lines: FileLines, known: tuple[Reading, Sketch] | None
) -> Reading:
    """known: how the only step is read by its lines. Raises ``Doubt`` for more work than a person waits for."""
    if len(code_blocks) > 1 and len(code_blocks) * len(lines) > _MOST_WORK:
        raise NoReadingError(
            "The paste has too many code blocks for so long a file; apply it in parts."
        )
    draft = EditedLines(lines)
    left_out = ""
    for number, block in enumerate(code_blocks):
        alone = len(code_blocks) == 1
        try:
            draft.take(read_step(block, draft.lines, alone=alone, known=known))
        except NoReadingError:
            strong = [x.strip() for x in block.lines if not is_weak(x)]
            is_last = number and number + 1 == len(code_blocks)
            if not is_last or not strong or any(x in lines.where_bare for x in strong):
                raise
            left_out = _LEFT_OUT.format(strong[0][:60])
    return capped(draft.changes(), BEST_GUESS, left_out, ("left",)) if left_out else draft.changes()


def read_step(
    block: CodeBlock,
    lines: FileLines,
    *,
    alone: bool,
    known: tuple[Reading, Sketch] | None = None,
) -> Reading:
    """One code block. Raises ``Doubt`` if it is not likely anywhere."""
    # 1) old lines that become new ones, and code that the file has not
    if block.substitutions:
        found = tuple(read_blocks(block.substitutions, lines))
        return Reading(found, min((one.confidence for one in found), default=CERTAIN))
    place = None if any(map(_CHANGES.search, block.prose[:1])) else place_of(block.prose, lines)
    if (new := _read_new(block, place, lines)) is not None:
        return new
    strong = [x.strip() for x in block.lines if not is_weak(x)]
    num_known = sum(x in lines.where_bare for x in strong)
    if place is not None and not num_known:
        return inserted(block.lines, place, lines, is_whole=False)
    # 2) where its own lines say, or a version of a line, then where the prose says
    whole, why_not = _read_whole(block, lines, alone=alone, known=known)
    if whole is not None and whole.confidence >= CONFIDENT:
        return whole
    if (read := read_versions(block.lines, lines, (0, len(lines))) or whole) is not None:
        return read
    if place is not None:
        rest = [x.strip() for x in without_context(block.lines, place.at, lines) if not is_weak(x)]
        if 2 * sum(x in lines.where_bare for x in rest) < len(rest):
            return inserted(block.lines, place, lines, is_whole=False)
    raise why_not


def _read_new(block: CodeBlock, place: StatedLocation | None, lines: FileLines) -> Reading | None:
    """Imports, and blocks that the file has not, at the place that is told or beside their like."""
    if (imports := read_imports(block.lines, lines, " ".join(block.prose[:1]))) is not None:
        named = lines.keys[place.at - (not place.before) :][:1] if place is not None else ()
        if place is not None and place.is_named and any(map(IMPORT.match, named)):
            return inserted(block.lines, place, lines, is_whole=False)
        is_told = any(map(_TELLS.search, block.prose))
        return capped(imports, BEST_GUESS, FROM_PROSE, ("told",)) if is_told else imports
    shown = unmarked(block.lines, lines)
    new = new_block(shown, lines, class_of(block.prose, lines))
    if new is not None and place is not None:
        if new.given and any(indent_of(lines.keys[x.head]) == new.given for x in lines.blocks):
            place = replace(place, depth=new.given)  # as deep as the paste shows it
        return inserted(shown, place, lines, is_whole=True)
    found = beside_like(new, lines, block.prose) if new is not None else None
    if found is not None and (block.prose or shown != stripped(block.lines)):
        # prose may say a place in other words, and a marker that it is in the middle
        return capped(found, found.confidence, sentence_of(found), ("hinted",))
    return found


def _read_whole(
    block: CodeBlock,
    lines: FileLines,
    *,
    alone: bool,
    known: tuple[Reading, Sketch] | None,
) -> tuple[Reading | None, NoReadingError]:
    """By its lines in all of the file, if that is likely and loses no definition; and why not."""
    try:
        found, sketch = known or read_sketch([block.lines], lines, marked=not alone)
    except NoReadingError as doubt:
        return None, doubt
    if found.confidence < SHOWN or lost(found.changes, lines, sketch):
        return None, NoReadingError(sentence_of(found))
    # changes that an alignment places lean on one another
    together = sorted({x for one in found.changes for x in one.doubts})
    leaning = (
        capped(found, found.confidence, sentence_of(found), together) if sketch.segments else found
    )
    return leaning, NoReadingError(sentence_of(found))
