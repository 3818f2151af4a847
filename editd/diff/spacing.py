"""White space that a model changes in passing: at the ends of lines, blank lines, the first line's indentation.

Chat models drop it because most of their training text had lost it. Unless an instruction mentions
it, lines are compared without white space at their ends, and changes of blank lines are ignored.
Small models write pieces of a file without the first line's indentation; it is given back where all else
says that it was an accident. Knows lines; ``streaming`` asks, and ``num_restored`` counts the lines that
stayed as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from editd.diff.matching import Change


class Spacing:
    """old: the buffer's lines, as a model sees them. kept: whether they keep their white space."""

    def __init__(self, old: Sequence[str], *, kept: bool) -> None:
        self._old = old
        self._kept = kept
        self.num_restored = 0

    def seen(self, line: str) -> str:
        """``line`` as it is compared."""
        if not self._kept:
            return line
        return line.rstrip(_SPACE) + line[-1:] if line.endswith("\n") else line.rstrip(_SPACE)

    def is_none(self, group: Sequence[Change], old: Sequence[str], new: Sequence[str]) -> bool:
        """Whether these changes of ``old`` to ``new`` affect only blank lines, and so are undone."""
        if not self._kept or not all(_is_blank_change(change, old, new) for change in group):
            return False
        self.num_restored += sum(change.size for change in group)
        return True

    def says_nothing(self, new: Iterable[str]) -> bool:
        """Whether not to show ``new`` lines yet: they may all be undone."""
        return self._kept and all(map(_is_blank, new))

    def restore(self, start: int, written: Sequence[str]) -> None:
        """The old lines from ``start`` on stay, which the answer has ``written`` so."""
        if self._kept:
            pairs = zip(self._old[start : start + len(written)], written, strict=True)
            self.num_restored += sum(old != new for old, new in pairs)

    def restore_between(self, changes: Sequence[Change], base: int, new: Sequence[str]) -> None:
        """The old lines around ``changes`` stay; these count from line ``base``, and from ``new``."""
        if not self._kept:
            return
        old_at = new_at = 0
        for change in changes:
            self.restore(base + old_at, new[new_at : change.new_start])
            old_at, new_at = change.old_end, change.new_end
        self.restore(base + old_at, new[new_at:])


def _is_blank_change(change: Change, old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether only blank lines are replaced by only blank lines."""
    lines = [*old[change.old_start : change.old_end], *new[change.new_start : change.new_end]]
    return all(map(_is_blank, lines))


def _is_blank(line: str) -> bool:
    return not line.strip(_SPACE)


_SPACE = " \t\n"  # a form feed says something


class FirstIndent:
    """Lines of an answer in, the same lines out, the first perhaps indented; ``restored``: it was.

    It is where the line begins as the buffer's does, and the next one is indented as the buffer's next.
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
