"""How often a model's edits are right, where it was measured: docs/explanation/answers.md.

Shown in a word beside a model in ``editd models``. A row is of one size of one family, from whichever
quantised it; what is not here was not measured.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Measured(NamedTuple):
    """Of ``edits`` that have one right answer ``exact`` came out so, to the last character.

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
