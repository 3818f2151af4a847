"""Tells whether a change keeps what a sentence says is to stay: "the docstring", "the others", "the one in main"."""

from __future__ import annotations

import re
from collections import Counter

from editd.intent.evidence.filler import FILLER
from editd.refactor.described_places import has_word
from editd.syntax.imports import IMPORT_LINE

_WORD = re.compile(r"[^\W_]\w*")
_OTHERS = re.compile(r"\b(?:others?|rest|everything else|remaining|remainder)\b", re.IGNORECASE)
_DOCSTRINGS = re.compile(r"\bdocstrings?\b", re.IGNORECASE)
_ITSELF = re.compile(r"\bitself\b|\bimport\b", re.IGNORECASE)
"""Says that of a name only its import is spoken of."""


def is_kept(what: str, old: str, new: str) -> bool:
    """Whether lines of the old text with most words of ``what`` are in the new one; of the others whether any line is. ``False`` if no line
    has a word of it.
    """
    lines = old.splitlines()
    if _ITSELF.search(what):
        lines = [x for x in lines if IMPORT_LINE.match(x)]
    new_lines = Counter(new.splitlines())
    if _OTHERS.search(what):
        return any(new_lines[line] for line in lines if line.strip())
    if _DOCSTRINGS.search(what):
        quoted = [x for x in lines if '"""' in x or "'''" in x]
        return not Counter(quoted) - new_lines
    words = [x for x in _WORD.findall(what) if x.lower() not in FILLER]
    fits = {line: sum(has_word(x, line) for x in words) for line in lines}
    most = max(fits.values(), default=0)
    best = Counter(line for line in lines if most and fits[line] == most)
    return bool(best) and not best - new_lines
