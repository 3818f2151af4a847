"""Puts the name of a definition where a request describes it: "the saving function" is ``save_figure``, "Email function:" ``normalize_email``.

Only where one definition fits, so that the readers see a name that the buffer has. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from editd.intent.english import QUOTED
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.filler import FILLER
from editd.intent.word_forms import are_forms, words_in

_NOUN = r"(?:function|method|helper|view|class|routine|page|endpoint|handler|component|hook)"
_DESCRIBED = re.compile(
    rf"(?P<lead>\b(?:the|that|this|our|my) |^)(?P<words>(?:[\w'-]+ ){{1,3}}?)(?P<noun>{_NOUN})\b(?! (?:that|which|where|for|to)\b)(?!['’]s)",
    re.IGNORECASE,
)
_BY_CLAUSE = re.compile(
    rf"\b(?:the|that) {_NOUN} (?:that|which|for|to|where we|with which we) (?P<words>[^,;:.]+?)(?=$|[,;:.]| (?:i|we|you|it|should|must|has|needs?|gets|wants?|please|is|can|may|that|so|and)\b)",
    re.IGNORECASE,
)
_THIS = re.compile(
    rf"\b(?:this|that|the) {_NOUN}\b(?! (?:that|which|for|to|where|line)\b)", re.IGNORECASE
)
_THE_CLASS = re.compile(
    r"\b(?:the|this|that|our) (?:only )?class\b(?! (?:that|which|for)\b)(?: line)?", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_][\w-]*")
_SAYS_NOTHING = frozenset(
    """
    file files value values data line lines text thing things list string number numbers result results input output object whole entire main same
    other new old last first only small big little long short single one two three function method helper view class routine page endpoint
    handler component hook that which this a an the of from for in to it its is are into with by
    """.split()  # noqa: SIM905
)
_GENERAL_VERBS = (
    "make",
    "build",
    "create",
    "produce",
    "compute",
    "calculate",
    "handle",
    "give",
    "return",
)
_GLUE = frozenset(["on", "handle", "do", "get", "set", "is", "has", "the", "of", "and"])


def with_names(text: str, facts: BufferFacts) -> str:
    """``text`` with the name of the one definition that it describes in the place of the description; as it is where none or several
    definitions fit, and where it names one in the same place anyhow.
    """
    quoted = [x.span() for x in re.finditer(QUOTED, text)]

    def is_free(found: re.Match[str]) -> bool:
        return not any(start <= found.start() < end for start, end in quoted)

    for pattern in (_BY_CLAUSE, _DESCRIBED):
        for found in filter(is_free, pattern.finditer(text)):
            is_clause = pattern is _BY_CLAUSE
            if name := _named_by(found["words"], facts, may_have_verb=is_clause):
                lead = "" if is_clause else found["lead"]
                put = f"{lead}{'function ' if lead.strip() or is_clause else ''}`{name}`"
                return text[: found.start()] + put + text[found.end() :]
    classes = [x for x in facts.bodies if x[:1].isupper() and "." not in x]
    if len(classes) == 1 and not facts.places_in(text):
        text = _THE_CLASS.sub(lambda found: f"`{classes[0]}`" if is_free(found) else found[0], text)
    if not facts.places_in(text) and (name := _spoken_of(text, facts)):
        return _THIS.sub(lambda found: f"`{name}`" if is_free(found) else found[0], text)
    return text


def _named_by(words: str, facts: BufferFacts, *, may_have_verb: bool) -> str:
    """The one definition that all words describe, by its name or by what stands in it, one at least by its name; empty for none or
    several. may_have_verb: the first word may fit nothing if it is a general verb ("makes").
    """
    spoken = [x.lower() for x in _WORD.findall(words)]
    if any(x in facts.definitions for x in _WORD.findall(words)):
        return ""
    needed = [x for x in spoken if x not in FILLER and x not in _SAYS_NOTHING]
    best: dict[int, list[str]] = {}
    for name, body in facts.bodies.items():
        own = words_in(name)
        by_name = [x for x in needed if _is_among(x, own)]
        others = [x for x in needed if x not in by_name and not _is_among(x, body)]
        if others == needed[:1] and may_have_verb and _is_among(others[0], _GENERAL_VERBS):
            others = []
        if by_name and not others:
            best.setdefault(len(by_name), []).append(name)
    fitting = best.get(max(best), []) if best else []
    return fitting[0] if len(fitting) == 1 else ""


def _spoken_of(text: str, facts: BufferFacts) -> str:
    """The one definition all words of whose name stand in a text; empty for none or several, and for words that are all small."""
    spoken = {x.lower() for x in _WORD.findall(text)} - _SAYS_NOTHING - FILLER
    found = []
    for name in facts.bodies:
        own = [x for x in words_in(name.rpartition(".")[2]) if "_" not in x and x not in _GLUE]
        parts = [x for x in own if not any(y != x and y in x for y in own)]
        if parts and all(_is_among(x, spoken) for x in parts):
            found.append(name)
    return found[0] if len(found) == 1 else ""


def _is_among(word: str, others: Iterable[str]) -> bool:
    """Whether one of the others is a form of a word."""
    return any(are_forms(word, other) for other in others)
