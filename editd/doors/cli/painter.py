"""Turns a streaming diff into rows, each as soon as it is final. Knows no colour and no terminal.

A hunk is drawn with some unchanged lines before it at once; those after it follow as the walk
passes them, since the next change might begin right there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from editd.diff.hunk import Hunk, Keep, Op, Origin

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One drawn line. ``number`` is 1-based: in the old text for removed lines, else in the new."""

    kind: Literal["gap", "context", "removed", "added"]
    number: int
    text: str = ""
    suspect: bool = False
    origins: tuple[Origin, ...] = ()  # of an added line's text


class Painter:
    """Follows one edit of ``old_lines``; ``passed`` is how many of them the diff has passed."""

    def __init__(self, old_lines: Sequence[str]) -> None:
        self._old = old_lines
        self._start_over()

    def _start_over(self) -> None:
        self.passed = 0
        self._shown = 0  # old lines before this one are drawn, or will never be
        self._context_end = 0  # lines before this one are drawn once they are passed
        self._shift = 0  # new line number - old line number, here
        self._painted: dict[int, Hunk] = {}

    def feed(self, ops: Iterable[Op]) -> Iterator[Row]:
        """The rows that ``ops`` made final."""
        for op in ops:
            if isinstance(op, Keep):
                self.passed += op.count
                yield from self._context_until(min(self.passed, self._context_end))
            else:
                # A scope may lie anywhere in the text; the hunk itself says where we are.
                self.passed = op.start
                yield from self._context_until(min(self.passed, self._context_end))
                if op.done:
                    yield from self._hunk(op)

    def finish(self, hunks: Sequence[Hunk]) -> Iterator[Row]:
        """The missing rows of the diff; all rows again if the drawn part turned out wrong."""
        final = {hunk.id: hunk for hunk in hunks}
        missing = [hunk for hunk in hunks if hunk.id not in self._painted]
        right = all(
            hunk_id in final and _lines(final[hunk_id]) == _lines(painted)
            for hunk_id, painted in self._painted.items()
        )
        if not right or (missing and missing[0].start < self._shown):
            self._start_over()
            yield Row("gap", 0, "the whole diff, corrected:")
            missing = list(hunks)
        yield from self.feed(missing)
        yield from self._context_until(self._context_end)

    def _hunk(self, hunk: Hunk) -> Iterator[Row]:
        lead = max(self._shown, hunk.start - CONTEXT_LINES)
        if lead > self._shown:
            yield Row("gap", lead + self._shift + 1)
        self._shown = lead
        yield from self._context_until(hunk.start)
        suspect = hunk.suspect is not None
        end = hunk.start + hunk.old_count
        for index in range(hunk.start, min(end, len(self._old))):
            yield Row("removed", index + 1, self._old[index], suspect)
        for index, line in enumerate(hunk.new_lines):
            origins = tuple(origin for origin in hunk.origins if origin.line == index)
            yield Row("added", hunk.start + self._shift + index + 1, line, suspect, origins)
        self._shift += len(hunk.new_lines) - hunk.old_count
        self.passed = self._shown = end
        self._context_end = min(end + CONTEXT_LINES, len(self._old))
        self._painted[hunk.id] = hunk

    def _context_until(self, end: int) -> Iterator[Row]:
        for index in range(self._shown, end):
            yield Row("context", index + self._shift + 1, self._old[index])
        self._shown = max(self._shown, end)


def _lines(hunk: Hunk) -> tuple[int, int, tuple[str, ...]]:
    """The drawn part of a hunk; a warning that comes later changes no line."""
    return hunk.start, hunk.old_count, hunk.new_lines
