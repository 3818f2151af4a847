"""Turns edits into hunks and a text, with the line ends, byte order mark and last newline of the old one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from editd.apply.edits import Edit
from editd.apply.outcome import Doubt, Form, Merged
from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Origin


def written(document: Document, edits: Sequence[Edit], form: Form, *, ended: bool) -> Merged:
    """The text after ``edits``. ended: whether the paste ends with a newline."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for first, second in pairwise(ordered):
        if first.end > second.start or (first.start, first.end) == (second.start, second.end):
            raise Doubt(
                f"Two parts of the paste change the file at line {second.start + 1}; apply them one "
                "after the other."
            )
    hunks = tuple(
        _hunk(number, document, edit, ended=ended) for number, edit in enumerate(ordered, start=1)
    )
    if not hunks:
        raise Doubt("The paste changes nothing: all its lines are already in the file.", final=True)
    return Merged(apply(hunks, document.text), hunks, form)


def _hunk(number: int, document: Document, edit: Edit, *, ended: bool) -> Hunk:
    start, count = edit.start, edit.end - edit.start
    new = [line + "\n" for line in edit.new]
    if not document.ends_with_newline and edit.end == len(document.lines):
        if ended:
            raise Doubt(
                "The file has no newline at its end, and the paste changes its last line; end the "
                "paste without a newline too, or give the file one."
            )
        if not count:
            start, count = start - 1, 1
            new.insert(0, document.model_lines[start] + "\n")
        if not new:
            raise Doubt("The paste deletes the last line, which has no newline; give it one first.")
        new[-1] = new[-1][:-1]
    lines = document.restore_ends(new, start, count)
    origins = tuple(Origin(i, 0, len(line), "sketch") for i, line in enumerate(lines) if line)
    return Hunk(number, start, count, lines, origins=origins)
