"""The sentence of a request as it is written, with its arrows and marks, but without the clauses that say what stays."""

from __future__ import annotations

from editd.intent.bare_request import BUT_KEEP
from editd.intent.bare_request.clause_roles import what_stays
from editd.intent.evidence.request_clauses import cut_sentence
from editd.refactor.by_kind.request import KindRequest


def without_what_stays(request: KindRequest) -> str:
    """The sentence with blanks for the clauses that say what stays, and plain apostrophes; places in it are those of the sentence."""
    text = BUT_KEEP.sub(lambda x: ", ".ljust(len(x[0])), request.parsed.text)
    for clause in cut_sentence(text):
        if what_stays(clause.text):
            text = text[: clause.start] + " " * len(clause.text) + text[clause.end :]
    return text.replace("’", "'")
