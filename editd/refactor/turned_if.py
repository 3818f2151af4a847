"""An ``if`` that can be turned around for an early return, as ``return_early`` writes it; the same for all languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Statements behind which nothing runs, and calls that never come back.
_LEAVES = re.compile(
    r"(?:return|raise|throw|continue|break)\b"
    r"|(?:abort|exit|quit|sys\.exit|os\._exit|process\.exit|os\.Exit|log\.Fatal\w*|panic!?|std::process::exit)\("
)


@dataclass(frozen=True, slots=True)
class TurnedIf:
    """An ``if`` that can be turned around.

    start, end: all its lines, and those of what comes first then. test: its condition. opening, closing: the lines around
    what comes first, ``closing`` empty in Python. first: the lines that come first, with the indentation inside. body: the
    lines of its body, without that.
    """

    start: int
    end: int
    test: str
    opening: str
    first: tuple[str, ...]
    closing: str
    body: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """The new lines ``start .. end``."""
        return [self.opening, *self.first, *([self.closing] if self.closing else []), *self.body]


def leaves(code: str) -> bool:
    """Whether nothing behind a statement runs: it returns, raises, or ends the program."""
    return _LEAVES.match(code) is not None


def without_indent(lines: Sequence[str], indent: str, unit: str) -> tuple[str, ...] | None:
    """``lines`` with one ``unit`` of indentation less after ``indent``, blank ones empty; ``None`` if a filled line
    does not begin with both.
    """
    moved = []
    for line in lines:
        if line.strip() and not line.startswith(indent + unit):
            return None
        moved.append(line and indent + line[len(indent + unit) :] if line.strip() else "")
    return tuple(moved)
