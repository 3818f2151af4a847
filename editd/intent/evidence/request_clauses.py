"""Cuts a sentence into clauses, so that reasons stand apart from the request. Standard library only."""

from __future__ import annotations

import re
from dataclasses import dataclass

from editd.intent.english import QUOTED

_CUTS = re.compile(
    rf"(?P<whole>{QUOTED}|\w\([^()]*\)|\b(?:if|while) \((?:[^()]|\([^()]*\))+\))"  # in which nothing is cut
    r"|[,;:.!?…]+(?=\s|$)|\s(?:--?|[–—])\s|\s?(?:->|=>|→)\s?|[()]"
    r"|\s(?=(?:because|since|although|though|whereas)\b|(?:so|as) (?:that|it|we|they|the|i|you|my|our)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RequestClause:
    """A part of a sentence. start: the place of its first character in the sentence. mark: the sign before it; empty for none."""

    text: str
    start: int
    mark: str = ""

    @property
    def end(self) -> int:
        """The place behind its last character in the sentence."""
        return self.start + len(self.text)


def cut_sentence(text: str) -> tuple[RequestClause, ...]:
    """The clauses of a sentence, in order: cut at sentence marks, brackets, dashes, arrows, and before "because" and "so it".
    Quoted texts and calls such as ``f(a, b)`` stay whole; clauses without a word are left out.
    """
    found = []
    start, mark = 0, ""
    for cut in _CUTS.finditer(text):
        if cut["whole"]:
            continue
        found.append(_trimmed(text[start : cut.start()], start, mark))
        start, mark = cut.end(), cut[0].strip()
    found.append(_trimmed(text[start:], start, mark))
    return tuple(clause for clause in found if re.search(r"[\w¤]", clause.text))


def _trimmed(text: str, start: int, mark: str) -> RequestClause:
    """The clause without the blanks around it."""
    return RequestClause(text.strip(), start + len(text) - len(text.lstrip()), mark)
