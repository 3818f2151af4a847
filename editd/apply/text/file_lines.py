"""The file's lines, indexed for comparison with a paste. Two lines are equal if they differ in trailing blanks at most."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property

from editd.apply.text.line import (
    _MOST_LETTERS,
    collapse,
    function_name,
    given_name,
    unit_of,
    words_of,
)
from editd.apply.text.named_blocks import NamedBlock, blocks_of, indented_blocks
from editd.syntax.definition import Definition
from editd.syntax.outline import outline
from editd.turns import yield_point

MOST_COMPARED = 1_000_000  # lines of one paste with lines of its file
_MANY = 500  # lines that are read without a pause
MOST_NEAREST = (
    5_000  # lines that a missing one is compared with: difflib takes microseconds for each
)


class FileLines:
    """A text's lines with their indices, outline and words, each computed when first asked for.

    raw: the lines without their ends. keys: without trailing blanks, too. language: by which they are outlined.
    is_ended: whether a newline stands after the last line.
    """

    def __init__(self, lines: Sequence[str], language: str = "") -> None:
        self.raw = tuple(line.rstrip("\n") for line in lines)
        self.keys = tuple(line.rstrip() for line in self.raw)
        self.is_ended = bool(lines) and lines[-1].endswith("\n")
        self.language = language
        self._compared = 0

    def __len__(self) -> int:
        """The number of lines."""
        return len(self.keys)

    @cached_property
    def where(self) -> dict[str, list[int]]:
        """The numbers of the lines that equal a text without trailing blanks, by that text."""
        return _indices(self.keys)

    @cached_property
    def where_bare(self) -> dict[str, list[int]]:
        """The numbers of the lines that equal a text without the blanks around it, by that text."""
        return _indices(line.strip() for line in self.keys)

    @cached_property
    def collapsed(self) -> list[str]:
        """The lines without the blanks around them, and with one blank for each run of blanks."""
        return [collapse(line) for line in self.keys]

    @cached_property
    def where_collapsed(self) -> dict[str, list[int]]:
        """The indices of each line, by the line as it is in ``collapsed``."""
        return _indices(self.collapsed)

    @cached_property
    def text(self) -> str:
        """The lines without their trailing blanks, joined by newlines."""
        return "\n".join(self.keys)

    @cached_property
    def signs(self) -> str:
        """Characters beyond ASCII that the lines have, each once."""
        return "".join(sorted({x for x in self.text if not x.isascii()}))

    @cached_property
    def given(self) -> tuple[str, ...]:
        """For each line the name that it gives a value to (``line.given_name``); empty if it gives none."""
        return tuple(map(given_name, self.keys))

    @cached_property
    def where_given(self) -> dict[str, list[int]]:
        """The numbers of the lines that give a value to a name, by that name; of those that give none, by the empty string."""
        return _indices(self.given)

    @cached_property
    def indented_by_tabs(self) -> bool | None:
        """Whether lines begin with tabs (true) or with two spaces or more (false); ``None`` if some do either, or none
        is indented. Lines of a comment that begin with two spaces and ``*`` do not count.
        """
        tabs = any(line.startswith("\t") for line in self.keys)
        spaces = any(line.startswith("  ") and not line.startswith("  *") for line in self.keys)
        return tabs if tabs != spaces else None

    @cached_property
    def words(self) -> tuple[dict[str, list[int]], list[int]]:
        """The numbers of the lines that have a word or sign, a number as often as the line has it, by that word; and
        how many words and signs each line has.

        Computed once; calls ``yield_point`` every 500 lines (pauses for other work of the process).
        """
        found: dict[str, list[int]] = defaultdict(list)
        totals = []
        for number, line in enumerate(self.keys):
            if number % _MANY == 0:
                yield_point()
            line_words = words_of(line)
            totals.append(len(line_words))
            for word in line_words:
                found[word].append(number)
        return dict(found), totals

    @cached_property
    def unit(self) -> str:
        """The blanks of one level of indentation; empty if nothing is indented."""
        return unit_of(self.keys)

    @cached_property
    def _outline(self) -> tuple[Definition, ...]:
        """The definitions of the text, fields included."""
        return outline([f"{line}\n" for line in self.keys], self.language)

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The file's functions and classes."""
        return tuple(definition for definition in self._outline if definition.is_block)

    @cached_property
    def fields(self) -> tuple[Definition, ...]:
        """The file's constants and fields."""
        return tuple(definition for definition in self._outline if not definition.is_block)

    @cached_property
    def blocks(self) -> tuple[NamedBlock, ...]:
        """The file's definitions and other blocks in order, without those within functions."""
        return tuple(blocks_of(self.keys, self.definitions))

    @cached_property
    def nested(self) -> tuple[NamedBlock, ...]:
        """Functions that are no definitions of the outline: within a function, or a value in an object; without those
        of which two have the same name. Recognised by the line that deeper lines follow, without comments above.
        """
        known = {block.head for block in self.blocks if not block.is_other}
        found = []
        for start, end in indented_blocks(self.keys):
            if start not in known and (name := function_name(self.keys[start])):
                found.append(NamedBlock(name, start, end, start))
        names = Counter(block.name for block in found)
        return tuple(block for block in found if names[block.name] == 1)

    @cached_property
    def _by_head(self) -> tuple[list[int], list[NamedBlock]]:
        """The number of each block's first line, sorted, and the blocks in the same order."""
        heads = sorted(self.blocks, key=lambda block: block.head)
        return [block.head for block in heads], heads

    def heads_in(self, start: int, end: int) -> Sequence[NamedBlock]:
        """The definitions and other blocks whose line with the name is one of ``start .. end`` (0-based, end
        exclusive), in order of these lines; empty for an empty range.
        """
        if start >= end:
            return ()
        at, heads = self._by_head
        return heads[bisect_left(at, start) : bisect_left(at, end)]

    def is_too_much(self, number: int) -> bool:
        """Whether ``number`` more comparisons of lines would bring this file's comparisons above a million in all; if
        not, they are counted. Calls ``yield_point`` (pauses for other work of the process).
        """
        yield_point()
        if self._compared + number > MOST_COMPARED:
            return True
        self._compared += number
        return False

    def run_down(self, block: Sequence[str], start: int) -> int:
        """How many of the block's first lines the file has one below the other from line ``start`` on. The block's
        lines have to be without trailing blanks.
        """
        keys, length = self.keys, 0
        most = min(len(block), len(keys) - start)
        while length < most and keys[start + length] == block[length]:
            length += 1
        return length

    def run_up(self, block: Sequence[str], end: int) -> int:
        """How many of the block's last lines the file has one below the other up to line ``end`` (exclusive). The
        block's lines have to be without trailing blanks.
        """
        keys, length = self.keys, 0
        most = min(len(block), end)
        while length < most and keys[end - 1 - length] == block[-1 - length]:
            length += 1
        return length


def nearest(line: str, lines: FileLines) -> str:
    """A clause about the file's line that resembles ``line`` most, blanks around both aside, such as ``; the nearest is
    line 12, “return x”`` (its first 60 characters); an empty string if none has difflib's ratio of 0.6, or ``line`` has
    more than 500 characters.

    Compared are lines that share a word with ``line`` and are at most twice as long, among the file's first 5,000
    different ones of that length; if none shares a word, the first 500.
    """
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
    """The positions of each key, in rising order, by that key."""
    found: dict[str, list[int]] = defaultdict(list)
    for index, key in enumerate(keys):
        found[key].append(index)
    return dict(found)
