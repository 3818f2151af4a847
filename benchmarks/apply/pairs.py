"""Recorded edits as pairs of texts, and smaller edits made of theirs.

A few hunks of each edit are chosen, because real answers rarely have ninety changes at once. A pair's
id decides which of three thirds it is in, so that what was tuned on one third is measured on another.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

_MOST_HUNKS = 6
THIRDS = ("tuning", "check", "report")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``start .. end`` of the old text become ``new``. Lines carry no ends."""

    start: int
    end: int
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Lines before, and the hunks that make them the lines after."""

    id: str
    language: str
    before: tuple[str, ...]
    hunks: tuple[Hunk, ...]

    @property
    def third(self) -> str:
        return THIRDS[zlib.crc32(self.id.encode()) % len(THIRDS)]

    def after(self) -> tuple[str, ...]:
        lines: list[str] = []
        position = 0
        for hunk in self.hunks:
            lines += self.before[position : hunk.start]
            lines += hunk.new
            position = hunk.end
        return (*lines, *self.before[position:])


def read_pairs(files: list[Path]) -> Iterator[Pair]:
    """Read edits from JSONL files with ``before`` and ``after``; texts must have LF ends and no BOM."""
    for file in files:
        for line in file.read_text(encoding="utf-8").split("\n"):
            if not line.strip():
                continue
            record = json.loads(line)
            before, after = (_lines(record[side]) for side in ("before", "after"))
            hunks = tuple(hunks_between(before, after))
            if hunks:
                yield Pair(record["id"], record.get("language", ""), before, hunks)


def some_hunks(pair: Pair, random: Random) -> Pair:
    """The pair with one to six of its hunks, neighbours more often than not."""
    number = min(len(pair.hunks), random.choice((1, 1, 2, 3, 4, _MOST_HUNKS)))
    if random.random() < 0.5:
        first = random.randrange(len(pair.hunks) - number + 1)
        chosen = pair.hunks[first : first + number]
    else:
        chosen = tuple(sorted(random.sample(pair.hunks, number), key=lambda hunk: hunk.start))
    return Pair(pair.id, pair.language, pair.before, chosen)


def hunks_between(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[Hunk]:
    """The changes between two texts, as difflib finds them."""
    for tag, start, end, new_start, new_end in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            yield Hunk(start, end, after[new_start:new_end])


def _lines(text: str) -> tuple[str, ...]:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return tuple(text.removesuffix("\n").split("\n"))
