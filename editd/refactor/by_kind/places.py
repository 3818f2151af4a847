"""Chooses the places that a sentence is about, of those that an edit would change: all, those in a function, or those that its words
describe.

A word of the sentence chooses where some of the places have it and others have not: "DEBUG" of "remove the two DEBUG prints". In a
sentence that speaks of a single thing exactly one place has to be left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from editd.diff.matching import DiffChange, changes
from editd.intent import intents
from editd.intent.english import QUOTED
from editd.intent.evidence.counting import count_in, is_of_one, is_of_several
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.whole_requests import functions_in
from editd.refactor.by_kind.request import CODE, KindRequest
from editd.refactor.candidates import Candidates
from editd.refactor.described_places import (
    has_word,
    may_be_several,
    names_around,
    places_of,
    with_changes,
    with_their_code,
)

_WORD = re.compile(r"[^\W\d_]\w*|\d+")
_OF_ALL = re.compile(
    r"\b(?:all(?! (?:of )?that\b)|every\w*|any|each|throughout|lot|consistent\w*)\b", re.IGNORECASE
)
_OF_WHOLE = re.compile(
    r"\b(?:in|of|across|throughout|convert|change|switch|fix) (?:this|the(?: whole| entire)?) (?:file|module|script)\b|\bwhole (?:file|module|script)\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"\b(?:for|of|around|about|says?|saying|called|named) (?:the |that |our |my |this )(?:\w+ ){0,2}?(?P<word>[a-z]\w+)(?=\s*(?:$|[,.;:!?)]|please\b|pls\b|in\b|of\b|instead\b|at\b|from\b))"
    r"|\b(?:that|which) (?:says|prints|reads) (?P<text>[a-z]\w+)"
    r"|\b(?:for|of|around|saying|called|named) (?P<plain>[a-z]\w+)\b(?! \w+s\b)",
    re.IGNORECASE,
)
_COMMON = frozenset(
    """
    file files module script class function method handle handles whole rest project repo codebase team time moment review start end top bottom
    prints print string message text line call output log statement value literal comment quote key import error code
    """.split()  # noqa: SIM905
)
"""Words for a place that no code of it needs to have."""
_PRONOUN = re.compile(r"\b(?:it|that|this|them|those|these)\b(?! \w+s\b)", re.IGNORECASE)
_AND_ANOTHER = re.compile(r"(?:\band|&|,) (?:the|that|this)\b", re.IGNORECASE)
_SHORTEST = 3  # letters of a word that chooses, unless it is a capital
_LAST = re.compile(r"\b(?:at|near) the (?:very )?(?:end|bottom)\b|\blast\b", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:at|near) the (?:very )?(?:top|start|beginning)\b|\bfirst\b", re.IGNORECASE
)

Places = Mapping[DiffChange, str]
"""Places with their code, and what else says what they are."""


def at_chosen_places(
    request: KindRequest, intent: intents.Intent, nouns: str, has: re.Pattern[str] | None = None
) -> Candidates | None:
    """The change that an intent makes, with only those of its places that the request is about; ``None`` if it makes none, or that is not
    clear. nouns: for such a place, as alternatives of a pattern in the singular. has: found in the code of each place that may be one.
    """
    found = request.done(intent, chooses=True)
    if found is None:
        return None
    lines = request.code.text.splitlines(keepends=True)
    new = found.texts[0].splitlines(keepends=True)
    every = [*places_of(changes(lines, new), lines, new)]
    places = with_their_code(every, intent, request.code)
    deletes = isinstance(intent, intents.DeletePrints)
    if (deletes and _names_function_behind(request)) or _is_of_another(request, places):
        return None
    left = _without_spared(request, places)
    left = {x: text for x, text in left.items() if has is None or has.search(text)}
    chosen = _chosen(request, left, nouns)
    if len(chosen) == len(places):
        return found
    if not chosen or (deletes and any(map(may_be_several, chosen))):
        return None
    return with_changes([x for x in every if x in chosen or x not in places], lines, new, found)


def _without_spared(request: KindRequest, places: Places) -> Places:
    """The places but for those that have all words for a thing that is to stay."""
    around = {x: f"{code} {' '.join(names_around(x, request.code))}" for x, code in places.items()}
    spared: set[DiffChange] = set()
    for text in request.staying:
        if words := [*_words(text, request)]:
            fits = [
                [x for x in of if all(has_word(w, of[x]) for w in words)] for of in (places, around)
            ]
            spared.update(fits[0] or fits[1])
    return {x: code for x, code in places.items() if x not in spared}


def _chosen(request: KindRequest, places: Places, nouns: str) -> Sequence[DiffChange]:
    """The places that a request is about; none where several fit and it is about one, or its words contradict each other."""
    within = [x for x in places if {*names_around(x, request.code)} & {*request.functions}]
    left = _with_cited_code(request, within or list(places), places)
    number = _number(request, nouns)
    words = [*_words(request.asking, request)]
    if number == "all":
        words = [x for x in words if re.search(rf"\b{x}(?: \w+)? (?:{nouns})s?\b", request.asking)]
    chosen = _described(words, left, places)
    if number == "one" and len(chosen) > 1:
        chosen = _described([*_words(request.text, request)], left, places)
    if number == "one" and len(chosen) > 1:
        chosen = _at_an_end(request.text, chosen)
    if count := count_in(request.text):
        return next((x for x in (chosen, left) if len(x) == count), ())
    if number == "one":
        return chosen if len(chosen) == 1 else ()
    return chosen if number in ("all", "several") or len(chosen) in (1, len(left)) else ()


def _is_of_another(request: KindRequest, places: Places) -> bool:
    """Whether the request says that its places are about something that none of them has: "an f-string for the greeting"."""
    names = (name for x in places for name in names_around(x, request.code))
    about = " ".join([*places.values(), *names])
    return any(not has_word(x, about) for x in _objects(request))


def _objects(request: KindRequest) -> Iterator[str]:
    """Yield the words for what the request says its places are about: "greeting" of "an f-string for the greeting"."""
    for found in _OBJECT.finditer(request.asking):
        word = found["word"] or found["text"] or found["plain"]
        is_known = found["word"] or found["text"] or word in request.facts.names
        is_plain = word.lower().removesuffix("s") in FILLER | _COMMON or word.lower() in FILLER
        if found["text"] or (is_known and not is_plain):
            yield word


def _names_function_behind(request: KindRequest) -> bool:
    """Whether a definition is named only behind the clauses that ask, which may say that it stays: "delete the prints, load calls it"."""
    behind = request.text.rpartition(request.asking.rpartition("; ")[2])[2]
    named = functions_in(behind, request.facts)
    return bool(named) and not functions_in(request.asking, request.facts)


def _number(request: KindRequest, nouns: str) -> Literal["one", "several", "all", ""]:
    """How many places a request speaks of, by its nouns and pronouns; empty where they leave it open."""
    text, nouns = request.asking, rf"(?:\w+\.)?(?:{nouns})"
    has_noun = re.search(rf"\b(?:{nouns})s?\b", text, re.IGNORECASE)
    if _OF_ALL.search(text) or _OF_WHOLE.search(request.text):
        return "all"
    if not has_noun and (pronoun := _PRONOUN.search(text)):
        is_one = pronoun[0].lower() in ("it", "that", "this")
        if not is_one or not is_of_several(request.text, nouns):
            return "one" if is_one else "several"
    if is_of_several(text, nouns):
        return "several"
    is_one = is_of_one(text, nouns) and not _AND_ANOTHER.search(text)
    return "one" if is_one else ""


def _with_cited_code(
    request: KindRequest, among: Sequence[DiffChange], places: Places
) -> Sequence[DiffChange]:
    """Of the places those that have all that the request quotes or writes like code, of what some place has; all of them if it cites nothing."""
    quoted = [re.escape(x[0][1:-1]) for x in re.finditer(QUOTED, request.text) if x[0][2:]]
    names = [rf"(?<![\w.]){re.escape(x)}(?!\w)" for x in CODE.findall(request.text)]
    cited = [x for x in (*quoted, *names) if any(re.search(x, places[place]) for place in among)]
    return [x for x in among if all(re.search(text, places[x]) for text in cited)] or among


def _at_an_end(text: str, places: Sequence[DiffChange]) -> Sequence[DiffChange]:
    """The first or the last of the places, if the text says so; else all of them."""
    if _LAST.search(text):
        return places[-1:]
    return places[:1] if _FIRST.search(text) else places


def _described(
    words: Sequence[str], among: Sequence[DiffChange], places: Places
) -> Sequence[DiffChange]:
    """The places that most of the words fit which only some of them have; all of them where no word chooses."""
    choosing = [
        fits
        for word in words
        if 0 < len(fits := [x for x in among if has_word(word, places[x])]) < len(among)
    ]
    if not choosing:
        return among
    fit = {x: sum(x in fits for fits in choosing) for x in among}
    return [x for x in among if fit[x] == max(fit.values())]


def _words(text: str, request: KindRequest) -> Iterator[str]:
    """Yield the words of a text that may describe a place: no filler, and no function that says where it is."""
    for word in dict.fromkeys(_WORD.findall(text)):
        is_long = len(word) >= _SHORTEST or word.isupper()
        if is_long and word.lower() not in FILLER and word not in request.functions:
            yield word
