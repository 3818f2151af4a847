"""Reads an answer of several code blocks one after the other, each in the text that those before it left.

So people apply it, too: a step may belong beside what an earlier one added, and need not stand in the file's
order. A step's place is shown by its lines (``reading``), or told by the prose above it (``prose``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from editd.apply.align import Aligned, Change
from editd.apply.lines import Lines
from editd.diff.matching import changes as differences


class Draft:
    """The file's lines while steps are taken, and where each comes from."""

    def __init__(self, lines: Lines) -> None:
        self.file = lines
        self.lines = lines
        self._origin: list[int | None] = [*range(len(lines))]  # the file's line, None for a new one
        self._steps: list[Aligned] = []
        self._step_of: list[int | None] = [None] * len(lines)  # that wrote a line
        self._gone: dict[int, int] = {}  # by line of the file, the step that took it away

    def take(self, found: Aligned) -> None:
        """Applies a step's changes."""
        number = len(self._steps)
        self._steps.append(found)
        keys = list(self.lines.keys)
        for one in sorted(found.changes, key=lambda one: (one.start, one.end), reverse=True):
            there = self.lines.keys[one.start : one.end]
            for part in reversed(differences(there, one.new)):
                start, end = one.start + part.old_start, one.start + part.old_end
                new = one.new[part.new_start : part.new_end]
                self._gone |= {n: number for n in self._origin[start:end] if n is not None}
                keys[start:end] = new
                self._origin[start:end] = [None] * len(new)
                self._step_of[start:end] = [number] * len(new)
        self.lines = Lines(keys)

    def changes(self) -> Aligned:
        """All steps as changes of the file; each is as sure as the least sure step that made it."""
        found = []
        kept = [n for n in self._origin if n is not None]
        borders = [-1, *kept, len(self.file)]
        now = 0
        for above, below in pairwise(borders):
            new = []
            while now < len(self._origin) and self._origin[now] is None:
                new.append(now)
                now += 1
            now += 1  # the kept line below
            if new or below - above > 1:
                steps = {self._step_of[n] for n in new}
                steps |= {self._gone[n] for n in range(above + 1, below)}
                made = [self._steps[n] for n in steps if n is not None]
                found.append(
                    self._change(above + 1, below, [self.lines.keys[n] for n in new], made)
                )
        return Aligned(tuple(found), min((one.sure for one in self._steps), default=0.0))

    def _change(self, start: int, end: int, new: Sequence[str], made: Sequence[Aligned]) -> Change:
        least = min(made, key=lambda one: one.sure)
        why = min(least.changes, key=lambda one: (not one.why, one.sure)).why
        doubts = tuple(x for one in least.changes for x in one.doubts)
        return Change(start, end, tuple(new), least.sure, why=why, doubts=doubts)


def in_part(found: Aligned, start: int) -> Aligned:
    """Changes of some lines of a file, as those of the whole: they begin at its line ``start``."""

    def moved(changes: Sequence[Change]) -> tuple[Change, ...]:
        return tuple(
            replace(
                one,
                start=one.start + start,
                end=one.end + start,
                also=one.also and (one.also[0] + start, one.also[1] + start),
            )
            for one in changes
        )

    return Aligned(moved(found.changes), found.sure, moved(found.other))
