"""The lines of a text, and where each begins. A line ends in LF; offsets are code points."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate


def split(text: str) -> list[str]:
    """The lines of a text, each with its LF; the last one may have none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def line_starts(lines: Iterable[str]) -> list[int]:
    """The offset of each line, and at last the text's length."""
    return [*accumulate(map(len, lines), initial=0)]
