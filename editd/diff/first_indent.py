"""An answer's first line that lost its indentation, as small models write pieces of a file.

Given back only where all else says that it was an accident: the line begins as the buffer's does, and the
next one is indented as the buffer's next one is. Knows lines; ``spacing`` has the other white space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class FirstIndent:
    """Lines of an answer in, the same lines out, the first perhaps indented; ``restored``: it was.

    old: the lines that the answer replaces. The first line waits until the next one that is not blank.
    """

    def __init__(self, old: Iterator[str]) -> None:
        said = (line for line in old if line.strip())
        self._first, self._second = next(said, ""), next(said, "")
        self._held: list[str] | None = []  # ``None`` once it is decided
        self.restored = False

    def add(self, line: str) -> Sequence[str]:
        """The lines that are certain with ``line``."""
        if self._held is None:
            return (line,)
        self._held.append(line)
        if len(self._held) == 1 and self._may_have_lost_it(line):
            return ()
        return self.rest(line) if line.strip() else ()

    def rest(self, following: str = "") -> Sequence[str]:
        """The lines that waited, once ``following`` is known or none comes."""
        held, self._held = self._held or [], None
        if len(held) > 1 and following and _indent(following) == _indent(self._second):
            held[0] = _indent(self._first) + held[0].lstrip(_BLANKS)
            self.restored = True
        return held

    def _may_have_lost_it(self, line: str) -> bool:
        lost = len(_indent(line)) < len(_indent(self._first))
        return lost and line.split()[:1] == self._first.split()[:1]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_BLANKS))]


_BLANKS = " \t"
