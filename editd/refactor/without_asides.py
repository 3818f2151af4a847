"""The edit that a sentence asks for once what is said around it is taken away: courtesy, reasons, pronouns (``bare_request``)."""

from __future__ import annotations

import re
from dataclasses import replace

from editd.intent import Parsed, parse
from editd.intent.bare_request import bare_requests
from editd.refactor.candidates import Candidates
from editd.refactor.readings import candidates_for

_WORD = re.compile(r"\w+")


def candidates_without_asides(
    parsed: Parsed, text: str, language: str, path: str
) -> Candidates | None:
    """The one certain change that the bare requests of a sentence make, with the request as its reading; ``None`` if they
    make none, or several make different ones.
    """
    found: dict[str, Candidates] = {}
    for request in bare_requests(parsed.text, frozenset(_WORD.findall(text))):
        candidates = candidates_for(parse(request), text, language, path=path)
        if candidates is None or candidates.problem or not candidates.is_certain:
            continue
        if candidates.texts[0] != text:
            reading = candidates.reading or request
            found.setdefault(candidates.texts[0], replace(candidates, reading=reading))
    return next(iter(found.values())) if len(found) == 1 else None
