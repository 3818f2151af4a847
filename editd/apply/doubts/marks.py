"""Marks of a chosen reading, for people: whether it is certain, and of each change nothing, a note, or a suspect, which *accept all* leaves out.

Confidence decides between readings, a mark is for people, and one that everybody sees means nothing: a doubt that was
right in 95 of 100 answers where it alone was raised is a note (``table``). What may lose code is a suspect, however
often it was right. No text depends on a mark.
"""

from __future__ import annotations

import re
from dataclasses import replace

from editd.apply.doubts.table import CERTAIN, CONFIDENT, NOTES
from editd.apply.doubts.weighing import CLEAR
from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import ABOVE, given_name, nesting
from editd.diff.matching import changes as differences
from editd.diff.matching import is_weak

_TYPE = re.compile(r"\b(?:class|enum|interface|module|object|record|struct|trait|type|union)\b")


def is_suspect(change: ChangedLines) -> bool:
    """Whether a change gets the mark that keeps it out of *Accept all*.

    False if its confidence is at least ``CONFIDENT`` (0.95). Below that, true unless it has doubts, all of them are in
    ``NOTES`` (those that were right in 95 of 100 answers), the alignment's probability for it (``before_doubts``) is at
    least ``CLEAR`` (0.9), and it does not add unbalanced brackets (``is_open_ended``).
    """
    if change.confidence >= CONFIDENT:
        return False
    if not change.doubts or not NOTES.issuperset(change.doubts) or change.before_doubts < CLEAR:
        return True
    return is_open_ended(change)


def is_open_ended(change: ChangedLines) -> bool:
    """Whether the change only adds lines, and these open more brackets than they close, or fewer."""
    return change.start == change.end and any(nesting(change.new))


def is_certain(found: Reading) -> bool:
    """Whether nothing else fits: the reading is certain; or each of its changes either is certain, or is ``is_whole``,
    at least ``CONFIDENT`` and without doubts. True for a reading without changes.
    """
    return found.confidence >= CERTAIN or all(
        change.confidence >= CERTAIN
        or (change.is_whole and change.confidence >= CONFIDENT and not change.doubts)
        for change in found.changes
    )


def confirmed(found: Reading, lines: FileLines) -> Reading:
    """The reading, with ``is_whole`` set anew in each change: whether it rewrites one whole definition and takes away
    nothing that the paste does not mention.

    To be called for a reading by names whose text the alignment finds, too.
    """
    changes = (replace(change, is_whole=_is_whole(change, lines)) for change in found.changes)
    return replace(found, changes=tuple(changes))


def _is_whole(change: ChangedLines, lines: FileLines) -> bool:
    """Whether a change lies within some definition, begins at or above its line with the name, and drops nothing
    without a replacement.

    Dropped are: a comment with nothing in its place, code for which only comments come, and, in types and in
    definitions without parentheses, names that get a value, or more lines than come. Blank lines and lines without a
    letter or digit do not count.
    """
    owners = [
        x
        for x in lines.blocks
        if not x.is_other and x.start <= change.start <= x.head and change.end <= x.end
    ]
    if not owners:
        return False
    old_lines = lines.keys[change.start : change.end]
    head = lines.keys[owners[0].head]
    holds = "(" not in head or _TYPE.search(head) is not None  # members, not statements
    given = {given_name(x) for x in change.new}
    for part in differences(old_lines, change.new):
        removed = [x for x in old_lines[part.old_start : part.old_end] if not is_weak(x)]
        added = [x for x in change.new[part.new_start : part.new_end] if not is_weak(x)]
        code = [x for x in removed if not ABOVE.match(x)]
        if len(code) < len(removed) and not added:
            return False
        if code and added and all(map(ABOVE.match, added)):
            return False
        if holds and (len(code) > len(added) or not given.issuperset(map(given_name, code))):
            return False
    return True
