"""The input of a check: a buffer with the hunks of an edit (``Rewrite``), and its result (``Suspicion``).

Line numbers in messages are 1-based.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from editd.diff.document import Document, with_lf
from editd.diff.hunk import Hunk
from editd.intent import Parsed, parse

_FARTHEST = 1000  # characters around a line's text that are looked at for its ends
_LINE_ENDS = re.compile(r"[\r\n]")
_DEFINING = re.compile(
    r"\b(?:def|class|func|fun|fn|function|sub|struct|enum|union|trait|interface|impl|mod|module|object|record|namespace|macro"
    r"|protocol|extension|proc|type|typedef|procedure)\b|=>|[\w>\]*&] +\*?[\w:~]+ ?\(|^[\w$]+ ?\([^;]*$"
)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A sentence for a person, and the ids of the hunks that it is about."""

    reason: str
    hunk_ids: tuple[int, ...]


@dataclass(frozen=True)
class Rewrite:
    """A buffer and all hunks of an edit. Texts are the model's: LF, no BOM. regions: lines that were rewritten, start and end."""

    document: Document
    hunks: tuple[Hunk, ...]
    instruction: str
    language: str
    regions: tuple[tuple[int, int], ...]

    @property
    def parsed(self) -> Parsed:
        """The instruction, parsed once."""
        return parse(self.instruction)

    @property
    def old_lines(self) -> Sequence[str]:
        """The buffer's lines, each ended by LF."""
        return self.document.model_lines

    def has_line(self, bare: str) -> bool:
        """Whether a line of the buffer is ``bare`` (not empty), with or without blanks around it; blanks beyond 1,000
        characters are not looked at.
        """
        text = self.document.text
        at = text.find(bare)
        while at >= 0:
            end = at + len(bare)
            before, after = text[max(0, at - _FARTHEST) : at], text[end : end + _FARTHEST]
            if not _LINE_ENDS.split(before)[-1].strip() and not _LINE_ENDS.split(after)[0].strip():
                return True
            at = text.find(bare, end)
        return False

    def new_before(self, number: int) -> Iterator[str]:
        """The new text's lines before hunk number ``number`` (from 0) of ``hunks``, the last one first."""
        end = self.hunks[number].start
        for hunk in reversed(self.hunks[:number]):
            start = hunk.start + hunk.old_count
            yield from (self.old_lines[at] for at in range(end - 1, start - 1, -1))
            yield from reversed(with_lf(hunk.new_lines))
            end = hunk.start
        yield from (self.old_lines[at] for at in range(end - 1, -1, -1))

    def new_text(self, start: int, end: int) -> str:
        """The text, ended by LF, into which the buffer's lines ``start .. end`` (end exclusive) were rewritten; hunks
        that reach over a border are left out.
        """
        pieces: list[str] = []
        done = start
        for hunk in self.hunks:
            if start <= hunk.start and hunk.start + hunk.old_count <= end:
                pieces += (self.model_text(done, hunk.start), *with_lf(hunk.new_lines))
                done = hunk.start + hunk.old_count
        return "".join((*pieces, self.model_text(done, end)))

    def new_index(self, line: int) -> int:
        """The number in the new text of the buffer's ``line``, which no hunk may replace."""
        before = (hunk for hunk in self.hunks if hunk.start + hunk.old_count <= line)
        return line + sum(
            len(hunk.new_lines) - hunk.old_count for hunk in before if hunk.start < line
        )

    @cached_property
    def lost_lines(self) -> frozenset[str]:
        """Lines of the buffer that hunks replace and do not write again, stripped."""
        return frozenset(self._replaced - self._written)

    @cached_property
    def fresh_lines(self) -> frozenset[str]:
        """Lines that hunks write and that they do not replace, stripped."""
        return frozenset(self._written - self._replaced)

    @cached_property
    def _replaced(self) -> set[str]:
        """The lines that hunks replace, stripped."""
        spans = ((hunk.start, hunk.start + hunk.old_count) for hunk in self.hunks)
        return {self.old_lines[at].strip() for span in spans for at in range(*span)}

    @cached_property
    def _written(self) -> set[str]:
        """The lines that hunks write, stripped."""
        return {line.strip() for hunk in self.hunks for line in hunk.new_lines}

    def size(self, start: int, end: int) -> int:
        """Characters of the buffer's lines ``start .. end``."""
        return self.document.line_offset(end) - self.document.line_offset(start)

    def model_text(self, start: int, end: int) -> str:
        """The buffer's lines ``start .. end``, ended by LF."""
        return self.document.model_lines.joined(start, end)

    @cached_property
    def new_starts(self) -> tuple[int, ...]:
        """For each hunk the 0-based number in the new text of its first new line, or of the line after the place where
        it deletes.
        """
        starts: list[int] = []
        shift = 0
        for hunk in self.hunks:
            starts.append(hunk.start + shift)
            shift += len(hunk.new_lines) - hunk.old_count
        return tuple(starts)

    def hunk_at(self, new_line: int) -> Hunk:
        """The last hunk that begins at or before line ``new_line`` (0-based) of the new text; the first hunk if none
        does. Raises ``IndexError`` without hunks.
        """
        found = self.hunks[0]
        for hunk, start in zip(self.hunks, self.new_starts, strict=True):
            if start <= new_line:
                found = hunk
        return found


def may_define(line: str) -> bool:
    """Whether a line may be the first of a function or class."""
    return bool(_DEFINING.search(line))


def quoted(line: str) -> str:
    """A line in quotation marks for a sentence, without blanks around it, cut at 60 characters."""
    bare = line.strip()
    return f"“{bare if len(bare) <= 60 else bare[:59] + '…'}”"
