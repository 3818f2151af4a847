"""Finds where two complete lists of lines differ.

The finishing touch on a hunk that has just been closed: ``streaming`` finds out that old lines ``a .. b`` became
these new lines, this module finds the small changes among them. Knows nothing of line ends or growing text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_MOST_COMPARISONS = 100_000  # of difflib, at its first level; about 25 ms
_Match = tuple[int, int, int]  # old start, new start, length


@dataclass(frozen=True, slots=True)
class DiffChange:
    """Old lines ``old_start .. old_end`` became new lines ``new_start .. new_end``."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def size(self) -> int:
        """The larger number of its lines, old or new."""
        return max(self.old_end - self.old_start, self.new_end - self.new_start)


def changes(old: Sequence[str], new: Sequence[str]) -> list[DiffChange]:
    """The changes from ``old`` to ``new`` in order, with kept lines between any two of them; empty if they are equal.

    Small inputs get difflib's alignment. Large ones are first split at lines that are unique on both sides (patience
    diff, Bram Cohen), so that time stays close to linear; a gap that is still too large for difflib stays one change.
    """
    found: list[DiffChange] = []
    old_end = new_end = 0
    for old_start, new_start, length in [*_matches(old, new), (len(old), len(new), 0)]:
        if old_start > old_end or new_start > new_end:
            found.append(DiffChange(old_end, old_start, new_end, new_start))
        old_end, new_end = old_start + length, new_start + length
    return found


def is_weak(line: str) -> bool:
    """Whether a line is a weak sign of its place in a text: it has neither letter nor digit."""
    return not any(map(str.isalnum, line))


def _matches(old: Sequence[str], new: Sequence[str]) -> Iterator[_Match]:
    """Blocks of equal lines in order, as (start in ``old``, start in ``new``, length), none of them empty. Common lines
    at both ends are blocks in any case, whatever else would match more; a line at an end belongs to the beginning
    first.
    """
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head:
        yield 0, 0, head
    old_middle = old[head : len(old) - tail]
    new_middle = new[head : len(new) - tail]
    for old_start, new_start, length in _middle_matches(old_middle, new_middle):
        yield head + old_start, head + new_start, length
    if tail:
        yield len(old) - tail, len(new) - tail, tail


def _middle_matches(old: Sequence[str], new: Sequence[str]) -> Iterator[_Match]:
    """Blocks of equal lines in texts that begin and end differently; none if either is empty, or if there are too many
    pairs of equal lines (100,000) and none that is unique on both sides.
    """
    if not old or not new:
        return
    occurrences = Counter(old)
    if sum(occurrences[line] for line in new) <= _MOST_COMPARISONS:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        yield from ((block.a, block.b, block.size) for block in blocks if block.size)
        return
    old_end = new_end = 0
    anchors = _unique_in_order(old, new)
    if not anchors:
        return
    for old_start, new_start in [*anchors, (len(old), len(new))]:
        for a, b, length in _matches(old[old_end:old_start], new[new_end:new_start]):
            yield old_end + a, new_end + b, length
        if old_start < len(old):
            yield old_start, new_start, 1
        old_end, new_end = old_start + 1, new_start + 1


def _unique_in_order(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest rising sequence of lines that stand exactly once on each side, as pairs (index in ``old``, index in
    ``new``); empty if there is none.
    """
    old_counts, new_counts = Counter(old), Counter(new)
    where = {line: index for index, line in enumerate(new) if new_counts[line] == 1}
    pairs = [
        (index, where[line])
        for index, line in enumerate(old)
        if old_counts[line] == 1 and line in where
    ]
    # Patience sorting: piles of new positions, each pair remembers the top of the pile before it.
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for index, (_, position) in enumerate(pairs):
        pile = bisect_left(tops, position)
        before.append(top_pairs[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(position)
            top_pairs.append(index)
        else:
            tops[pile] = position
            top_pairs[pile] = index
    rising: list[tuple[int, int]] = []
    index = top_pairs[-1] if top_pairs else -1
    while index >= 0:
        rising.append(pairs[index])
        index = before[index]
    rising.reverse()
    return rising
