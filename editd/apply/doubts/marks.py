"""What is said of a reading that was chosen: of each change nothing, a note or a suspect; and whether it is certain.

``confidence`` says how likely a change is, and that decides between readings. A mark is for people, and one that
everybody sees means nothing: a doubt that was right in 95 of 100 answers where it alone was raised is a note
(``python -m benchmarks.apply.answers --doubts``). What may lose code is a suspect, however often it was right.
"""

from __future__ import annotations

import re
from dataclasses import replace

from editd.apply.doubts.table import CERTAIN, CONFIDENT, NOTES
from editd.apply.doubts.weighing import CLEAR
from editd.apply.reading import LineChange, Reading
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import ABOVE, given_name, nesting
from editd.diff.matching import changes as differences
from editd.diff.matching import is_weak

_TYPE = re.compile(r"\b(?:class|enum|interface|module|object|record|struct|trait|type|union)\b")


def is_suspect(change: LineChange) -> bool:
    """Whether a change is left out of *Accept all*: something is known against it that was wrong too often."""
    if change.confidence >= CONFIDENT:
        return False
    if not change.doubts or not NOTES.issuperset(change.doubts) or change.before_doubts < CLEAR:
        return True
    return is_open_ended(change)


def is_open_ended(change: LineChange) -> bool:
    """Whether new lines, in whose place nothing goes, open more brackets than they close, or fewer."""
    return change.start == change.end and any(nesting(change.new))


def is_certain(found: Reading) -> bool:
    """Whether nothing else fits: no change has a doubt, or it is a whole definition that ``confirmed`` took."""
    return found.confidence >= CERTAIN or all(
        change.confidence >= CERTAIN
        or (change.is_whole and change.confidence >= CONFIDENT and not change.doubts)
        for change in found.changes
    )


def confirmed(found: Reading, lines: FileLines) -> Reading:
    """A reading by name, whose text the alignment gives as well, with ``is_whole`` where nothing unmentioned goes.

    That is so of functions and classes that are shown whole.
    """
    changes = (replace(change, is_whole=_is_whole(change, lines)) for change in found.changes)
    return replace(found, changes=tuple(changes))


def _is_whole(change: LineChange, lines: FileLines) -> bool:
    """Whether a change rewrites one definition, and takes away no comment, no member and no code for a comment."""
    own = [
        x
        for x in lines.blocks
        if not x.is_other and x.start <= change.start <= x.head and change.end <= x.end
    ]
    if not own:
        return False
    there = lines.keys[change.start : change.end]
    head = lines.keys[own[0].head]
    holds = "(" not in head or _TYPE.search(head) is not None  # members, not statements
    given = {given_name(x) for x in change.new}
    for part in differences(there, change.new):
        gone = [x for x in there[part.old_start : part.old_end] if not is_weak(x)]
        come = [x for x in change.new[part.new_start : part.new_end] if not is_weak(x)]
        code = [x for x in gone if not ABOVE.match(x)]
        if len(code) < len(gone) and not come:
            return False
        if code and come and all(map(ABOVE.match, come)):
            return False
        if holds and (len(code) > len(come) or not given.issuperset(map(given_name, code))):
            return False
    return True
