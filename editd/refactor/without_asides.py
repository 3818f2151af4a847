"""The edit that a sentence asks for once what is said around it is taken away: courtesy, reasons, pronouns (``bare_request``).

a.py, "hello, there's one old function in here, could you delte it for me? thanks"::

    def load():
        return 1


    def old_load():
        return 2

becomes::

    def load():
        return 1
"""

from __future__ import annotations

import re
from dataclasses import replace

from editd.diff.matching import changes
from editd.intent import Parsed, parse
from editd.intent.bare_request import bare_requests
from editd.refactor.by_kind.staying import is_kept
from editd.refactor.candidates import Candidates
from editd.refactor.readings import candidates_for
from editd.syntax.places import defined_in

_WORD = re.compile(r"\w+")
_PLACED = re.compile(r"\b(?:ones?|in|of|from|above|below|first|last|second|third)\b", re.IGNORECASE)
"""Says which of several things stays, which no line tells."""
_SORT = re.compile(
    r"(?:(?:the|all|other|everything) ?)*(?:others?|rest|else|remaining|comments?|prints?|imports?)",
    re.IGNORECASE,
)
"""Names a sort of things, which stay for certain where the change is in one place."""


def candidates_without_asides(
    parsed: Parsed, text: str, language: str, path: str
) -> Candidates | None:
    """The one certain change that the bare requests of a sentence make, with the request as its reading; ``None`` if they
    make none, or several make different ones. A request does not count if a reason names a definition of the text that
    it does not name itself, which may narrow it, or if the sentence says which of several things stays.
    """
    found: dict[str, Candidates] = {}
    defined = defined_in(text, language)
    for request in bare_requests(parsed.text, frozenset(_WORD.findall(text))):
        if not request.passed_over.isdisjoint(defined) or any(map(_PLACED.search, request.stays)):
            continue
        candidates = candidates_for(parse(request.text), text, language, path=path)
        if candidates is None or candidates.problem or not candidates.is_certain:
            continue
        if not all(is_kept(what, text, candidates.texts[0]) for what in request.stays):
            continue
        is_in_one_place = len(changes(text.splitlines(), candidates.texts[0].splitlines())) == 1
        if any(map(_SORT.fullmatch, request.stays)) and not is_in_one_place:
            continue
        if candidates.texts[0] != text:
            reading = candidates.reading or request.text
            found.setdefault(candidates.texts[0], replace(candidates, reading=reading))
    return next(iter(found.values())) if len(found) == 1 else None
