"""The sentence of a request with the functions that it is about by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from editd.intent.evidence import BufferFacts, with_names
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.whole_requests import functions_in
from editd.refactor.by_kind.request import KindRequest

_CONSTRUCTOR = re.compile(
    r"\b(?:the )?(?:(?P<owner>[A-Z]\w*)(?:'s)? )?constructor\b(?: of (?:the )?(?P<of>[A-Z]\w*))?"
)
_LISTED = re.compile(r"[`() ]*(?:,|&|,? ?\band\b)[` ]*(?:both |the )?")
_SHORT = 2  # letters of a word of English that functions may be called by chance


def sentence_of(request: KindRequest) -> str:
    """The sentence with the names of functions that it describes or speaks ("the mail sender", "get user"), and of constructors."""
    text = _with_spoken_names(
        _CONSTRUCTOR.sub(partial(_constructor, request.facts), request.text), request
    )
    return with_names(text, request.facts)


def _constructor(facts: BufferFacts, found: re.Match[str]) -> str:
    """The name of the constructor that a text speaks of, with its class if that is said."""
    name = "constructor" if "constructor" in facts.parameters else "__init__"
    owner = found["owner"] or found["of"]
    return f"{owner}.{name}" if owner and f"{owner}.{name}" in facts.definitions else name


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


def is_list(functions: Sequence[str], text: str) -> bool:
    """Whether the functions stand in the text as one list: "net and gross"."""
    found = (re.search(rf"(?<![\w.]){re.escape(x)}(?!\w)", text) for x in functions)
    places = sorted(x.span() for x in found if x)
    pairs = pairwise(places)
    return all(_LISTED.fullmatch(text[end:start]) for (_, end), (start, _) in pairs)
