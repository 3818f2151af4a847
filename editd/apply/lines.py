"""The buffer's lines, indexed for comparison with a sketch, and the ways to indent a piece like them.

Two lines are equal if they differ in trailing blanks at most. A whole piece may be indented
differently: by the same characters too many or too few on every line, or by tabs where the buffer
has spaces. Knows lines, not placements.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

from editd.breathing import breathe
from editd.diff.matching import is_weak

MOST_COMPARED = 1_000_000  # lines of one paste with lines of its file
_MOST_INDENTS = 400  # places of a line whose indentation is looked at


class Lines:
    """Lines without their ends, and the indices of each."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.raw = tuple(line.rstrip("\n") for line in lines)
        self.keys = tuple(line.rstrip() for line in self.raw)
        self._compared = 0

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def where(self) -> dict[str, list[int]]:
        """Indices by the line without its trailing blanks."""
        return _indices(self.keys)

    @cached_property
    def where_bare(self) -> dict[str, list[int]]:
        """Indices by the line without the blanks around it."""
        return _indices(line.strip() for line in self.keys)

    @cached_property
    def indented_by_tabs(self) -> bool | None:
        """Whether tabs indent; ``None`` if both tabs and spaces do, or if nothing is indented."""
        tabs = any(line.startswith("\t") for line in self.keys)
        spaces = any(line.startswith("  ") and not line.startswith("  *") for line in self.keys)
        return tabs if tabs != spaces else None

    @cached_property
    def unbroken(self) -> tuple[str, ...]:
        """The lines without blanks and commas (the function ``unbroken``)."""
        return tuple(map(unbroken, self.keys))

    @cached_property
    def neighbours(self) -> Counter[tuple[str, str]]:
        """Each pair of neighbours among the lines that are not blank, and how often it occurs."""
        return Counter(pairwise(filter(None, self.keys)))

    @cached_property
    def steps(self) -> Counter[str]:
        """The added indentation below opening lines, and how often each occurs."""
        found: Counter[str] = Counter()
        for (above, line), count in self.neighbours.items():
            if step := step_between(above, line):
                found[step] += count
        return found

    def is_too_much(self, number: int) -> bool:
        """Whether so many more comparisons of lines would be too many; else they are counted."""
        breathe()
        if self._compared + number > MOST_COMPARED:
            return True
        self._compared += number
        return False

    def weight(self, row: Sequence[str]) -> int:
        """How strongly a row of lines supports a place.

        A strong line counts 2 if the buffer has it once, else 1. Blank lines and brackets count 0.
        """
        return sum(2 if len(self.where.get(key, ())) == 1 else 1 for key in row if not is_weak(key))

    def run_down(self, piece: Sequence[str], start: int) -> int:
        """How many of the piece's first lines the buffer has in a row from ``start`` on."""
        keys, length = self.keys, 0
        most = min(len(piece), len(keys) - start)
        while length < most and keys[start + length] == piece[length]:
            length += 1
        return length

    def run_up(self, piece: Sequence[str], end: int) -> int:
        """How many of the piece's last lines the buffer has in a row up to ``end`` (exclusive)."""
        keys, length = self.keys, 0
        most = min(len(piece), end)
        while length < most and keys[end - 1 - length] == piece[-1 - length]:
            length += 1
        return length


def step_between(above: str, line: str) -> str:
    """The indentation that a line adds to an opening line above it; empty if it adds none."""
    if above[-1] not in "{([:" or len(indent_of(line)) <= len(indent_of(above)):
        return ""
    return indent_of(line).removeprefix(indent_of(above))


def unbroken(line: str) -> str:
    """The line without blanks and commas, which change when a list is broken over other lines."""
    return _BROKEN.sub("", line)


_BROKEN = re.compile(r"[\s,]")


def num_strong(row: Sequence[str]) -> int:
    """The number of different strong lines: neither blank nor only brackets and the like."""
    return len({line for line in row if not is_weak(line)})


def strong_lines(lines: Iterable[str]) -> list[str]:
    """The different strong lines, without the blanks around them."""
    return list(dict.fromkeys(line.strip() for line in lines if not is_weak(line)))


def likeness(first: str, second: str, least: float) -> float:
    """Difflib's ratio, or 0 if it is not above ``least``."""
    if first == second:
        return 1.0
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() <= least or matcher.quick_ratio() <= least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio > least else 0.0


def nesting(lines: Iterable[str]) -> tuple[int, ...]:
    """For each kind of bracket, how many are open; for each kind of long string, whether it is open."""
    text = "".join(lines)
    brackets = (
        text.count(opening) - text.count(closing) for opening, closing in ("()", "[]", "{}")
    )
    return (*brackets, *(text.count(quotes) % 2 for quotes in ('"""', "'''", "`")))


def indent_of(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def shifted(piece: Sequence[str], lines: Lines) -> list[tuple[str, ...]]:
    """The piece in every other indentation in which the buffer has its first and its last line."""
    own = tuple(line.rstrip() for line in piece)
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for moved in (*_moved(piece, lines), *_other_characters(piece, lines)):
        if moved[0].rstrip() in lines.where and moved[-1].rstrip() in lines.where:
            found.setdefault(tuple(line.rstrip() for line in moved), moved)
    found.pop(own, None)
    return list(found.values())


def num_found(piece: Sequence[str], lines: Lines) -> int:
    """How many strong lines of the piece the buffer has, indentation included."""
    return sum(line.rstrip() in lines.where for line in piece if not is_weak(line))


def moved_to(piece: Sequence[str], wanted: str) -> tuple[str, ...] | None:
    """The piece, shifted so that its first line is indented by ``wanted``; ``None`` if that is impossible.

    The same characters are added to every line or taken from it. Empty lines stay empty.
    """
    given = indent_of(piece[0])
    if any(line and not line.strip() for line in piece):
        return None  # how long its lines of blanks should be is unknown
    if wanted.endswith(given):
        more = wanted[: len(wanted) - len(given)]
        return tuple(more + line if line.strip() else "" for line in piece)
    if not given.endswith(wanted):
        return None
    less = given[: len(given) - len(wanted)]
    if any(line.strip() and not line.startswith(less) for line in piece):
        return None
    return tuple(line[len(less) :] if line.strip() else "" for line in piece)


def _moved(piece: Sequence[str], lines: Lines) -> Iterator[tuple[str, ...]]:
    """The piece, shifted to each indentation that the buffer has for its first or its last line."""
    for edge in {0, len(piece) - 1}:
        found = lines.where_bare.get(piece[edge].strip(), [])[:_MOST_INDENTS]
        for wanted in dict.fromkeys(indent_of(lines.keys[index]) for index in found):
            given = indent_of(piece[edge])
            first = indent_of(piece[0])
            if wanted.endswith(given):
                first = wanted[: len(wanted) - len(given)] + first
            elif given.endswith(wanted) and len(first) >= len(given) - len(wanted):
                first = first[len(given) - len(wanted) :]
            moved = moved_to(piece, first)
            if moved is not None:
                yield moved


def _other_characters(piece: Sequence[str], lines: Lines) -> Iterator[tuple[str, ...]]:
    """The piece with tabs for spaces if the buffer is indented by tabs only, and the reverse."""
    if lines.indented_by_tabs is None or any(line and not line.strip() for line in piece):
        return
    for width in (4, 2, 8):
        spaces = " " * width
        if lines.indented_by_tabs:
            changed = tuple(
                _with_indent(line, indent_of(line).replace(spaces, "\t")) for line in piece
            )
            good = all(" " not in indent_of(line).rstrip(" ") for line in changed)
        else:
            changed = tuple(
                _with_indent(line, indent_of(line).replace("\t", spaces)) for line in piece
            )
            good = True
        if good and changed != tuple(piece):
            yield changed


def _with_indent(line: str, indent: str) -> str:
    return indent + line.lstrip()


def _indices(keys: Iterator[str] | Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for index, key in enumerate(keys):
        found[key].append(index)
    return dict(found)
