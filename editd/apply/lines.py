"""The buffer's lines, indexed for comparison with a paste, and the ways to indent a block like them.

Two lines are equal if they differ in trailing blanks at most. Knows lines, not places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property

from editd.breathing import breathe
from editd.diff.matching import is_weak

MOST_COMPARED = 1_000_000  # lines of one paste with lines of its file
_MOST_INDENTS = 400  # places of a line whose indentation is looked at
_MOST_NEAREST = (
    5_000  # lines that a missing one is compared with: difflib takes microseconds for each
)


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

    def is_too_much(self, number: int) -> bool:
        """Whether so many more comparisons of lines would be too many; else they are counted."""
        breathe()
        if self._compared + number > MOST_COMPARED:
            return True
        self._compared += number
        return False

    def run_down(self, block: Sequence[str], start: int) -> int:
        """How many of the block's first lines the buffer has in a row from ``start`` on."""
        keys, length = self.keys, 0
        most = min(len(block), len(keys) - start)
        while length < most and keys[start + length] == block[length]:
            length += 1
        return length


def nearest(line: str, lines: Lines) -> str:
    """``; the nearest is line 12, “return x”``, or an empty string if no line is similar."""
    bare = line.strip()
    candidates = [key for key in lines.where_bare if abs(len(key) - len(bare)) <= len(bare)]
    candidates = candidates[:_MOST_NEAREST]
    words = set(bare.split())
    shared = [key for key in candidates if words & set(key.split())] or candidates[:500]
    found = get_close_matches(bare, shared, n=1, cutoff=0.6)
    if not found:
        return ""
    return f"; the nearest is line {lines.where_bare[found[0]][0] + 1}, “{found[0][:60]}”"


def num_strong(row: Sequence[str]) -> int:
    """The number of different strong lines: neither blank nor only brackets and the like."""
    return len({line for line in row if not is_weak(line)})


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


def shifted(block: Sequence[str], lines: Lines) -> list[tuple[str, ...]]:
    """The block in every other indentation in which the buffer has its first and its last line."""
    own = tuple(line.rstrip() for line in block)
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for moved in (*_moved(block, lines), *_other_characters(block, lines)):
        if moved[0].rstrip() in lines.where and moved[-1].rstrip() in lines.where:
            found.setdefault(tuple(line.rstrip() for line in moved), moved)
    found.pop(own, None)
    return list(found.values())


def moved_to(block: Sequence[str], wanted: str) -> tuple[str, ...] | None:
    """The block, shifted so that its first line is indented by ``wanted``; ``None`` if that is impossible.

    The same characters are added to every line or taken from it. Empty lines stay empty.
    """
    given = indent_of(block[0])
    if any(line and not line.strip() for line in block):
        return None  # how long its lines of blanks should be is unknown
    if wanted.endswith(given):
        more = wanted[: len(wanted) - len(given)]
        return tuple(more + line if line.strip() else "" for line in block)
    if not given.endswith(wanted):
        return None
    less = given[: len(given) - len(wanted)]
    if any(line.strip() and not line.startswith(less) for line in block):
        return None
    return tuple(line[len(less) :] if line.strip() else "" for line in block)


def _moved(block: Sequence[str], lines: Lines) -> Iterator[tuple[str, ...]]:
    """The block, shifted to each indentation that the buffer has for its first line."""
    found = lines.where_bare.get(block[0].strip(), [])[:_MOST_INDENTS]
    for wanted in dict.fromkeys(indent_of(lines.keys[index]) for index in found):
        if (moved := moved_to(block, wanted)) is not None:
            yield moved


def _other_characters(block: Sequence[str], lines: Lines) -> Iterator[tuple[str, ...]]:
    """The block with tabs for spaces if the buffer is indented by tabs only, and the reverse."""
    if lines.indented_by_tabs is None or any(line and not line.strip() for line in block):
        return
    for width in (4, 2, 8):
        was, now = (" " * width, "\t") if lines.indented_by_tabs else ("\t", " " * width)
        yield tuple(indent_of(line).replace(was, now) + line.lstrip() for line in block)


def _indices(keys: Iterator[str] | Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for index, key in enumerate(keys):
        found[key].append(index)
    return dict(found)
