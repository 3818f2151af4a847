"""Limits an edit to the places that words describe: "the dup message" is the line that has the word in it.

A place is what changes together: a line that becomes another, statements that go, or a block that becomes another. What an edit
adds elsewhere, such as an import, stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from editd.diff.matching import DiffChange, changes
from editd.intent.exceptions import Excepted
from editd.intent.intents import (
    ChangeQuotes,
    DeletePrints,
    Intent,
    Located,
    SomePlaces,
    UseWithOpen,
)
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_ASSIGNED = re.compile(r"(?:[a-z]+ )*(?P<name>[A-Z][A-Z\d_]+)\s*(?::[^=]+)?=(?!=)")
_ENDING = re.compile(r"(?:ings?|ed|es|e|s)$")
_COMMENT = re.compile(r"#|//|/\*|^\s*(?:\*|--|;)|<!--")
_SHORTEST = 3  # letters of a stem
_KIN = 6  # letters that kindred words have in common


def at_described_places(intent: SomePlaces, found: Candidates, code: Code) -> Candidates | None:
    """The first candidate with only those of its changes that ``intent`` describes, as certain as it was.

    ``None`` if the described places are none, not as many as it counts, or all while some are to stay; and if what is said to stay is
    none of the places.
    """
    if found.problem or found.texts[0] == code.text:
        return None
    lines, new = code.text.splitlines(keepends=True), found.texts[0].splitlines(keepends=True)
    all_changes = [*places_of(changes(lines, new), lines, new)]
    places = with_their_code(all_changes, intent.intent, code)
    is_located = isinstance(intent.intent, Located) and bool(intent.intent.location)
    spared = _spared(intent, places, code)
    if spared is None and not is_located:
        return None
    spared = spared or []
    chosen = _chosen(intent, {x: text for x, text in places.items() if x not in spared})
    if not chosen or (intent.leaves_some and len(chosen) == len(places)):
        return None
    if isinstance(intent.intent, DeletePrints) and any(map(may_be_several, chosen)):
        return None
    spans = [x for x in all_changes if x in chosen or x not in places]
    return with_changes(spans, lines, new, found)


def at_other_places(excepted: Excepted, found: Candidates, code: Code) -> Candidates | None:
    """The first candidate without those of its changes that ``excepted`` describes, as certain as it was.

    Without any it is ``found`` itself if a line that stays has all the words. ``None`` if neither is so, all places would be left, several
    fit where one is meant, or what is left cannot be told from the rest.
    """
    lines, new = code.text.splitlines(keepends=True), found.texts[0].splitlines(keepends=True)
    all_changes = [*places_of(changes(lines, new), lines, new)]
    places = [x for x in all_changes if x.old_start < x.old_end]
    old = {x: code_of_place(x, lines, code) for x in places}
    left = [x for x in places if _is_excepted(excepted, old[x])]
    if excepted.which and places:
        left = [places[0 if excepted.which == "first" else -1]]
    if not left:
        changed = {number for x in places for number in range(x.old_start, x.old_end)}
        others = (line for number, line in enumerate(lines) if number not in changed)
        stays = excepted.are_comments and any(
            _is_excepted(excepted, line) for line in others if _COMMENT.search(line)
        )
        return found if stays else None
    if len(left) == len(places) or (len(left) > 1 and not excepted.are_several):
        return None
    if any(map(may_be_several, places)):
        return None
    return with_changes([x for x in all_changes if x not in left], lines, new, found)


def _is_excepted(excepted: Excepted, code: str) -> bool:
    """Whether code has all words of an exception, or one of its alternatives."""
    if excepted.alternatives:
        return any(has_word(word, code) for word in excepted.alternatives)
    return bool(excepted.words) and all(has_word(word, code) for word in excepted.words)


def with_changes(
    spans: Sequence[DiffChange], lines: Sequence[str], new: Sequence[str], found: Candidates
) -> Candidates:
    """``found`` with a text that has only these changes, and what it assumes of their lines."""
    result, done = [], 0
    for x in spans:
        result += [*lines[done : x.old_start], *new[x.new_start : x.new_end]]
        done = x.old_end
    text = "".join([*result, *lines[done:]])
    at = {number for x in spans for number in range(x.old_start, x.old_end)}
    assumed = ((what, tuple(n for n in of if n in at)) for what, of in found.assumptions)
    return replace(
        found,
        texts=(text,),
        left_alone=(),
        wider=None,
        assumptions=tuple((what, of) for what, of in assumed if of),
    )


def spared_places(intent: SomePlaces, found: Candidates, code: Code) -> list[DiffChange] | None:
    """Of the changes of the first candidate those at the places that ``intent`` says to stay; ``None`` if one of them is no such place."""
    lines, new = code.text.splitlines(keepends=True), found.texts[0].splitlines(keepends=True)
    found_places = places_of(changes(lines, new), lines, new)
    return _spared(intent, with_their_code(found_places, intent.intent, code), code)


def with_their_code(
    found: Iterable[DiffChange], intent: Intent, code: Code
) -> dict[DiffChange, str]:
    """The changes that take lines away, each with its code; imports aside, unless the edit is one of strings."""
    lines = code.text.splitlines(keepends=True)
    is_of_strings = isinstance(intent, ChangeQuotes)
    places = {
        x: code_of_place(x, lines, code)
        for x in found
        if x.old_start < x.old_end and (is_of_strings or not is_import(x, lines))
    }
    if isinstance(intent, UseWithOpen):
        return {x: own + _use_of_file(own) + _name_around(x, code) for x, own in places.items()}
    return places


def _chosen(intent: SomePlaces, places: Mapping[DiffChange, str]) -> list[DiffChange]:
    """The places that are described, with their code: those with all the words; else those with some of them, if each word has one; of a single place, which
    words do not tell, the one that most hints fit; empty for another number than is counted. Words that choose count where some of these places
    have one and others have not.
    """

    def fitting(words: Sequence[str]) -> list[DiffChange]:
        return [x for x, text in places.items() if all(has_word(word, text) for word in words)]

    count = intent.count
    chosen = fitting(intent.words)
    if not chosen and all(fitting([word]) for word in intent.words):
        chosen = list(dict.fromkeys(x for word in intent.words for x in fitting([word])))
        chosen = sorted(chosen, key=lambda x: x.old_start)
        is_of_each = count in (0, len(chosen)) or len(chosen) == len(intent.words)
        chosen, count = (chosen if is_of_each else []), 0
    if not chosen and (intent.spared or count > 1) and count in (1, len(places)):
        chosen = list(places)  # those that are left, or as many as there are
    if intent.choosing and len(chosen) != count:
        chosen = [
            x for x in chosen if any(has_word(w, places[x]) for w in intent.choosing)
        ] or chosen
    if count == 1 < len(chosen) and intent.hints:
        chosen = _of_most_hints(intent.hints, chosen, places)
    return chosen if count in (0, len(chosen)) else []


def _of_most_hints(
    hints: Sequence[str], chosen: Sequence[DiffChange], places: Mapping[DiffChange, str]
) -> list[DiffChange]:
    """The places that most hints fit; empty if none fits."""
    fits = {x: sum(has_word(hint, places[x]) for hint in hints) for x in chosen}
    return [x for x in chosen if fits[x] == max(fits.values()) > 0]


def _spared(
    intent: SomePlaces, places: Mapping[DiffChange, str], code: Code
) -> list[DiffChange] | None:
    """The places, with their code, that are said to stay: those that have all words of a description, in the code or in the names of the definitions
    around it; ``None`` if one description fits none.
    """
    around = {x: f"{text} {' '.join(names_around(x, code))}" for x, text in places.items()}
    of_each = [
        [x for x, text in around.items() if all(has_word(word, text) for word in group)]
        for group in intent.spared
    ]
    return [x for of_one in of_each for x in of_one] if all(of_each) else None


def names_around(place: DiffChange, code: Code) -> Iterator[str]:
    """Yield the names of the definitions in which a place is."""
    for x in code.definitions:
        if x.is_block and x.start <= place.old_start < x.end:
            yield x.name


def _use_of_file(opened: str) -> str:
    """Words for what the code does with the file that it opens."""
    if re.search(r"\.write|\bdump|[\"'][wax]b?\+?[\"']", opened):
        return " write save store export dump output"
    return " read load input"


def _name_around(place: DiffChange, code: Code) -> str:
    """The name of the innermost definition around a place; empty without one."""
    around = [x for x in code.definitions if x.is_block and x.start <= place.old_start < x.end]
    return f" {max(around, key=lambda x: x.start).name}" if around else ""


def places_of(
    found: Iterable[DiffChange], lines: Sequence[str], new: Sequence[str]
) -> Iterator[DiffChange]:
    """Yield the changes, those of as many lines as before line by line, and deletions statement by statement."""
    for change in found:
        start, end = change.old_start, change.old_end
        if end - start == change.new_end - change.new_start and not _is_moved(change, lines, new):
            for at in range(end - start):
                new_at = change.new_start + at
                if lines[start + at] != new[new_at]:
                    yield DiffChange(start + at, start + at + 1, new_at, new_at + 1)
        elif change.new_start == change.new_end:
            first = len(lines[start]) - len(lines[start].lstrip())
            borders = [n for n in range(start + 1, end) if _begins(lines[n], first)]
            for a, b in zip([start, *borders], [*borders, end], strict=True):
                yield DiffChange(a, b, change.new_start, change.new_start)
        else:
            yield change


def may_be_several(place: DiffChange) -> bool:
    """Whether several lines become fewer, as where one of two prints is all of a block, and becomes ``pass``."""
    return place.new_end - place.new_start not in (0, place.old_end - place.old_start)


def _is_moved(change: DiffChange, lines: Sequence[str], new: Sequence[str]) -> bool:
    """Whether one of the lines only gets another indentation, so that all of them are one block."""
    old = {line.strip() for line in lines[change.old_start : change.old_end]}
    return any(line.strip() in old for line in new[change.new_start : change.new_end])


def _begins(line: str, indent: int) -> bool:
    """Whether a statement begins on a line: it is indented no deeper, and is more than closing brackets."""
    return len(line) - len(line.lstrip()) <= indent and not re.match(r"\s*[)\]}]|\s*$", line)


def is_import(change: DiffChange, lines: Sequence[str]) -> bool:
    """Whether all the lines that change import something."""
    old = lines[change.old_start : change.old_end]
    return all(re.match(r"\s*(?:import|from|use|using|#include)\b|\s*$", line) for line in old)


def code_of_place(place: DiffChange, lines: Sequence[str], code: Code) -> str:
    """The lines of a place, with those that give its constants their values, in YAML with the keys around them."""
    own = lines[place.old_start : place.old_end]
    if code.language != "yaml":
        constants = set(re.findall(r"\b[A-Z][A-Z\d_]+\b", "".join(own)))
        values = [x for x in lines if (found := _ASSIGNED.match(x)) and found["name"] in constants]
        return "".join([*own, *values])
    heads: list[str] = []
    indent = len(own[0]) - len(own[0].lstrip())
    for line in reversed(lines[: place.old_start]):
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth < indent and not line.lstrip().startswith("#"):
            heads.append(line)
            indent = depth
    return "".join([*heads, *own])


def has_word(word: str, code: str) -> bool:
    """Whether code has a word, in whatever form and as a part of a name, or a quoted text as it is."""
    if re.fullmatch(r"[\"'`“„].*[\"'`”“]", word):
        words = " ".join(re.findall(r"[^\W_]\w*", code.lower()))
        parts = re.split(r"…|\.\.\.", word[1:-1].lower())
        cited = (" ".join(re.findall(r"[^\W_]\w*", part)) for part in parts)
        return word[1:-1].lower() in code.lower() or all(f" {x} " in f" {words} " for x in cited)
    stems = {_stem(x) for x in _WORD.findall(code)}
    return all(
        any(_stem(x) == stem or _are_kin(x, stem) for stem in stems) for x in _WORD.findall(word)
    )


def _are_kin(word: str, stem: str) -> bool:
    """Whether a word and a stem have a long beginning in common: "convergence" and "converg"."""
    return min(len(word), len(stem)) >= _KIN and word.lower()[:_KIN] == stem[:_KIN]


def _stem(word: str) -> str:
    """A word in lower case without an ending, if at least three letters are left; doubled letters before it become single."""
    word = word.lower()
    bare = _ENDING.sub("", word)
    if len(bare) < _SHORTEST:
        return word
    return bare[:-1] if bare != word and bare[-1] == bare[-2] and len(bare) > _SHORTEST else bare
