"""White space that a model changes in passing: at the ends of lines, and blank lines.

Chat models drop it because most of their training text had lost it. Unless an instruction mentions
it, lines are compared without white space at their ends, and changes of blank lines are ignored.
Knows lines; ``streaming`` asks, and ``num_restored`` counts the lines that stayed as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
