"""How often a model's edits are right, where somebody measured it: docs/explanation/answers.md.

Told in a word beside a model in ``editd models``. A row is of one size of one family, whoever
quantised it; what is not here was not measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """Of ``edits`` that have one right answer ``exact`` came out so, to the last character."""

    family: str
    size: str
    exact: int
    edits: int

    @property
    def word(self) -> str:
        """For a list; the limits are ours."""
        share = self.exact / self.edits
        return next(word for word, least in _WORDS if share >= least)


_WORDS = (("well", 0.8), ("mostly", 0.5), ("poorly", 0.1), ("badly", 0.0))

MEASURED = (
    Measured("qwen2.5-coder", "0.5b", exact=17, edits=80),
    Measured("smollm2", "135m", exact=0, edits=52),
)


def word_for(name: str) -> str:
    """How well a model of that name edits, in a word; empty where nobody measured it.

    name: any that says family and size, as ids, files and headers do.
    """
    words = re.sub(r"[-_/:. ]+", " ", name.lower()).split()
    for row in MEASURED:
        family = row.family.replace("-", " ").replace(".", " ").split()
        size = row.size.replace(".", " ").split()
        for start in range(len(words)):
            if words[start : start + len(family)] == family and _follows(
                words[start + len(family) :], size
            ):
                return row.word
    return ""


def _follows(words: list[str], size: list[str]) -> bool:
    """Whether the first size in ``words`` is ``size``, and nothing says that it is a base model."""
    if "base" in words:
        return False
    joined = " ".join(words)
    found = re.search(r"(?<![a-z0-9])(\d+(?: \d+)?[bm])(?![a-z0-9])", joined)
    return found is not None and found[1] == " ".join(size)
