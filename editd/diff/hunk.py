"""The vocabulary of a change: hunks of whole lines, and the lines kept between them.

A leaf: plain data, no tokens, no LSP. Lines are 0-based and counted as editors count them (``\\r\\n``, ``\\n`` and
``\\r`` end a line, nothing else does); every line carries its own end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MOST_NAMED = 5  # lines of a sentence


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a span of a hunk's new text.

    line: index into ``Hunk.new_lines``. start, end: code points in that line, end exclusive. source: ``buffer``
    (copied), ``substitution`` (learned from earlier hunks), ``output`` (earlier text of this answer), ``sketch``
    (from the change to merge), ``project`` (another file; ``detail`` is ``path:line``, 1-based), ``draft-model`` or
    ``new`` (written by the model). For ``new``, ``detail`` is empty if the text was not drafted, else ``guess``
    (single words), ``prompt`` or ``prediction``.
    """

    line: int
    start: int
    end: int
    source: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A note, ``text``, on code points ``start .. end`` (end exclusive) of ``Hunk.new_lines[line]``."""

    line: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``start .. start + old_count`` of the old text become ``new_lines``.

    ``id`` is stable within one edit and never reused. While ``done`` is false the hunk still grows: ``new_lines`` may
    change (a line that turns out to be old is removed from them) and ``old_count`` is a lower bound; the next hunk
    with the same id replaces it. ``origins`` covers ``new_lines`` without gaps once the edit is done; before that it
    may be empty.

    Two marks, each one sentence: ``suspect`` says why the hunk looks wrong, and leaves it out of accept-all; ``note``
    says why it is worth a look, and leaves nothing out. ``note_spans`` are notes on parts of the new text.
    """

    id: int
    start: int
    old_count: int
    new_lines: tuple[str, ...]
    done: bool = True
    suspect: str | None = None
    origins: tuple[Origin, ...] = ()
    note: str | None = None
    note_spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Keep:
    """The next ``count`` old lines are certainly unchanged."""

    count: int


Op = Keep | Hunk


@dataclass(frozen=True, slots=True)
class TextReplacement:
    """Code points ``start .. end`` of the old text become ``new_text``."""

    start: int
    end: int
    new_text: str


def merge_ops(first: tuple[Op, ...], second: tuple[Op, ...]) -> tuple[Op, ...]:
    """Two consecutive lists of operations as one: the last ``Keep`` and a following one are added up, and a hunk right
    before one of the same id is replaced by that later version.
    """
    merged = list(first)
    for op in second:
        last = merged[-1] if merged else None
        if isinstance(op, Keep) and isinstance(last, Keep):
            merged[-1] = Keep(last.count + op.count)
        elif isinstance(op, Hunk) and isinstance(last, Hunk) and last.id == op.id:
            merged[-1] = op
        else:
            merged.append(op)
    return tuple(merged)


def notes(hunks: Sequence[Hunk]) -> list[str]:
    """The notes of all hunks, which are in order, as ``with_lines`` writes them: for a note on a hunk its first line in the
    old text, for a note on a part of it the line in the new text.
    """
    found, shift = [], 0
    for hunk in hunks:
        if hunk.note is not None:
            found.append((hunk.start, hunk.note))
        first = hunk.start + shift
        found += [(first + span.line, span.text) for span in hunk.note_spans]
        shift += len(hunk.new_lines) - hunk.old_count
    return with_lines(found)


def with_lines(found: Iterable[tuple[int, str]]) -> list[str]:
    """The sentences, each once and in order, after the lines (0-based) that it is about, counted from 1 and without duplicates; of
    more than five the first four.

    >>> with_lines([(3, "Look."), (8, "Look."), (8, "Untold.")])
    ['lines 4 and 9: Look.', 'line 9: Untold.']
    """
    lines: dict[str, list[str]] = {}
    for line, sentence in found:
        numbers = lines.setdefault(sentence, [])
        if (number := f"{line + 1:,}") not in numbers:
            numbers.append(number)
    return [f"{_lines(numbers)}: {sentence}" for sentence, numbers in lines.items()]


def _lines(numbers: Sequence[str]) -> str:
    """The numbers of lines in words."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    if len(numbers) > _MOST_NAMED:
        return f"lines {', '.join(numbers[: _MOST_NAMED - 1])} and {len(numbers) - _MOST_NAMED + 1} more"
    return f"lines {', '.join(numbers[:-1])} and {numbers[-1]}"
