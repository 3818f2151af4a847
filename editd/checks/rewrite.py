"""What a check looks at, and how it says what it found. Line numbers in reasons are 1-based."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from editd.diff.document import Document
from editd.diff.hunk import Hunk


@dataclass(frozen=True, slots=True)
class Doubt:
    """One sentence for a person, and the hunks that it is about."""

    reason: str
    hunk_ids: tuple[int, ...]


@dataclass(frozen=True)
class Rewrite:
    """A buffer and all hunks of one edit. Texts are the model's: LF, no BOM."""

    document: Document
    hunks: tuple[Hunk, ...]
    instruction: str
    language: str
    regions: tuple[tuple[int, int], ...]  # lines that were rewritten, start and end

    @property
    def old_lines(self) -> Sequence[str]:
        return self.document.model_lines

    @cached_property
    def old_stripped(self) -> frozenset[str]:
        """The buffer's lines without the white space around them."""
        return frozenset(line.strip() for line in self.old_lines)

    @cached_property
    def new_lines(self) -> tuple[str, ...]:
        """The whole text after the edit."""
        lines: list[str] = []
        position = 0
        for hunk in self.hunks:
            lines += self.old_lines[position : hunk.start]
            lines += Document("", hunk.new_lines).model_lines
            position = hunk.start + hunk.old_count
        lines += self.old_lines[position:]
        return tuple(lines)

    @cached_property
    def new_starts(self) -> tuple[int, ...]:
        """For each hunk the index in ``new_lines`` of its first new line."""
        starts: list[int] = []
        shift = 0
        for hunk in self.hunks:
            starts.append(hunk.start + shift)
            shift += len(hunk.new_lines) - hunk.old_count
        return tuple(starts)

    def hunk_at(self, new_line: int) -> Hunk:
        """The hunk in which line ``new_line`` of the new text stands, else the nearest before it."""
        found = self.hunks[0]
        for hunk, start in zip(self.hunks, self.new_starts, strict=True):
            if start <= new_line:
                found = hunk
        return found


def quoted(line: str) -> str:
    """A line as it is shown inside a sentence."""
    bare = line.strip()
    return f"“{bare if len(bare) <= 60 else bare[:59] + '…'}”"
