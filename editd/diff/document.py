"""A buffer as lines that carry their own ends, and as the plain text that a model sees.

Knows line ends, the byte order mark and the final newline; knows nothing of answers or hunks. Nothing else in editd
cuts a buffer into lines. They are cut out on demand: a list of strings would take up to sixty times the memory of a
text of short lines, and here a line costs four bytes, the offset at which it begins. Lines end where editors end
them: at ``\\r\\n``, ``\\n`` and ``\\r``. A form feed, U+0085 or U+2028 is an ordinary character (``str.splitlines``
would break there and shift every later line).

::

    text        "\\ufeffa\\r\\nb\\nc"
    bom         "\\ufeff"
    lines       ("a\\r\\n", "b\\n", "c")      joined, after the BOM, they are the text again
    model_text  "a\\nb\\nc"
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from editd.turns import yield_point

BOM = "\ufeff"

_NEWLINE = r"(?:new[- ]?line|line[- ]?break|line[- ]?feed|eol|lf)(?: char(?:acter)?)?\b"
_FILE = r"(?:(?:the|this|that|its|your|my) )?(?:file|buffer|document|source|text|eof)\b"

_ENDS_WITH = re.compile(
    rf"(?P<negated>(?:n't|n’t|not|never) )?\b(?:end {_FILE}|{_FILE} (?:(?:should|must|to) )?ends?)"
    rf" with(?P<without>out)? (?:an?|one|any|exactly one)? ?(?:single )?{_NEWLINE}"
)

_FINAL_NEWLINE = re.compile(
    rf"\b(?:final|trailing|terminating|closing|eof|end[- ]of[- ]file) {_NEWLINE}"
    rf"|\b{_NEWLINE} (?:at|to|from) (?:the )?(?:very )?(?:end of {_FILE}|eof\b|end[.!]?$)"
)

_OF_SOMETHING_ELSE = re.compile(
    rf" (?:from|to|in|of|on|for|after|before) (?!{_FILE}|it\b|the end\b)"
)

_REMOVING = ("remove", "delete", "drop", "strip", "trim", "omit", "without", "rid of")

_ADDING = (
    "add",
    "append",
    "insert",
    "put",
    "ensure",
    "include",
    "restore",
    "missing",
    "fix",
    "need",
)

_VERB = re.compile(rf"\b(?:{'|'.join(_REMOVING + _ADDING)})")
_CHUNK = 1 << 16  # characters that are looked at in one piece: about a millisecond
_LINE_END = re.compile(r"\r\n?|\n")


def split_lines(text: str) -> list[str]:
    """``text`` as lines with their ends; no empty line after a final newline."""
    return list(lines_of(text))


def with_lf(lines: Iterable[str]) -> tuple[str, ...]:
    """``lines`` as a model sees them, each ended by LF in place of its own line end; a last line without an end has none."""
    return tuple(
        line if end in ("\n", "") else line[: -len(end)] + "\n"
        for line, end in ((line, line_end(line)) for line in lines)
    )


def line_end(line: str) -> str:
    """The end of ``line``: ``\\r\\n``, ``\\n`` or ``\\r``; empty for an unended last line."""
    if line.endswith("\r\n"):
        return "\r\n"
    return line[-1] if line.endswith(("\n", "\r")) else ""


@dataclass(frozen=True)
class Document:
    """A text, immutable. The BOM precedes line 0 and is part of no line."""

    bom: str
    lines: DocumentLines

    @classmethod
    def of(cls, text: str) -> Document:
        """``text`` as a document: its byte order mark, if it has one, and the lines after it. Calls ``yield_point``
        (pauses for other work) in large texts.
        """
        bom = BOM if text.startswith(BOM) else ""
        lines = lines_of(text, len(bom))
        return cls(bom, lines)

    @property
    def text(self) -> str:
        """The original text, byte for byte."""
        return self.bom + self.text_of(0, len(self.lines))

    def text_of(self, start: int, end: int) -> str:
        """Lines ``start .. end`` of the original in one string."""
        return self.lines.joined(start, end)

    @cached_property
    def model_lines(self) -> DocumentLines:
        """The lines ended by LF; a last line without an end has none."""
        return self.lines.with_lf()

    @cached_property
    def model_text(self) -> str:
        """The text for a model: LF, no BOM."""
        return self.model_lines.joined(0, len(self.lines))

    @property
    def ends_with_newline(self) -> bool:
        """Whether the last line is ended; true for an empty text."""
        return not self.lines or bool(line_end(self.lines[-1]))

    @cached_property
    def usual_end(self) -> str:
        """The most frequent line end: of equally frequent ones the first of ``\\n``, ``\\r\\n`` and ``\\r``; ``\\n`` if there is none."""
        text = self.text_of(0, len(self.lines))
        both = text.count("\r\n")
        ends = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
        return max(ends, key=ends.__getitem__)

    def line_offset(self, index: int) -> int:
        """Code points of the original text before line ``index``, the BOM included; all of them for the number of
        lines.
        """
        return self.lines.offset(index)

    def restore_ends(
        self, model_lines: Sequence[str], start: int, old_count: int
    ) -> tuple[str, ...]:
        """``model_lines``, which replace ``old_count`` lines at ``start``, with this text's line ends.

        A new line takes the end of the old line that it replaces, one by one; a further one that of the line before it,
        else of the line after the replaced ones, else the usual one. A line without LF (the last of a text without
        final newline) stays without an end. An empty line after a lone CR gets CR LF, so that it stays a line.
        """
        previous = self.lines[start - 1] if start else ""
        following = self.lines[start + old_count : start + old_count + 1]
        end = line_end(previous)
        fallback = line_end(following[0] if following else "") or self.usual_end
        restored: list[str] = []
        for index, line in enumerate(model_lines):
            replaced = line_end(self.lines[start + index]) if index < old_count else ""
            end = replaced or end or fallback
            if line.endswith("\n"):
                line = without_joining(previous, line[:-1] + end)  # noqa: PLW2901
            restored.append(line)
            previous = line
        return tuple(restored)


def without_joining(previous: str, line: str) -> str:
    """``line``, changed if necessary so that it stays a line of its own after ``previous``.

    A line that is nothing but LF would make one line end of a lone CR before it, and the empty line would be lost;
    ended by CR LF it stays a line.
    """
    return "\r\n" if line == "\n" and previous.endswith("\r") else line


def requested_final_newline(instruction: str) -> bool | None:
    """Whether the instruction asks for a final newline (true) or for none (false); ``None`` if it
    mentions no end of the file, only one of something else, or one without a verb before it.

    Deliberately narrow: "strip the trailing newline from each answer" mentions the program, and
    "remove trailing newlines" usually means blank lines. When in doubt the text keeps its end.
    """
    text = " ".join(instruction.lower().split())
    if clause := _ENDS_WITH.search(text):
        return not (clause["without"] or clause["negated"])
    for match in _FINAL_NEWLINE.finditer(text):
        verbs = _VERB.findall(text, 0, match.start())
        if verbs and not _OF_SOMETHING_ELSE.match(text, match.end()):
            return verbs[-1] not in _REMOVING
    return None


class DocumentLines(Sequence[str]):
    """The lines of ``text`` that begin at the offsets ``starts``, each with its end; the last offset is the end of
    all.

    as_lf: every line end becomes ``\\n``, as a model sees it.
    """

    def __init__(self, text: str, starts: array[int], *, as_lf: bool = False) -> None:
        self._text = text
        self._starts = starts
        self._as_lf = as_lf and "\r" in text

    def with_lf(self) -> DocumentLines:
        """The same lines, all ended by ``\\n``."""
        return DocumentLines(self._text, self._starts, as_lf=True)

    def offset(self, index: int) -> int:
        """Code points of the text before line ``index``; all of them for the number of lines."""
        return self._starts[index]

    def joined(self, start: int, end: int) -> str:
        """Lines ``start .. end`` (end exclusive) in one string; numbers are taken as in a slice, so they may be
        negative or too large.
        """
        start, end, _ = slice(start, end).indices(len(self))
        return self._with_chosen_ends(
            self._text[self._starts[start] : self._starts[max(start, end)]]
        )

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(map(self._line, range(*index.indices(len(self)))))
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        return self._line(number)

    def __iter__(self) -> Iterator[str]:
        return map(self._line, range(len(self)))

    def _line(self, number: int) -> str:
        """A line by its number."""
        return self._with_chosen_ends(self._text[self._starts[number] : self._starts[number + 1]])

    def _with_chosen_ends(self, text: str) -> str:
        """``text`` with every line end as ``\\n`` if the lines were made so (``as_lf``), else as it is."""
        if self._as_lf and "\r" in text:
            return text.replace("\r\n", "\n").replace("\r", "\n")
        return text


def lines_of(text: str, start: int = 0) -> DocumentLines:
    """The lines of ``text`` from offset ``start`` on, without an empty one after a last line end. Calls ``yield_point``
    every 65,536 characters (pauses for other work).
    """
    starts = array("I", [start])
    at = start
    while at < len(text):
        chunk = text[at : at + _CHUNK]
        if chunk.endswith("\r") and text.startswith("\n", at + _CHUNK):
            chunk += "\n"  # a CR LF is not cut in two
        if "\r" in chunk:
            starts.extend([at + match.end() for match in _LINE_END.finditer(chunk)])
        else:
            end = at
            for piece in chunk.split("\n")[:-1]:
                end += len(piece) + 1
                starts.append(end)
        at += len(chunk)
        yield_point()
    if starts[-1] < len(text):
        starts.append(len(text))
    return DocumentLines(text, starts)
