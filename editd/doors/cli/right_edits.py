"""How often a model's edits are right, where measured: docs/explanation/answers.md.

``editd models`` shows it as a word. A row stands for one size of one family, regardless of who
quantised it; other models were not measured.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Measured(NamedTuple):
    """Of ``edits`` with one right answer, ``exact`` were right to the last character.

    name: family and size in words, as ids, files and headers say them.
    """

    name: str
    exact: int
    edits: int


MEASURED = (
    Measured("qwen2 5 coder 0 5b", exact=14, edits=80),
    Measured("smollm2 135m", exact=0, edits=52),
)
_WORDS = (("well", 0.8), ("mostly", 0.5), ("poorly", 0.1), ("badly", 0.0))  # the limits are ours


def word_for(name: str) -> str:
    """How well a model of that name edits, in a word; empty if not measured."""
    words = re.sub(r"[-_/:. ]+", " ", f"{name} ".lower())
    for row in MEASURED:
        if re.search(rf"\b{row.name}\b", words) and "base" not in words.split():
            return next(word for word, least in _WORDS if row.exact / row.edits >= least)
    return ""
