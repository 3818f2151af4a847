"""The text of an earlier answer beside its buffer: where the two differ, and the part of it that a part of the buffer became.

Compares lines from both ends; what a change between them is left to ``matching``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editd.diff.document import Document
from editd.turns import yield_point

_MANY = 2000  # lines that are compared in one piece: a millisecond or two


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """A whole new text that an earlier edit of this buffer wrote.

    num_lines: of the buffer. before, after: the number of equal lines at the beginning and at the end of both.
    """

    document: Document
    num_lines: int
    before: int
    after: int

    @classmethod
    def read(cls, text: str, lines: Sequence[str]) -> EarlierAnswer:
        """An earlier answer's whole text, with how many lines at both ends are as in the buffer.
        lines: the buffer's, as the model sees them.
        """
        document = Document.of(text)
        earlier = document.model_lines
        before = _num_alike(zip(earlier, lines, strict=False))
        after = _num_alike(zip(reversed(earlier), reversed(lines), strict=False))
        return cls(document, len(lines), before, after)

    def differs_only_in(self, start: int, end: int) -> bool:
        """Whether the earlier text is the buffer outside lines ``start .. end`` of it."""
        num_after = self.num_lines - end
        stop = len(self.document.lines) - num_after
        return start <= stop and start <= self.before and num_after <= self.after

    def part(self, start: int, end: int) -> str:
        """The part of the earlier text that corresponds to lines ``start .. end`` of the buffer.

        All of the text if the two differ outside these lines, too: then the part is unknown.
        """
        if not self.differs_only_in(start, end):
            return self.document.model_text
        stop = len(self.document.lines) - (self.num_lines - end)
        return "".join(self.document.model_lines[start:stop])


def _num_alike(pairs: Iterable[tuple[str, str]]) -> int:
    """The number of pairs of equal texts before the first unequal pair. Calls ``yield_point``
    (pauses for other work) every ``_MANY`` pairs.
    """
    count = 0
    for first, second in pairs:
        if first != second:
            break
        count += 1
        if count % _MANY == 0:
            yield_point()
    return count
