"""Whether the lines that show where a change belongs could be part of it.

A line that stays and a new line that the file also has elsewhere look the same. Protects lists, separators
and pasted siblings: in one sketch of some three hundred the row at an edge is new, and the change is
another one (``docs/decisions/0017``). Knows one part and its range.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.apply.lines import likeness, nesting, num_strong
from editd.diff.matching import changes, is_weak


def is_edge_new(there: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether a row at an edge may be new: a new version of removed lines, or an addition.

    there: the file's lines that become ``lines``.
    """
    old, new = [line.strip() for line in there], [line.strip() for line in lines]
    inner = changes(old, new)
    if not inner:
        return False
    come: set[str] = set(new) - set(old)
    written = [line for line in dict.fromkeys(new) if line in come and not is_weak(line)]
    top, bottom = inner[0], inner[-1]
    above, below = new[: top.new_start], new[bottom.new_end :]
    # For each row beside a change: the row, the old lines before it, how many go, and the new lines.
    touched = (
        (
            below,
            old[: bottom.old_end],
            bottom.old_end - bottom.old_start,
            new[bottom.new_start : bottom.new_end],
        ),
        (
            above[::-1],
            old[top.old_start :][::-1],
            top.old_end - top.old_start,
            new[top.new_start : top.new_end][::-1],
        ),
    )
    return any(_is_new(*one, written) for one in touched)


def stands_elsewhere(part: Sequence[str], above: Sequence[str], below: Sequence[str]) -> bool:
    """Whether the file has the whole part above it or below it, with other line breaks."""
    said = _BROKEN.sub("", "".join(part))
    return any(said in _BROKEN.sub("", "".join(side)) for side in (above, below))


def _is_new(
    row: Sequence[str], old: Sequence[str], gone: int, new: Sequence[str], written: Sequence[str]
) -> bool:
    """Whether the row may be new. Beside it the last ``gone`` lines of ``old`` become ``new``.

    written: all new lines of the piece.
    """
    if not gone or not row or not row[-1]:
        return False
    alone = num_strong(row) <= 1 and _WORD.search(row[-1])
    is_list = all(_kind(line) == _kind(row[-1]) for line in old[-gone:] if line)
    if alone and is_list and gone > len(new):
        return True  # it may be a new element of a list
    if _pair_up(new, old[-gone:]):
        return False
    if not num_strong(row) and set("".join(row)) & set("{[(") and not any(nesting(row)):
        # A separator such as “} | {” may be a new one.
        return True
    if alone and (is_list or gone - len(new) > _MUCH):
        return True  # it may be a new element, or it is the only support for a long deletion
    if not written:
        return False
    least = _ALIKE if is_weak(row[-1]) else _VERY_ALIKE
    for last in range(max(len(row), len(old) - gone + 1), len(old) + 1):
        was = old[last - 1]
        if not was or was == row[-1]:
            continue
        alike = likeness(was, row[-1], least)
        if not alike or any(likeness(was, line, alike) for line in written):
            continue
        pairs = zip(row[:-1], old[last - len(row) : last - 1], strict=True)
        if all(now == then or likeness(now, then, _ALIKE) for now, then in pairs):
            return True
    return False


def _pair_up(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether the last line of one is a version of the other's. Then the lines after them stay."""
    now, then = (next((line for line in reversed(side) if line), "") for side in (new, old))
    return bool(now and then) and likeness(now, then, _ALIKE) > 0


def _kind(line: str) -> str:
    """The line with every word replaced by ``w``."""
    return _WORD.sub("w", line)


_BROKEN = re.compile(r"[\s,]")
_WORD = re.compile(r"\w+")
_MUCH = 10  # removed lines beyond those added
_ALIKE, _VERY_ALIKE = 0.59, 0.75  # least ratio of two versions; 0.59: “}” and “},”
