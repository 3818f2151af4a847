"""Which of the places that an edit would change a sentence means: all, those in a function, or those that its words describe.

A word of the sentence chooses where some of the places have it and others have not: "DEBUG" of "remove the two DEBUG prints". In one
that speaks of a single thing exactly one place has to be left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from editd.diff.matching import DiffChange, changes
from editd.intent.evidence.counting import count_in, is_of_one, is_of_several
from editd.intent.evidence.filler import FILLER
from editd.refactor.by_kind.request import KindRequest
from editd.refactor.candidates import Candidates
from editd.refactor.described_places import (
    code_of_place,
    has_word,
    is_import,
    may_be_several,
    names_around,
    places_of,
    with_changes,
)

_WORD = re.compile(r"[^\W\d_]\w*|\d+")
_OF_ALL = re.compile(
    r"\b(?:all|every\w*|both|any|each|throughout|whole|entire|lot|them|those|these|consistent\w*|this (?:file|module|script|class))\b",
    re.IGNORECASE,
)
_SHORTEST = 3  # letters of a word that chooses, unless it is a capital
_LAST = re.compile(r"\b(?:at|near) the (?:very )?(?:end|bottom)\b|\blast\b", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:at|near) the (?:very )?(?:top|start|beginning)\b|\bfirst\b", re.IGNORECASE
)


def at_meant_places(request: KindRequest, found: Candidates, nouns: str) -> Candidates | None:
    """The change with only those of its places that the request means; ``None`` where that is not clear. nouns: for such a place, as
    alternatives of a pattern in the singular.
    """
    lines = request.code.text.splitlines(keepends=True)
    new = found.texts[0].splitlines(keepends=True)
    every = [*places_of(changes(lines, new), lines, new)]
    places = [x for x in every if x.old_start < x.old_end and not is_import(x, lines)]
    if not places:
        return found
    chosen = _meant(request, {x: code_of_place(x, lines, request.code) for x in places}, nouns)
    if len(chosen) == len(places):
        return found
    if not chosen or any(map(may_be_several, chosen)):
        return None
    spans = [x for x in every if x in chosen or x not in places]
    return with_changes(spans, lines, new, found)


def _meant(
    request: KindRequest, places: Mapping[DiffChange, str], nouns: str
) -> Sequence[DiffChange]:
    """The places that are meant, of all with their code; empty where several fit and one is meant, or words contradict each other."""
    within = [x for x in places if {*names_around(x, request.code)} & {*request.functions}]
    if request.functions and not within:
        within = [x for x in places if any(has_word(name, places[x]) for name in request.functions)]
    left = within or list(places)
    count = count_in(request.text) or 0
    is_one = is_of_one(request.asking, nouns) and not is_of_several(request.asking, nouns)
    is_of_all = is_of_several(request.asking, nouns) or _OF_ALL.search(request.asking) is not None
    chosen = _described(request.asking, left, places, request)
    if is_one and len(chosen) > 1:
        chosen = _described(request.text, left, places, request)
    if is_one and len(chosen) > 1:
        chosen = _at_an_end(request.text, chosen)
    if count:
        return chosen if len(chosen) == count else left if len(left) == count else ()
    if is_one and not _OF_ALL.search(request.asking):
        return chosen if len(chosen) == 1 else ()
    return chosen if is_of_all or len(chosen) in (1, len(places), len(within)) else ()


def _at_an_end(text: str, places: Sequence[DiffChange]) -> Sequence[DiffChange]:
    """The first or the last of the places, if the text says so; else all of them."""
    if _LAST.search(text):
        return places[-1:]
    return places[:1] if _FIRST.search(text) else places


def _described(
    text: str, among: Sequence[DiffChange], places: Mapping[DiffChange, str], request: KindRequest
) -> Sequence[DiffChange]:
    """The places that most words of a text fit which only some of them have; all where no word chooses."""
    choosing = [
        fits
        for word in _words(text, request)
        if 0 < len(fits := [x for x in among if has_word(word, places[x])]) < len(among)
    ]
    if not choosing:
        return among
    fit = {x: sum(x in fits for fits in choosing) for x in among}
    most = max(fit.values())
    return [x for x in among if fit[x] == most]


def _words(text: str, request: KindRequest) -> Iterator[str]:
    """Yield the words of a text that may describe a place: no filler, and no function that says where it is."""
    for word in dict.fromkeys(_WORD.findall(text)):
        is_long = len(word) >= _SHORTEST or word.isupper()
        if is_long and word.lower() not in FILLER and word not in request.functions:
            yield word
