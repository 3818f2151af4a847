"""Reads an answer: its code blocks together, and one after the other, each in the text that those before it left.

So people apply it, too: a step may belong beside what an earlier one added, and need not stand in the file's
order. A step's place is shown by its lines (``reading``), told by the prose above it (``prose``), or is where
code of its kind stands (``additions``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editd.apply.outcome import CERTAIN, LIKELY, SHOWN, SURE, Aligned, Doubt
from editd.apply.paste.recognise import Step
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
from editd.apply.readers.prose_locations import TOLD, Place, class_of, place_of
from editd.apply.readers.together import TOO_LONG, capped, lost, read_sketch, why
from editd.apply.text.edited_lines import Draft
from editd.apply.text.file_lines import IMPORT, Lines, indent_of, stripped
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


def read_steps(steps: Sequence[Step], lines: Lines) -> tuple[Aligned, Sketch]:
    """The likeliest reading of an answer's code blocks, certain or not, and the sketch with the part of each change.

    They are read together, in the file's order, and one after the other; the surer reading is taken. The
    sketch has no parts if they were not read by lines. Raises ``Doubt`` where there is no reading
    at all.
    """
    blocks = [one.lines for one in steps]
    if sum(map(len, blocks)) > _MOST_LINES:
        raise Doubt(TOO_LONG)
    together: tuple[Aligned, Sketch] | None = None
    why_not: Doubt | None = None
    if not any(one.blocks for one in steps):
        try:
            together = read_sketch(blocks, lines)
        except Doubt as doubt:
            why_not = doubt
    if together is not None and together[0].sure >= CERTAIN:
        return together
    sure = 0.0
    if together is not None and not lost(together[0].changes, lines, together[1]):
        sure = together[0].sure
    try:
        apart = _one_by_one(steps, lines, together if len(steps) == 1 else None)
    except Doubt as doubt:
        why_not = why_not or doubt
    else:
        doubted = together is None or min(one.sure for one in together[0].changes) < SURE
        told = len(steps) > 1 or (doubted and any(map(_TELLS.search, steps[0].told)))
        if apart.sure > sure or (apart.sure == sure and told) or _has_new(steps, lines):
            return apart, Sketch((), tuple(blocks))
    if together is None:
        raise why_not or Doubt("The paste has no code.", final=True)
    return together


def _has_new(steps: Sequence[Step], lines: Lines) -> bool:
    """Whether some block is all new: that some lines of it stand in another one does not make it a version of that."""
    for one in steps:
        told = place_of(one.told, lines) is not None
        shown = unmarked(one.lines, lines) if told else one.lines
        strong = [x for x in shown if not is_weak(x)]
        few = sum(x.strip() in lines.where_bare for x in strong) < _RENAMED * len(strong)
        new = new_block(shown, lines, class_of(one.told, lines))
        if new is not None and (told or (new.is_defined and few)):
            return True
    return False


def _one_by_one(
    steps: Sequence[Step], lines: Lines, known: tuple[Aligned, Sketch] | None
) -> Aligned:
    """known: how the only step is read by its lines. Raises ``Doubt`` for more work than a person waits for."""
    if len(steps) > 1 and len(steps) * len(lines) > _MOST_WORK:
        raise Doubt("The paste has too many code blocks for so long a file; apply it in parts.")
    draft = Draft(lines)
    left_out = ""
    for number, step in enumerate(steps):
        alone = len(steps) == 1
        try:
            draft.take(read_step(step, draft.lines, alone=alone, known=known))
        except Doubt:
            strong = [x.strip() for x in step.lines if not is_weak(x)]
            is_last = number and number + 1 == len(steps)
            if not is_last or not strong or any(x in lines.where_bare for x in strong):
                raise
            left_out = _LEFT_OUT.format(strong[0][:60])
    return capped(draft.changes(), LIKELY, left_out, ("left",)) if left_out else draft.changes()


def read_step(
    step: Step,
    lines: Lines,
    *,
    alone: bool,
    known: tuple[Aligned, Sketch] | None = None,
) -> Aligned:
    """One code block. Raises ``Doubt`` if it is not likely anywhere."""
    # 1) old lines that become new ones, and code that the file has not
    if step.blocks:
        found = tuple(read_blocks(step.blocks, lines))
        return Aligned(found, min((one.sure for one in found), default=CERTAIN))
    place = None if any(map(_CHANGES.search, step.told[:1])) else place_of(step.told, lines)
    if (new := _read_new(step, place, lines)) is not None:
        return new
    strong = [x.strip() for x in step.lines if not is_weak(x)]
    num_known = sum(x in lines.where_bare for x in strong)
    if place is not None and not num_known:
        return inserted(step.lines, place, lines, is_whole=False)
    # 2) where its own lines say, or a version of a line, then where the prose says
    whole, why_not = _read_whole(step, lines, alone=alone, known=known)
    if whole is not None and whole.sure >= SURE:
        return whole
    if (read := read_versions(step.lines, lines, (0, len(lines))) or whole) is not None:
        return read
    if place is not None:
        rest = [x.strip() for x in without_context(step.lines, place.at, lines) if not is_weak(x)]
        if 2 * sum(x in lines.where_bare for x in rest) < len(rest):
            return inserted(step.lines, place, lines, is_whole=False)
    raise why_not


def _read_new(step: Step, place: Place | None, lines: Lines) -> Aligned | None:
    """Imports, and blocks that the file has not, at the place that is told or beside their like."""
    if (imports := read_imports(step.lines, lines, " ".join(step.told[:1]))) is not None:
        named = lines.keys[place.at - (not place.before) :][:1] if place is not None else ()
        if place is not None and place.is_named and any(map(IMPORT.match, named)):
            return inserted(step.lines, place, lines, is_whole=False)
        is_told = any(map(_TELLS.search, step.told))
        return capped(imports, LIKELY, TOLD, ("told",)) if is_told else imports
    shown = unmarked(step.lines, lines)
    new = new_block(shown, lines, class_of(step.told, lines))
    if new is not None and place is not None:
        if new.given and any(indent_of(lines.keys[x.head]) == new.given for x in lines.blocks):
            place = replace(place, depth=new.given)  # as deep as the paste shows it
        return inserted(shown, place, lines, is_whole=True)
    found = beside_like(new, lines, step.told) if new is not None else None
    if found is not None and (step.told or shown != stripped(step.lines)):
        # prose may say a place in other words, and a marker that it is in the middle
        return capped(found, found.sure, why(found), ("hinted",))
    return found


def _read_whole(
    step: Step,
    lines: Lines,
    *,
    alone: bool,
    known: tuple[Aligned, Sketch] | None,
) -> tuple[Aligned | None, Doubt]:
    """By its lines in all of the file, if that is likely and loses no definition; and why not."""
    try:
        found, sketch = known or read_sketch([step.lines], lines, marked=not alone)
    except Doubt as doubt:
        return None, doubt
    if found.sure < SHOWN or lost(found.changes, lines, sketch):
        return None, Doubt(why(found))
    # changes that an alignment places lean on one another
    together = sorted({x for one in found.changes for x in one.doubts})
    leaning = capped(found, found.sure, why(found), together) if sketch.parts else found
    return leaning, Doubt(why(found))
