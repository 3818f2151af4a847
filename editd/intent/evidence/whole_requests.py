"""Tells whether the evidence for an edit accounts for a request: no word of its clauses is left over, and no other clause asks for
more. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.filler import FILLER, content_words
from editd.intent.evidence.narrowing import has_condition, is_narrowed
from editd.intent.evidence.request_clauses import RequestClause, cut_sentence

Span = tuple[int, int]
"""Start and end of a part of a request."""

_SECOND = re.compile(
    r"(?:^|\b(?:and|then|also|plus|but) )(?:(?:please|then|also|and|just|but|pls|let's|we should|you can|to) )*"
    r"(?:rename|remove|delete|drop|kill|replace|sort|move|extract|split|inline|change|convert|turn|wrap|catch|print|comment|uncomment|annotate"
    r"|document|refactor|rewrite|simplify|raise|throw|return|validate|check|test|import|create|implement|make|set|bump|increase|lower|use|call|pass"
    r"|store|add|insert|put|log|give|update|fix|handle|format|apply|set up|get rid|re-?throw|re-?raise|write|append|define|mark|turn|switch|skip|stop|retry|initiali[sz]e)\b"
    r"(?!\(| (?:is|are|was|has|can|should|must|needs?|does|fails?|crashes|blows|gets|takes|will|would|may|might)\b)",
    re.IGNORECASE,
)
_NARROWS = re.compile(
    r"\b(?:except|only (?:in|for|if|when|the|those)|but (?:not|only|keep|leave)|leave|keep|unless|don't|do not|other than|apart from|neither)\b",
    re.IGNORECASE,
)

_A_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_JOINED = re.compile(
    r"(?:\b(?:and|then|also|plus|or)|&) (?:[\w'’]+ )?$|\b(?:for|around|of|on) (?:the|that|this|its) (?:[\w'’]+ )?$",
    re.IGNORECASE,
)
_LIST = re.compile(r"[^\W\d][\w$.]*(?:\(\))?(?:(?:, and |, | and | & )[^\W\d][\w$.]*(?:\(\))?)+")


def accounts_for(
    text: str,
    spans: Sequence[Span],
    about: Collection[str],
    facts: BufferFacts,
    *,
    saying: Sequence[Span] = (),
    exact: Sequence[Span] | None = None,
) -> bool:
    """Whether evidence accounts for a request: in the clauses that its spans touch nothing is left but filler and words ``about`` the
    kind of edit, no such clause has a condition, and no other clause asks for an edit or narrows this one.

    text: with code hidden, so that offsets stay. saying: what is explained as well, and may stand in a reason. exact: in the clauses that none of these spans touches, words that
    the buffer does not have may be left, too (``says_nothing_new``).
    """
    blanked = text
    for start, end in (*spans, *saying):
        blanked = blanked[:start] + " " * (end - start) + blanked[end:]
    known = {part.lower() for word in about for part in (word, *re.findall(r"[^\W_]\w*", word))}
    for clause in cut_sentence(text):
        rest = blanked[clause.start : clause.end]
        if not _touches(spans, clause):
            if asks_for_more(rest, known):
                return False
        elif is_narrowed(rest) or has_condition(rest):
            return False
        else:
            is_exact = exact is None or _touches(exact, clause)
            if not _is_explained(rest if is_exact else says_nothing_new(rest, facts), known):
                return False
    return True


def _touches(spans: Sequence[Span], clause: RequestClause) -> bool:
    """Whether one of the spans has a part of the clause."""
    return any(start < clause.end and clause.start < end for start, end in spans)


def says_nothing_new(text: str, facts: BufferFacts) -> str:
    """The text with blanks for the words that the buffer does not have, which choose nothing there; but for a word behind "and",
    which may be a further verb, and one behind "for the" or the like, which names a thing.
    """

    def blank(found: re.Match[str]) -> str:
        is_joined = _JOINED.search(text, 0, found.start()) is not None
        return found[0] if is_joined or facts.has_words(found[0]) else " " * len(found[0])

    return _A_WORD.sub(blank, text)


def asks_for_more(clause: str, known: Collection[str] = ()) -> bool:
    """Whether a clause beside the request narrows it or, unless all its words are known, asks for a further edit."""
    is_second = _SECOND.search(clause) is not None and not _is_explained(clause, known)
    return is_second or _NARROWS.search(clause) is not None


def _is_explained(text: str, known: Collection[str]) -> bool:
    """Whether each content word of a text is known."""
    words = (re.sub(r"['’](?:ll|d|s|re|ve|m)$", "", word.lower()) for word in content_words(text))
    return all(word in known or word in FILLER for word in words)


def functions_in(
    text: str, facts: BufferFacts, among: Collection[str] | None = None
) -> tuple[str, ...]:
    """The definitions that a request names: those that are marked as names; else each bare word that is one, which may be
    ordinary English. among: only those whose own name is one of these.
    """

    def may_be_meant(name: str) -> bool:
        return among is None or name.rpartition(".")[2] in among

    if places := tuple(filter(may_be_meant, facts.places_in(text))):
        return tuple(dict.fromkeys((*_listed_with(places, text, facts), *places)))
    words = re.findall(r"(?<![\w.$-])[^\W\d][\w$]*(?:(?:\.|::|#)[^\W\d][\w$]*)*(?![\w$-])", text)
    found = (re.sub(r"::|#", ".", word) for word in words)
    return tuple(dict.fromkeys(x for x in found if x in facts.definitions and may_be_meant(x)))


def _listed_with(places: Collection[str], text: str, facts: BufferFacts) -> list[str]:
    """The definitions that stand in one list with one of ``places``: "mean, variance and median:"."""
    found: list[str] = []
    for run in _LIST.finditer(text):
        names = re.findall(r"[^\W\d][\w$.]*", run[0])
        named = [name for name in names if name in facts.definitions]
        if not set(places).isdisjoint(named) and len(named) == len(names) - sum(
            name == "and" for name in names
        ):
            found += named
    return found
