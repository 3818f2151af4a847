"""The buffer's lines, indexed for comparison with a paste, and what single lines say.

Two lines are equal if they differ in trailing blanks at most. Knows lines; where a part goes is decided
elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property

from editd.apply.text.line import _MOST_LETTERS, called, given_name, unit_of, words_of
from editd.apply.text.named_blocks import NamedBlock, _deeper, heads_of
from editd.breathing import breathe
from editd.syntax.outline import Definition, outline

MOST_COMPARED = 1_000_000  # lines of one paste with lines of its file
_MANY = 500  # lines that are read without a pause
MOST_NEAREST = (
    5_000  # lines that a missing one is compared with: difflib takes microseconds for each
)


class FileLines:
    """Lines without their ends, and the indices of each.

    language: by which they are outlined. is_ended: whether a newline stands after the last one.
    """

    def __init__(self, lines: Sequence[str], language: str = "") -> None:
        self.raw = tuple(line.rstrip("\n") for line in lines)
        self.keys = tuple(line.rstrip() for line in self.raw)
        self.is_ended = bool(lines) and lines[-1].endswith("\n")
        self.language = language
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
    def text(self) -> str:
        """The lines without their trailing blanks, joined."""
        return "\n".join(self.keys)

    @cached_property
    def signs(self) -> str:
        """Characters beyond ASCII that the lines have."""
        return "".join(sorted({x for x in self.text if not x.isascii()}))

    @cached_property
    def given(self) -> tuple[str, ...]:
        """The name that each line gives a value to."""
        return tuple(map(given_name, self.keys))

    @cached_property
    def where_given(self) -> dict[str, list[int]]:
        """Indices by that name."""
        return _indices(self.given)

    @cached_property
    def indented_by_tabs(self) -> bool | None:
        """Whether tabs indent; ``None`` if both tabs and spaces do, or if nothing is indented."""
        tabs = any(line.startswith("\t") for line in self.keys)
        spaces = any(line.startswith("  ") and not line.startswith("  *") for line in self.keys)
        return tabs if tabs != spaces else None

    @cached_property
    def words(self) -> tuple[dict[str, list[int]], list[int]]:
        """The lines that have a word or sign, as often as they have it; and how many each line has."""
        found: dict[str, list[int]] = defaultdict(list)
        totals = []
        for number, line in enumerate(self.keys):
            if number % _MANY == 0:
                breathe()
            said = words_of(line)
            totals.append(len(said))
            for word in said:
                found[word].append(number)
        return dict(found), totals

    @cached_property
    def unit(self) -> str:
        """The blanks of one level."""
        return unit_of(self.keys)

    @cached_property
    def _outline(self) -> tuple[Definition, ...]:
        return outline([f"{line}\n" for line in self.keys], self.language)

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The file's functions and classes."""
        return tuple(one for one in self._outline if one.is_block)

    @cached_property
    def fields(self) -> tuple[Definition, ...]:
        """Its constants and fields."""
        return tuple(one for one in self._outline if not one.is_block)

    @cached_property
    def blocks(self) -> tuple[NamedBlock, ...]:
        """The file's definitions and other blocks, but for those within functions."""
        return tuple(heads_of(self.keys, self.definitions))

    @cached_property
    def nested(self) -> tuple[NamedBlock, ...]:
        """Functions that are no definitions of the file: within a function, or a value in an object."""
        known = {one.head for one in self.blocks if not one.is_other}
        found = []
        for start, end in _deeper(self.keys):
            if start not in known and (name := called(self.keys[start])):
                found.append(NamedBlock(name, start, end, start))
        names = Counter(one.name for one in found)
        return tuple(one for one in found if names[one.name] == 1)

    @cached_property
    def _by_head(self) -> tuple[list[int], list[NamedBlock]]:
        heads = sorted(self.blocks, key=lambda one: one.head)
        return [one.head for one in heads], heads

    def heads_in(self, start: int, end: int) -> Sequence[NamedBlock]:
        """The blocks whose first line is one of ``start .. end``."""
        if start >= end:
            return ()
        at, heads = self._by_head
        return heads[bisect_left(at, start) : bisect_left(at, end)]

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

    def run_up(self, block: Sequence[str], end: int) -> int:
        """How many of the block's last lines the buffer has in a row up to ``end`` (exclusive)."""
        keys, length = self.keys, 0
        most = min(len(block), end)
        while length < most and keys[end - 1 - length] == block[-1 - length]:
            length += 1
        return length


def nearest(line: str, lines: FileLines) -> str:
    """``; the nearest is line 12, “return x”``, or an empty string if no line is similar, or the line is long."""
    bare = line.strip()
    if len(bare) ** 2 > _MOST_LETTERS:
        return ""
    candidates = [key for key in lines.where_bare if abs(len(key) - len(bare)) <= len(bare)]
    candidates = candidates[:MOST_NEAREST]
    words = set(bare.split())
    shared = [key for key in candidates if words & set(key.split())] or candidates[:500]
    found = get_close_matches(bare, shared, n=1, cutoff=0.6)
    if not found:
        return ""
    return f"; the nearest is line {lines.where_bare[found[0]][0] + 1}, “{found[0][:60]}”"


def _indices(keys: Iterator[str] | Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for index, key in enumerate(keys):
        found[key].append(index)
    return dict(found)
