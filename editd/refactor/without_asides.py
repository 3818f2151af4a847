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
from collections import Counter
from dataclasses import replace

from editd.diff.matching import changes
from editd.intent import Parsed, parse
from editd.intent.bare_request import bare_requests
from editd.intent.english import FUNCTION_WORDS, KINDS
from editd.refactor.candidates import Candidates
from editd.refactor.readings import candidates_for
from editd.syntax.places import defined_in

_WORD = re.compile(r"\w+")
_PLACED = re.compile(r"\b(?:ones?|in|of|from|above|below)\b", re.IGNORECASE)
_SMALL = FUNCTION_WORDS | KINDS | {"line", "lines", "itself", "one", "ones", "both", "two"}
_OTHERS = frozenset(
    """
    other others rest comment comments print prints import imports everything else remaining ones
    """.split()  # noqa: SIM905
)


def candidates_without_asides(
    parsed: Parsed, text: str, language: str, path: str
) -> Candidates | None:
    """The one certain change that the bare requests of a sentence make, with the request as its reading; ``None`` if they
    make none, or several make different ones. A request does not count if a reason names a definition of the text that
    it does not name itself, which may narrow it.
    """
    found: dict[str, Candidates] = {}
    defined = defined_in(text, language)
    for request in bare_requests(parsed.text, frozenset(_WORD.findall(text))):
        if not request.passed_over.isdisjoint(defined):
            continue
        candidates = candidates_for(parse(request.text), text, language, path=path)
        if candidates is None or candidates.problem or not candidates.is_certain:
            continue
        if not all(_stays(what, text, candidates.texts[0]) for what in request.stays):
            continue
        if candidates.texts[0] != text:
            reading = candidates.reading or request.text
            found.setdefault(candidates.texts[0], replace(candidates, reading=reading))
    return next(iter(found.values())) if len(found) == 1 else None


def _stays(what: str, old: str, new: str) -> bool:
    """Whether all lines of a text that have the words of ``what`` are in the new one; of "the others" whether the change is
    in one place. ``False`` if no line has these words, for "the one in f", and for "the first".
    """
    if _PLACED.search(what):
        return False
    words = {x.lower() for x in _WORD.findall(what)} - _SMALL
    if not words or re.search(r"\b(?:first|last|second|third)\b", what, re.IGNORECASE):
        return False
    if words <= _OTHERS:
        return len(changes(old.splitlines(), new.splitlines())) == 1
    lines = [x for x in old.splitlines() if all(word in x.lower() for word in words - _OTHERS)]
    return bool(lines) and not Counter(lines) - Counter(new.splitlines())
