"""The sentence of a request as it is written, with its brackets, arrows and commas, which ``KindRequest.text`` lacks."""

from __future__ import annotations

import re

from editd.intent.bare_request.clause_roles import what_stays
from editd.intent.evidence import BufferFacts, with_names
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.whole_requests import functions_in
from editd.refactor.by_kind.request import KindRequest

_SHORT = 2  # letters of a word of English that functions may be called by chance


def sentence_of(request: KindRequest) -> str:
    """The sentence without the clauses that say what stays; a function that is described or whose name is spoken ("the mail sender",
    "get user") has its name.
    """
    text = request.parsed.text
    for clause in cut_sentence(text):
        if what_stays(clause.text):
            text = text[: clause.start] + " " * (clause.end - clause.start) + text[clause.end :]
    return with_names(_with_spoken_names(text, request), request.facts)


def _with_spoken_names(text: str, request: KindRequest) -> str:
    """The text with the names of functions in the place of their words: ``get_user`` for "get user"."""
    for name in request.facts.parameters:
        words = re.findall(r"[A-Z]?[a-z0-9]+", name)
        if len(words) > 1:
            text = re.sub(rf"\b{' '.join(words)}\b", name, text, flags=re.IGNORECASE)
    return text


def functions_of(text: str, facts: BufferFacts) -> tuple[str, ...]:
    """The functions that a text names; one whose name is a short word of English ("me") only where it names no other."""
    bare = (x for x in re.findall(r"[\w$]+", text) if x in facts.parameters and x not in FILLER)
    found = functions_in(text, facts, facts.parameters) or tuple(dict.fromkeys(bare))
    return tuple(x for x in found if len(x) > _SHORT or x not in FILLER) or found
