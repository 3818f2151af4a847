"""Large deletions that the instruction does not ask for.

Counted are lines that are neither blank nor found elsewhere in the new text, net of new ones: a
rewritten function deletes nothing, a moved one neither.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from editd.checks import definitions
from editd.checks.asked_for import lines_asked_for
from editd.checks.rewrite import Doubt, Rewrite
from editd.instruction import read

_FEWEST_LINES = 8
_SHARE = 0.2  # of the rewritten lines
_FEW_LINES, _LARGE_SHARE = 4, 0.35  # of a short text
_FEW_IN_RENAME = 2
_RENAME = re.compile(
    r"\s*(?:please )?(?:rename|change the (?:name|identifier|variable|function|method|class|attribute|field))\b(?!.*\b(?:and|then)\b)",
    re.IGNORECASE | re.DOTALL,
)
_FEWEST_AT_END, _SHARE_AT_END = 5, 0.1  # an answer that stops early loses its end
_MANY_LINES = 120  # whatever their share


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """Hunks by which a region lost much that the instruction does not ask to delete.

    Where it did not, those by which it lost a definition, or in a mere rename a line or two.
    """
    found = _much(rewrite) or definitions.doubts(rewrite)
    if not found and _RENAME.match(rewrite.instruction) and read(rewrite.instruction).renames:
        found = _much(rewrite, _FEW_IN_RENAME, 0.0)
    return found


def _much(
    rewrite: Rewrite, few: int = _FEW_LINES, large_share: float = _LARGE_SHARE
) -> list[Doubt]:
    found: list[Doubt] = []
    starts = [hunk.start for hunk in rewrite.hunks]
    for start, end in rewrite.regions:
        hunks = rewrite.hunks[bisect_left(starts, start) : bisect_right(starts, end)]
        lines = rewrite.old_lines[start:end]
        asked = lines_asked_for(rewrite.instruction, lines)
        lines = tuple("" if i in asked else line for i, line in enumerate(lines))
        old = _counted(lines)
        new = old.copy()
        for hunk in hunks:
            new.subtract(_counted(lines[hunk.start - start : hunk.start - start + hunk.old_count]))
            new.update(_counted(hunk.new_lines))
        lost = min((old - new).total(), old.total() - new.total())
        total = old.total()
        large = lost >= few and lost >= large_share * total
        if lost < _FEWEST_AT_END and not large:
            continue
        shrinking = [hunk for hunk in hunks if hunk.old_count > len(hunk.new_lines)]
        deleting = [x for x in shrinking if x.old_count - len(x.new_lines) >= 3] or shrinking
        last = deleting[-1]
        lost_at_end = last.old_count - len(last.new_lines)
        ends_early = (
            last.start + last.old_count == end
            and lost_at_end >= _FEWEST_AT_END
            and lost_at_end >= _SHARE_AT_END * total
        )
        if large or (lost >= _FEWEST_LINES and lost >= min(_SHARE * total, _MANY_LINES)):
            reason = f"{lost} of {total} lines are gone, and the instruction does not ask for that."
            found.append(Doubt(reason, tuple(hunk.id for hunk in deleting)))
        elif ends_early:
            reason = f"The last {lost_at_end} lines are gone: the answer may have ended too early."
            found.append(Doubt(reason, (last.id,)))
    return found


def _counted(lines: Sequence[str]) -> Counter[str]:
    return Counter(stripped for line in lines if (stripped := line.strip()))
