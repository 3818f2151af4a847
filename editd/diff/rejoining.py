"""Finds where an answer that has left the old text returns to it, and when that is certain.

Knows old lines and the new lines since they parted; knows nothing of hunks. Every new line starts, continues or ends
*runs*: stretches of new lines equal to a stretch of old lines. A run proves that the answer has come back once its
evidence outweighs the lines that believing it would throw away.

Evidence: a line that stands once among the old ones counts 1; a repeated line less; a blank line or a bracket next to
nothing. A run that goes on just after another one broke off, past a line or two that changed, inherits that one's
evidence. Needed: half a line to come back close by, more for every old line that would count as deleted. A block
moved up from far below looks like a deletion of all between, and settling that too soon would delete and insert the
whole stretch.

Worked example, old ``a b c d``, walk before ``b``, new ``B c``: line ``B`` stands nowhere, no run. Line ``c`` starts
a run at old 2, evidence 1; it would make one old line (``b``) one new line (``B``), which needs 0.5 + 0.2. So the
change is certain one line after it was made.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from operator import attrgetter

from editd.diff.matching import is_weak

_MOST_RUNS = 32  # followed at a time; only texts of few different lines have more
_MOST_STARTS = 8  # nearest old places where a repeated line may start a run
_MOST_BROKEN = 8  # broken runs that a new run may go on from
_MOST_SKIPPED = 8  # changed lines, old or new, between a broken run and the one that goes on
_INHERITED = 0.7  # of a broken run's evidence, by the one that goes on from it
_MOST_NEEDED = 200.0  # evidence that is enough for a jump of any length


@dataclass(slots=True)
class Run:
    """New lines ``new_start .. new_end`` equal the old lines ``old_start .. old_end``.

    origin_old, origin_new: where the first run began of those that it goes on from; its own start if there is none.
    """

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    evidence: float
    origin_old: int
    origin_new: int


class Rejoining:
    """Follows the new lines since the last old one. Each line costs a small constant.

    old: lines ``start .. end`` by their numbers.
    """

    def __init__(self, old: Mapping[int, str], start: int, end: int) -> None:
        """``old``: lines ``start .. end`` by their numbers."""
        self._old = old
        self._end = end
        self._positions: dict[str, list[int]] = {}
        for position in range(start, end):
            self._positions.setdefault(old[position], []).append(position)
        self._runs: dict[int, Run] = {}  # by old_end, the old line that would continue it
        self._broken: list[Run] = []
        self._num_new = 0

    def clear(self) -> None:
        """Forget all new lines and runs: the answer has returned to the old text, or a hunk was closed."""
        self._runs = {}
        self._broken = []
        self._num_new = 0

    def add(self, line: str, walk: int) -> Run | None:
        """Take the next new line; returns the run (new lines equal to old ones in a row) that proves the answer's
        return to the old text, the one with most evidence to spare; ``None`` while no run does.

        walk: the first old line that is still to be accounted for, the same for all lines since ``clear``. A returned
        run still changes with later calls.
        """
        runs: dict[int, Run] = {}
        weight = self._weight(line)
        broken = [run for run in self._broken if self._num_new - run.new_end <= _MOST_SKIPPED]
        for run in self._runs.values():
            if run.old_end < self._end and self._old[run.old_end] == line:
                run.old_end += 1
                run.new_end += 1
                run.evidence += weight
                runs[run.old_end] = run
            else:
                broken.append(run)
        self._broken = _strongest(broken, _MOST_BROKEN)
        for position in self._places(line, walk):
            if position + 1 not in runs:
                runs[position + 1] = self._start(position, weight)
        if len(runs) > _MOST_RUNS:
            runs = {run.old_end: run for run in _strongest(runs.values(), _MOST_RUNS)}
        self._runs = runs
        self._num_new += 1
        best = max(runs.values(), key=lambda run: _surplus(run, walk), default=None)
        return best if best is not None and _surplus(best, walk) >= 0 else None

    def num_certainly_new(self) -> int:
        """The number of new lines since ``clear`` before the first run that still goes on; all if none does."""
        return min((run.new_start for run in self._runs.values()), default=self._num_new)

    def _places(self, line: str, walk: int) -> list[int]:
        """Old positions from ``walk`` on at which ``line`` stands and may start a run: the nearest eight, and, if there
        are more, the one as far from ``walk`` as the new line is, and those where a broken run would be by now. Empty
        if the line is no old one.
        """
        positions = self._positions.get(line)
        if positions is None:
            return []
        first = bisect_left(positions, walk)
        places = positions[first : first + _MOST_STARTS]
        if first + _MOST_STARTS < len(positions):
            across = [walk + self._num_new]
            across += [run.old_end + self._num_new - run.new_end for run in self._broken]
            places += [at for at in across if at < self._end and self._old[at] == line]
        return places

    def _start(self, position: int, weight: float) -> Run:
        """A new run at an old place. From the strongest run that broke off at most eight old lines before, it inherits
        the origin and 0.7 of the evidence.
        """
        run = Run(
            position,
            position + 1,
            self._num_new,
            self._num_new + 1,
            weight,
            position,
            self._num_new,
        )
        for broken in self._broken:
            if 0 <= position - broken.old_end <= _MOST_SKIPPED:
                run.evidence += _INHERITED * broken.evidence
                run.origin_old = broken.origin_old
                run.origin_new = broken.origin_new
                break
        return run

    def _weight(self, line: str) -> float:
        """The evidence of a line: less if it is repeated or weak."""
        count = max(len(self._positions.get(line, ())), 1)
        return (0.2 if is_weak(line) else 1.0) / (1 + math.log2(count))


def _surplus(run: Run, walk: int) -> float:
    """The evidence of ``run`` beyond its need, negative if it is too little: the need, 200 at most, grows with the old
    lines that believing it would delete, and with how much the number of new lines in their place differs.
    """
    deleted, inserted = run.origin_old - walk, run.origin_new
    needed = 0.5 + deleted / 5 + abs(deleted - inserted) / 10
    return run.evidence - min(needed, _MOST_NEEDED)


def _strongest(runs: Iterable[Run], count: int) -> list[Run]:
    """The ``count`` runs with most evidence."""
    return nlargest(count, runs, key=attrgetter("evidence"))
