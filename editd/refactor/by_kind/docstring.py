"""Writes a docstring whose text stands in the sentence, for the definition that its other words mean.

"The parser class is undocumented, it should read 'Reads tokens.'" has a text, and words that one class of the buffer fits best.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from editd.intent.evidence.docstrings import CUE, INSTEAD, MODULE, docstring_in
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.whole_requests import asks_for_more, functions_in
from editd.intent.intents import AddDocstring
from editd.intent.word_forms import are_forms, words_in
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates
from editd.syntax.definition import Definition

_KINDS = {
    "class": re.compile(r"\b(?:class|struct|type|interface|enum|trait)\b", re.IGNORECASE),
    "function": re.compile(r"\b(?:function|method|func|fn|routine)\b", re.IGNORECASE),
}
_IS_CLASS = re.compile(
    r"\s*(?:[\w@]+ )*?(?:class|struct|type|interface|enum|trait|record)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.;!?]) ")


def _read(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with the docstring; nothing if the sentence has none or several texts, or, where it speaks of no docstring, one without
    quotes or of a call; if its words mean no or several definitions; or if what follows a first sentence of the text asks for more.
    """
    found = docstring_in(request.parsed.text)
    if found is None or any(map(asks_for_more, _SENTENCE.split(found[0])[1:])):
        return
    text, (start, end) = found
    rest = f"{request.parsed.text[:start]} {request.parsed.text[end:]}"
    is_quoted = not request.parsed.text[start].isalnum()
    is_argument = request.parsed.text[:start].endswith("(")
    if not CUE.search(rest) and (is_argument or not is_quoted):
        return
    names = _definitions_in(rest, request)
    if len(names) != 1 or INSTEAD.search(rest):
        return
    done = request.done(AddDocstring(names[0], text))
    if done is not None:
        yield replace(done, reading=f"document {names[0] or 'the module'} with “{text}”")


def _definitions_in(words: str, request: KindRequest) -> tuple[str, ...]:
    """The definitions that the words name, or else the one that they describe; an empty name for the module."""
    if named := functions_in(words, request.facts):
        return named
    if request.code.language == "python" and MODULE.search(words):
        return ("",)
    kind = next((x for x, pattern in _KINDS.items() if pattern.search(words)), "")
    blocks = [x for x in request.code.definitions if x.is_block]
    blocks = [x for x in blocks if not kind or _is_class(x, request) == (kind == "class")]
    spoken = [x.lower() for x in re.findall(r"[^\W\d_]+", words)]
    spoken = [x for x in spoken if x not in FILLER]
    fit = {
        x.qualified: sum(any(are_forms(word, y) for y in words_in(x.name)) for word in spoken)
        for x in blocks
    }
    best = max(fit.values(), default=0)
    if not best:
        return tuple(fit) if kind else ()
    return tuple(x for x, count in fit.items() if count == best)


def _is_class(definition: Definition, request: KindRequest) -> bool:
    """Whether a definition is of a class or another type."""
    lines = request.code.lines[definition.start : definition.end]
    return any(definition.name in x and _IS_CLASS.match(x) for x in lines[:10])


READERS: dict[str, Reader] = {"docstring": _read}
"""The reader of docstrings."""
