"""Loops: a block of lines or characters that repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice

from editd.breathing import breathe
from editd.checks.rewrite import Doubt, Rewrite, quoted
from editd.diff.document import Document

_LONGEST_PERIOD = 60  # lines
_FEWEST_LINES = 10  # that a loop covers
_FEWEST_COPIES = 4


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """Hunks in which something repeats."""
    found: list[Doubt] = []
    count_of = _counter(rewrite)
    for number, (hunk, start) in enumerate(zip(rewrite.hunks, rewrite.new_starts, strict=True)):
        # The first copy may have been the buffer's own, just before the hunk.
        end = start + len(hunk.new_lines)
        loop = None
        if len(hunk.new_lines) >= _FEWEST_LINES // 2:
            before = [*islice(rewrite.new_before(number), _LONGEST_PERIOD)][::-1]
            lines = [*before, *Document("", hunk.new_lines).model_lines]
            loop = _line_loop(lines, count_of)
        if loop:
            block, copies = loop
            what = f"the line {quoted(block[0])}" if len(block) == 1 else f"{len(block)} lines"
            reason = f"The answer repeats {what} {copies} times near line {end}."
            found.append(Doubt(reason, (hunk.id,)))
            continue
        for line in hunk.new_lines:
            if _is_looping_line(line) and not rewrite.has_line(line.strip()):
                reason = f"The answer loops inside a line near line {end}: {quoted(line)}."
                found.append(Doubt(reason, (hunk.id,)))
                break
    return found


def _line_loop(
    lines: Sequence[str], count_of: Callable[[str], int]
) -> tuple[Sequence[str], int] | None:
    """A block that follows itself at least four times, and how often; the buffer has it less."""
    for period in range(1, min(_LONGEST_PERIOD, len(lines) // _FEWEST_COPIES) + 1):
        breathe()
        equal = 0  # lines in a row that equal the one a period before
        for index in range(period, len(lines) + 1):
            if index < len(lines) and lines[index] == lines[index - period]:
                equal += 1
                continue
            copies = equal // period + 1
            if equal + period >= _FEWEST_LINES and copies >= _FEWEST_COPIES:
                block = lines[index - period : index]
                says_something = any(any(map(str.isalpha, line)) for line in block)
                if says_something and any(copies >= 2 * count_of(line) for line in block):
                    return block, copies
            equal = 0
    return None


def _counter(rewrite: Rewrite) -> Callable[[str], int]:
    """How often a line (with its LF) is in the buffer; a lower bound."""

    @cache
    def count_of(line: str) -> int:
        ended = line.removesuffix("\n") + rewrite.document.usual_end
        return rewrite.document.text.count(ended)

    return count_of


def _is_looping_line(line: str) -> bool:
    """Whether the last 300 characters of a long line are one short piece, again and again."""
    tail = line.rstrip()[-300:]
    if len(tail) < 300:
        return False
    return any(
        tail[period:] == tail[:-period] and any(map(str.isalpha, tail[-period:]))
        for period in range(2, 61)
    )
