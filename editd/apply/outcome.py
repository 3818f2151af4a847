"""The outcome of a merge, and how changes of lines become its text, with the line ends, byte order mark and last newline of the old one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from editd.apply.reading import ChangedLines, NoReadingError, Reading
from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Origin
from editd.messages.options import Doubtful, InDoubt

__all__ = [
    "BestReading",
    "ChangedLines",
    "Doubtful",
    "Form",
    "InDoubt",
    "Merged",
    "NoReadingError",
    "Reading",
    "Unresolved",
]

Form = Literal["sketch", "patch", "search/replace"]
_ADVICE = re.compile(
    r"; (?:add|apply|begin|copy|end|give|indent|leave|name|remove|say|show|use|write)\b[^;]*\.$"
)


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged text.

    text: the whole new text, with the line ends and byte order mark of the old one. hunks: the same change in lines, in
    order; their ``origins`` give ``sketch`` or ``buffer`` for each character. form: the form in which the paste was
    recognised. others: files that other parts of the paste are for.
    """

    text: str
    hunks: tuple[Hunk, ...]
    form: Form
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BestReading:
    """The likeliest text of a paste that can mean several.

    merged: its text and hunks; those that could be read otherwise have ``suspect``, the others may have ``note``.
    is_confident: whether no hunk has a suspect. other: the next likely text; ``None`` if there is none that differs.
    """

    merged: Merged
    is_confident: bool
    other: Merged | None = None


@dataclass(frozen=True, slots=True)
class Unresolved(InDoubt):
    """A merge that is not certain: the doubt, and as ``reading`` its likeliest text; ``None`` if none may be shown."""

    reading: BestReading | None = None


def with_others(outcome: Merged | Unresolved, others: tuple[str, ...]) -> Merged | Unresolved:
    """The outcome with ``others`` as the files that other parts of the paste are for; unchanged if it is ``Unresolved``
    without a reading. The names go into the reading's text, if it has one.
    """
    if isinstance(outcome, Merged):
        return replace(outcome, others=others)
    if outcome.reading is None:
        return outcome
    merged = replace(outcome.reading.merged, others=others)
    return replace(outcome, reading=replace(outcome.reading, merged=merged))


def sentence_for_reader(sentence: str) -> str:
    """A doubt's sentence without its advice on what to paste: who sees a reading wrote no sketch.

    >>> sentence_for_reader("This could also replace line 4; show more lines around the change.")
    'This could also replace line 4; look whether it is right.'
    """
    return _ADVICE.sub("; look whether it is right.", sentence)


def apply_changes(document: Document, edits: Sequence[ChangedLines], form: Form) -> Merged:
    """The text after ``edits``, which may come in any order, and its hunks, numbered from 1 in the file's order.

    Raises ``NoReadingError`` if two edits overlap or insert at the same line, if there is no edit, and if a last line
    without a newline would go with nothing in its place. form: for the result.
    """
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for first, second in pairwise(ordered):
        if first.end > second.start or (first.start, first.end) == (second.start, second.end):
            raise NoReadingError(
                f"Two parts of the paste change the file at line {second.start + 1}; apply them one "
                "after the other."
            )
    hunks = tuple(_hunk(number, document, edit) for number, edit in enumerate(ordered, start=1))
    if not hunks:
        raise NoReadingError(
            "The paste changes nothing: all its lines are already in the file.", final=True
        )
    return Merged(apply(hunks, document.text), hunks, form)


def _hunk(number: int, document: Document, edit: ChangedLines) -> Hunk:
    """The change as a hunk with the document's line ends; the origin of each of its lines is the sketch.

    At the end of the file its last newline stays as it is, or as ``edit.ends`` says. An insertion below a last line
    without a newline also replaces that line. Raises ``NoReadingError`` if the file is to end without a newline, its
    last line goes, and nothing takes its place. number: its id.
    """
    start, count = edit.start, edit.end - edit.start
    new = [line + "\n" for line in edit.new]
    if edit.end == len(document.lines):
        ended = document.ends_with_newline
        if not count and not ended:
            start, count = start - 1, 1
            new.insert(0, document.model_lines[start] + "\n")
        if not (ended if edit.ends is None else edit.ends):
            if not new:
                raise NoReadingError(
                    "The paste deletes the last line, which has no newline; give it one first."
                )
            new[-1] = new[-1][:-1]
    lines = document.restore_ends(new, start, count)
    origins = tuple(Origin(i, 0, len(line), "sketch") for i, line in enumerate(lines) if line)
    return Hunk(number, start, count, lines, origins=origins)
