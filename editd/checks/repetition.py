"""Loops: a block of lines, or of characters, written over and over."""

from __future__ import annotations

from collections.abc import Sequence

from editd.checks.rewrite import Doubt, Rewrite, quoted

_LONGEST_PERIOD = 60  # lines
_FEWEST_LINES = 10  # that a loop covers
_FEWEST_COPIES = 4


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """Hunks in which something is written over and over."""
    found: list[Doubt] = []
    for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True):
        # The first copy may have been the buffer's own, just before the hunk.
        end = start + len(hunk.new_lines)
        lines = rewrite.new_lines[max(start - _LONGEST_PERIOD, 0) : end]
        may_loop = len(hunk.new_lines) >= _FEWEST_LINES // 2
        if may_loop and (loop := _line_loop(lines, rewrite.old_lines)):
            block, copies = loop
            what = f"the line {quoted(block[0])}" if len(block) == 1 else f"{len(block)} lines"
            reason = f"The answer repeats {what} {copies} times near line {end}."
            found.append(Doubt(reason, (hunk.id,)))
            continue
        for line in hunk.new_lines:
            if _is_looping_line(line) and line.strip() not in rewrite.old_stripped:
                reason = f"The answer loops inside a line near line {end}: {quoted(line)}."
                found.append(Doubt(reason, (hunk.id,)))
                break
    return found


def _line_loop(lines: Sequence[str], old: Sequence[str]) -> tuple[Sequence[str], int] | None:
    """A block that follows itself at least four times, and how often; the buffer has it less."""
    for period in range(1, min(_LONGEST_PERIOD, len(lines) // _FEWEST_COPIES) + 1):
        equal = 0  # lines in a row that equal the one a period before
        for index in range(period, len(lines) + 1):
            if index < len(lines) and lines[index] == lines[index - period]:
                equal += 1
                continue
            copies = equal // period + 1
            if equal + period >= _FEWEST_LINES and copies >= _FEWEST_COPIES:
                block = lines[index - period : index]
                says_something = any(any(map(str.isalpha, line)) for line in block)
                if says_something and copies >= 2 * _copies_in(old, block):
                    return block, copies
            equal = 0
    return None


def _copies_in(lines: Sequence[str], block: Sequence[str]) -> int:
    """How often the rarest line of ``block`` stands in ``lines``."""
    return min(lines.count(line) for line in block)


def _is_looping_line(line: str) -> bool:
    """Whether the last 300 characters of a long line are one short piece, again and again."""
    tail = line.rstrip()[-300:]
    if len(tail) < 300:
        return False
    return any(
        tail[period:] == tail[:-period] and any(map(str.isalpha, tail[-period:]))
        for period in range(2, 61)
    )
