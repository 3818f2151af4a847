"""How well known models edit, in a word: what ``python -m benchmarks.answers`` has measured.

A leaf. The figures stand in docs/explanation/answers.md, kind by kind; here is what ``editd models`` says
of a model, and nothing of one that nobody has measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """``exact`` of ``edits`` edits with one right answer came out right, byte for byte.

    pattern: of the model's name, whatever folder, file or store it comes from.
    """

    name: str
    pattern: str
    edits: int
    exact: int

    @property
    def word(self) -> str:
        """What to expect."""
        share = self.exact / self.edits
        return next(word for least, word in _WORDS if share >= least)


MEASURED = (
    Measured("Qwen2.5-Coder-0.5B-Instruct", r"qwen2\.5-coder-0\.5b-instruct", 80, 16),
    Measured("SmolLM2-135M-Instruct", r"smollm2-135m-instruct", 52, 0),
)
_WORDS = (
    (0.8, "right nearly always"),
    (0.5, "right more often than not"),
    (0.3, "right now and then"),
    (0.1, "replaces words, little more"),
    (0.0, "no editor"),
)


def how_well(name: str) -> str:
    """What to expect of the model ``name``, in a word or two; ``""`` if nobody has measured it."""
    found = (one for one in MEASURED if re.search(one.pattern, name, re.IGNORECASE))
    return next((one.word for one in found), "")
