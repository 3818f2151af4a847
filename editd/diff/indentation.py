"""The indentation that a model loses of a piece of a file: of its first line alone, or of the whole piece.

Small models begin at column 0, because most of what they learnt does. The first line's is given back where the next one has
the buffer's; all lines' where the next one stands as far to the left as it would in a file of its own. Knows lines, as
they come; knows nothing of hunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_BLANKS = " \t"


class LostIndent:
    """Lines of an answer in, the same lines out, indented as the buffer's where they lost that.

    old: the lines that the answer replaces. may_move: only the first line's is given back. The first line waits until the next one that is not blank.
    num_restored: lines that got it back and are the buffer's own.
    """

    def __init__(self, old: Iterable[str], *, may_move: bool = False) -> None:
        solid = [line for line in old if line.strip()]
        self._first, self._second = (*solid[:2], "", "")[:2]
        self._common = "" if may_move else _common_start([_indent(line) for line in solid])
        self._old = frozenset(line.rstrip() for line in solid)
        self._held: list[str] | None = []  # ``None`` once it is decided
        self._lost = ""  # what every line lacks
        self.num_restored = 0

    def add(self, line: str) -> Sequence[str]:
        """The lines that are certain with ``line``."""
        if self._held is None:
            return (self._moved(line),)
        self._held.append(line)
        if len(self._held) == 1 and self._may_have_lost_it(line):
            return ()
        return self.rest(line) if line.strip() else ()

    def rest(self, following: str = "") -> Sequence[str]:
        """The lines that waited, once ``following`` is known or none comes."""
        held, self._held = self._held or [], None
        begins_alike = bool(held) and held[0].split()[:1] == self._first.split()[:1]
        is_in_place = bool(following) and _indent(following) == _indent(self._second)
        if len(held) > 1 and begins_alike and is_in_place:
            held[0] = _indent(self._first) + held[0].lstrip(_BLANKS)
            self.num_restored = 1
        elif len(held) > 1 and following and self._is_far_left(held[0], following):
            self._lost = self._common
        elif len(held) == 1 and held[0].strip() and not following and not self._second:
            self._lost = (
                self._common if _indent(held[0]) + self._common == _indent(self._first) else ""
            )
        return [self._moved(line) for line in held]

    def _may_have_lost_it(self, line: str) -> bool:
        lost = len(_indent(line)) < len(_indent(self._first))
        same = line.split()[:1] == self._first.split()[:1]
        return lost and (same or _indent(line) + self._common == _indent(self._first))

    def _is_far_left(self, first: str, following: str) -> bool:
        """Whether the answer's second line, too, lacks what all lines of the buffer have in common."""
        if following.rstrip() in self._old:
            return False
        if not self._common or _indent(first) + self._common != _indent(self._first):
            return False
        if following.strip() == self._second.strip():
            return self._common + _indent(following) == _indent(self._second)
        # A line below a header stands deeper than that.
        opens = first.rstrip().endswith((":", "{", "("))
        least = len(_indent(self._first)) + opens
        return len(_indent(following)) < least

    def _moved(self, line: str) -> str:
        """``line`` with what it lacks; one that stands in the buffer as it is lacks nothing."""
        if not self._lost or not line.strip() or self._is_known(line):
            return line
        self.num_restored += (self._lost + line).rstrip() in self._old
        return self._lost + line

    def _is_known(self, line: str) -> bool:
        return line.rstrip() in self._old and (self._lost + line).rstrip() not in self._old


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts, default=""), max(texts, default="")
    same = (
        number for number, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1
    )
    return first[: next(same, min(len(first), len(last)))]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_BLANKS))]
