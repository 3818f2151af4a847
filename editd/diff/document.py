"""A buffer as lines that carry their own ends, and as the plain text that a model sees.

Knows line ends, the byte order mark and the final newline; knows nothing of answers or hunks. Lines
end where editors end them: at ``\\r\\n``, ``\\n`` and ``\\r``. A form feed, U+0085 or U+2028 is an
ordinary character (``str.splitlines`` would break there and shift every later line).

::

    text        "\\ufeffa\\r\\nb\\nc"
    bom         "\\ufeff"
    lines       ("a\\r\\n", "b\\n", "c")      joined, after the BOM, they are the text again
    model_text  "a\\nb\\nc"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from editd.diff.lines import Lines, lines_of

BOM = "\ufeff"


def split_lines(text: str) -> list[str]:
    """``text`` as lines with their ends; no empty line after a final newline."""
    return list(lines_of(text))


def line_end(line: str) -> str:
    """The end that ``line`` carries: ``\\r\\n``, ``\\n``, ``\\r``, or ``""`` for an unended last line."""
    if line.endswith("\r\n"):
        return "\r\n"
    return line[-1] if line.endswith(("\n", "\r")) else ""


@dataclass(frozen=True)
class Document:
    """One text, immutable. The BOM stands before line 0 and is part of no line."""

    bom: str
    lines: Sequence[str]

    @classmethod
    def of(cls, text: str) -> Document:
        """``text`` as a document."""
        bom = BOM if text.startswith(BOM) else ""
        lines = lines_of(text, len(bom))
        return cls(bom, lines)

    @property
    def text(self) -> str:
        """The original, byte for byte."""
        return self.bom + self.text_of(0, len(self.lines))

    def text_of(self, start: int, end: int) -> str:
        """Lines ``start .. end`` of the original in one string."""
        return _joined(self.lines, start, end)

    @cached_property
    def model_lines(self) -> Sequence[str]:
        """The lines ended by LF; only a last line that has no end has none here either."""
        if isinstance(self.lines, Lines):
            return self.lines.with_lf()
        return tuple(_as_model_line(line) for line in self.lines)

    @cached_property
    def model_text(self) -> str:
        """The text for a model: LF, no BOM."""
        return _joined(self.model_lines, 0, len(self.lines))

    @property
    def ends_with_newline(self) -> bool:
        """Whether the last line is ended. An empty text lacks nothing."""
        return not self.lines or bool(line_end(self.lines[-1]))

    @cached_property
    def usual_end(self) -> str:
        """The most frequent line end, ``\\n`` where there is none."""
        text = self.text_of(0, len(self.lines))
        both = text.count("\r\n")
        ends = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
        return max(ends, key=ends.__getitem__)

    def line_offset(self, index: int) -> int:
        """Code points of the original text before line ``index``, the BOM included.

        ``index`` may be the number of lines; the answer is then the length of the text.
        """
        if isinstance(self.lines, Lines):
            return self.lines.offset(index)
        return self._offsets[index]

    @cached_property
    def _offsets(self) -> tuple[int, ...]:
        return tuple(accumulate(map(len, self.lines), initial=len(self.bom)))

    def restore_ends(
        self, model_lines: Sequence[str], start: int, old_count: int
    ) -> tuple[str, ...]:
        """``model_lines``, which replace ``old_count`` lines at ``start``, with this text's line ends.

        A new line takes the end of the old line that it replaces, one by one; a further one that
        of the line before it, else of the line after the replaced ones, else the usual one. A
        line without LF (the last of a text without final newline) stays without an end.
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
                line = unglued(previous, line[:-1] + end)  # noqa: PLW2901
            restored.append(line)
            previous = line
        return tuple(restored)


def unglued(previous: str, line: str) -> str:
    """``line``, made safe to follow ``previous``.

    A line that is nothing but LF would make one line end of a lone CR before it, and the empty
    line would be gone; ended by CR LF it stays a line.
    """
    return "\r\n" if line == "\n" and previous.endswith("\r") else line


def asks_for_final_newline(instruction: str) -> bool | None:
    """Whether the instruction asks for a final newline: true, false, or ``None`` if it does not mention it.

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


def _joined(lines: Sequence[str], start: int, end: int) -> str:
    return lines.joined(start, end) if isinstance(lines, Lines) else "".join(lines[start:end])


def _as_model_line(line: str) -> str:
    end = line_end(line)
    return line if end in ("\n", "") else line[: -len(end)] + "\n"
