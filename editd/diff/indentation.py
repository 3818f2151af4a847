"""Restores the indentation that a model loses: of the first line of its answer alone, or of the whole answer.

Small models begin at column 0, because most texts that they learnt from do. The first line's indentation is restored
where the next line has the buffer's; that of all lines where the next one stands as far to the left as it would in a
file of its own. Knows lines, one by one; knows nothing of hunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_BLANKS = " \t"


class LostIndent:
    """Lines of an answer in, the same lines out, with the buffer's indentation where they lost it.

    old: the lines that the answer replaces.
    may_move: only the first line's indentation is restored: the others may be meant to move.

    The first line waits until the next one that is not blank. num_restored: lines that became equal to lines of the
    buffer.
    """

    def __init__(self, old: Iterable[str], *, may_move: bool = False) -> None:
        solid = [line for line in old if line.strip()]
        self._first, self._second = (*solid[:2], "", "")[:2]
        self._common = "" if may_move else _common_start([_indent(line) for line in solid])
        self._old = frozenset(line.rstrip() for line in solid)
        self._waiting: list[str] | None = []  # ``None`` once it is decided
        self._missing = ""  # what every line lacks
        self.num_restored = 0

    def add(self, line: str) -> Sequence[str]:
        """The lines that are certain with the next ``line`` of the answer, indentation restored;
        empty while the first line waits: if it is blank or may have lost its indentation, until a
        line that is not blank follows. Counts in ``num_restored``.
        """
        if self._waiting is None:
            return (self._indented(line),)
        self._waiting.append(line)
        if len(self._waiting) == 1 and self._may_have_lost_it(line):
            return ()
        return self.rest(line) if line.strip() else ()

    def rest(self, following: str = "") -> Sequence[str]:
        """The lines that waited, with their indentation; no line waits afterwards. following: the
        line after the first, which is among those that wait; empty if the answer has ended.

        The first line alone gets that of the buffer's first line if it begins with the same word
        and ``following`` is indented like the buffer's second. All lines, later ones too, get what
        all of the buffer's share if ``_is_far_left``, or if answer and buffer are a single line and
        the answer's lacks just that. Counts in ``num_restored``.
        """
        waiting, self._waiting = self._waiting or [], None
        begins_alike = bool(waiting) and waiting[0].split()[:1] == self._first.split()[:1]
        is_in_place = bool(following) and _indent(following) == _indent(self._second)
        if len(waiting) > 1 and begins_alike and is_in_place:
            waiting[0] = _indent(self._first) + waiting[0].lstrip(_BLANKS)
            self.num_restored = 1
        elif len(waiting) > 1 and following and self._is_far_left(waiting[0], following):
            self._missing = self._common
        elif len(waiting) == 1 and waiting[0].strip() and not following and not self._second:
            self._missing = (
                self._common if _indent(waiting[0]) + self._common == _indent(self._first) else ""
            )
        return [self._indented(line) for line in waiting]

    def _may_have_lost_it(self, line: str) -> bool:
        """Whether the answer's first line has less indentation than the buffer's first one that is not blank, and
        begins with the same word or lacks just the indentation that all lines of the buffer share.
        """
        is_left = len(_indent(line)) < len(_indent(self._first))
        begins_alike = line.split()[:1] == self._first.split()[:1]
        return is_left and (begins_alike or _indent(line) + self._common == _indent(self._first))

    def _is_far_left(self, first: str, following: str) -> bool:
        """Whether the answer's second line, too, lacks the indentation that all lines of the buffer
        share: it is the buffer's second line but for that, or another line that stands left of the
        buffer's first (after a header, a line that ends with ":", "{" or "(", not right of it).
        False if it is a line of the buffer, if they share none, or if the first line lacks another
        one.
        """
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

    def _indented(self, line: str) -> str:
        """``line`` with the indentation that all lines lack; unchanged if they lack none, it is blank, or it stands so
        in the buffer. Counts in ``num_restored`` a line that becomes one of the buffer's.
        """
        if not self._missing or not line.strip() or self._is_known(line):
            return line
        self.num_restored += (self._missing + line).rstrip() in self._old
        return self._missing + line

    def _is_known(self, line: str) -> bool:
        """Whether ``line`` stands in the buffer as it is, and does not with the missing indentation."""
        return line.rstrip() in self._old and (self._missing + line).rstrip() not in self._old


def _common_start(texts: Sequence[str]) -> str:
    """The longest common beginning of all texts; empty for none."""
    first, last = min(texts, default=""), max(texts, default="")
    differences = (
        number for number, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1
    )
    return first[: next(differences, min(len(first), len(last)))]


def _indent(line: str) -> str:
    """The blanks and tabs at the beginning of a line."""
    return line[: len(line) - len(line.lstrip(_BLANKS))]
