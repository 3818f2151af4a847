"""An earlier answer to refine: which part of it the new answer of a region replaces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editd.breathing import breathe
from editd.diff.document import Document

_MANY = 2000  # lines that are compared in one piece: a millisecond or two


@dataclass(frozen=True, slots=True)
class Earlier:
    """A whole new text that an earlier edit of this buffer wrote.

    num_lines: the buffer's. before, after: how many lines at the beginning, and at the end, are
    alike in both.
    """

    document: Document
    num_lines: int
    before: int
    after: int

    @classmethod
    def read(cls, text: str, lines: Sequence[str]) -> Earlier:
        """``lines``: the buffer's, as the model sees them."""
        document = Document.of(text)
        earlier = document.model_lines
        before = _num_alike(zip(earlier, lines, strict=False))
        after = _num_alike(zip(reversed(earlier), reversed(lines), strict=False))
        return cls(document, len(lines), before, after)

    def part(self, start: int, end: int) -> str:
        """The part of the earlier text that corresponds to lines ``start .. end`` of the buffer.

        All of the text where the two differ outside these lines, too: then it is unknown which
        part is meant.
        """
        behind = self.num_lines - end
        stop = len(self.document.lines) - behind
        if stop < start or start > self.before or behind > self.after:
            return self.document.model_text
        return "".join(self.document.model_lines[start:stop])


def _num_alike(pairs: Iterable[tuple[str, str]]) -> int:
    """The number of equal pairs before the first unequal one."""
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
        if count % _MANY == 0:
            breathe()
    return count
