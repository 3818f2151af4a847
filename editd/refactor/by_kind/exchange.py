"""Puts the new value of a sentence in the place of the one value that its words are about, or of the old text that it says.

a.py, "clients give up after 30, they should wait for 90"::

    MAX_CLIENTS = 30
    WAIT = 30

becomes::

    MAX_CLIENTS = 30
    WAIT = 90

a.yaml, "mx1.shop.test is history, mx2.shop.test took over"::

    mail: mx1.shop.test:25

becomes::

    mail: mx2.shop.test:25

The new value is what the sentence has and the buffer lacks, or what stands behind "to" and before "instead". Where it goes, all words decide:
those of the value's own name count most, then those of what it stands in, then those beside it. The best place has to be better than
each other by a margin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editd.intent.english import FUNCTION_WORDS, is_code_like
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.request_words import NO_SETTINGS
from editd.intent.evidence.values import SaidValue, values_in
from editd.intent.intents import ReplaceNumber, ReplaceText, ReplaceToken, SetByWords
from editd.refactor.amounts import UNITS, bare_value, converted, unit_of
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.entries import is_program
from editd.refactor.exchange_text import is_whole_value, kind_of_place, whole_text, words_of_place
from editd.refactor.set_by_words import (
    are_similar,
    joined_words,
    kind_of_value,
    written_value,
)
from editd.refactor.spots import Spot, comment_beside, spots_of, words_around
from editd.refactor.values import SHELLS
from editd.refactor.word_stems import means, parts_of_names
from editd.syntax.code import Code, read_code

_BEFORE_OLD = re.compile(
    r"(?:\b(?:instead of|rather than|in place of|in lieu of|no longer|and not|but not|not|was|were|from|than|over|replace|swap|exchange|change|turn|used to be|says|reads|where \w+ says)"
    r"(?: (?:the|an?|every|all|any|that|word|words|text|of))*|, not)\s?[`'\"]?$",
    re.IGNORECASE,
)
_BEHIND_OLD = re.compile(
    r"[`'\"]?(?:\s?(?:->|=>|→)|,? (?:that |which |it )?(?:by|with|into|should|must|has to|have to|becomes?|shall|ought|out|to(?= (?:the )?[`'\"\d/#]| \S+[.!]?$))(?!\w))",
    re.IGNORECASE,
)
"""Words behind the old value and before the new one."""
_BLAMED = re.compile(
    r"[`'\"]? (?:is|are|was|were|isn't|isnt|ain't|got|has|have|bounces|looks?|sounds?|collides)(?!\w)",
    re.IGNORECASE,
)
"""Words of blame behind a value that has to go."""
_NOT_ANOTHER = re.compile(
    r"[`'\"]?,? (?:not|instead of|rather than|and not|in place of)\b", re.IGNORECASE
)
_BEFORE_NEW = re.compile(
    r"(?:\b(?:to|by|with|for|into|as|be|becomes?|use|put|write|say|read|make (?:it|that|this)|make|want|wants|have|it's|is now|now|take|go with|go for|pick|set|at|instead|better|try|prefer|say|namely|than just|allow|give|give it|is|are|default|of)"
    r"(?: (?:the|an?|just|only|it|word|at|up to|least|most|be))*|->|=>|→|=|:|,)\s?[`'\"]?$",
    re.IGNORECASE,
)
_BEHIND_NEW = re.compile(
    r"[`'\"]?(?:\W*$|[.,;!?)] |,? (?:instead|rather|in place|not|please|pls|now|from now|is|took|takes|everywhere|in its|will do|it is|by default|in)\b)",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:all|every\w*|throughout|wherever|each|both|any(?:where)?|whole)\b", re.IGNORECASE
)
_OF_SOME = re.compile(
    r"\bonly (?:those|these|the|this|that|its|our)\b|\bor (?:so|not|\d|even|maybe)\b", re.IGNORECASE
)
"""Words for some of the places, or for one of several values."""
_SIGNS = {
    "comma": ",", "semicolon": ";", "tab": "\\t", "pipe": "|", "colon": ":", "dash": "-", "hyphen": "-", "underscore": "_", "slash": "/",
}  # fmt: skip
_SIGN = re.compile(rf"\b(?:an? )?(?P<name>{'|'.join(_SIGNS)})s?\b", re.IGNORECASE)
_MARKED = re.compile(r"\d|\w[-_./]\w")
_WORD = re.compile(r"--?[a-z][\w-]*|[\w$]+(?:[.:@/-]+[\w$]+)*")
_SMALL = FUNCTION_WORDS | frozenset(
    "set change put give go want wants need needs like i we our your my it's don't now please pls get take too bump bit lot thing".split()  # noqa: SIM905
)
"""Words that say nothing about a value."""
_SCHEMES = ("http", "https", "ws", "wss")
_TELLING = 3  # digits of a number that is hardly a part of something else
_PAIR = 2  # quoted texts: an old one and a new one
_SAID = 2  # points of an old text that no other can take the place of
_MARGIN = 1.0
_ENOUGH = 3.5
_DISTINCT = ("url", "email", "host", "path", "version", "image", "colour", "action", "measure")
"""Kinds of values that mean the same wherever they stand."""


def _exchanged(request: KindRequest) -> Iterator[Candidates]:
    """Yield the change that the sentence asks for, if one is better than each other."""
    text = request.text.replace("’", "'")
    if _OF_SOME.search(text):
        return
    values = [*_values_of(text, request)]
    if any(map(_is_switch, values)) and any(map(_is_amount, values)):
        return  # two things are asked for
    quoted = [x for x in values if x.is_quoted]
    if len(quoted) > _PAIR:
        return
    options = _ranked(quoted if len(quoted) == _PAIR else values, values, text, request)
    formed = [x for x in values if x.is_formed]
    is_left = any(_is_amount(x) or x.text not in request.code.text for x in formed)
    if not options and not is_left:
        options = _ranked([*_new_words(text, values, request)], values, text, request)
    first, *others = sorted(options, key=lambda x: -options[x][0]) or [""]
    if not first or options[first][0] < _ENOUGH:
        return
    if any(options[x][0] > options[first][0] - _MARGIN for x in others):
        return
    if _is_of_names(options[first][1], first, request.code):
        return
    known = request.code.text + first
    if all(x.text in known for x in values if x.is_quoted):
        yield Candidates((first,), is_certain=True, reading=options[first][1])


def _is_of_names(reading: str, new: str, code: Code) -> bool:
    """Whether a plain word of English, or a text that is no name, would take the place of names of code: "the log level to debug" of
    ``console.log``.
    """
    words = re.fullmatch(r"replace ([a-z]+) by ([a-z]+)|replace .* by (?![^\W\d]\w*$).*", reading)
    old_names, new_names = (
        [x.text for x in of.tokens_of("name", "member", "argument")]
        for of in (code, read_code(new, code.language))
    )
    return bool(words and code.parses) and old_names != new_names


def _values_of(text: str, request: KindRequest) -> Iterator[SaidValue]:
    """Yield the values of a sentence, the signs that it calls by their names, and the sides of its arrow; a word with digits or signs counts as a
    value by its form.
    """
    for value in (*values_in(text, request.facts), *_sides_of_arrow(text, request)):
        is_formed = value.is_formed or _MARKED.search(value.text) is not None
        yield replace(value, text=value.text.removesuffix("://"), is_formed=is_formed)
    yield from _signs_in(text)


def _ranked(
    candidates: Sequence[SaidValue], values: Sequence[SaidValue], text: str, request: KindRequest
) -> dict[str, tuple[float, str]]:
    """The new texts that the candidates for a new value make, each with how much speaks for it and its reading. values: all of the sentence."""
    ranks = {x: _rank_of_new(x, text, request) for x in candidates}
    is_formed = any(x.is_formed and rank > 0 for x, rank in ranks.items())
    options: dict[str, tuple[float, str]] = {}
    for new, rank in ranks.items():
        if rank > 0 and (new.is_formed or not is_formed):
            for option in _options(new, values, text, request):
                best = options.get(option.text, (0.0, ""))
                options[option.text] = max(best, (rank + option.score, option.reading))
    return options


@dataclass(frozen=True, slots=True)
class _Option:
    """A new text of the buffer. score: how much speaks for it. reading: what the sentence is taken for."""

    text: str
    score: float
    reading: str


def _options(
    new: SaidValue, values: Sequence[SaidValue], text: str, request: KindRequest
) -> Iterator[_Option]:
    """Yield what may become a new value: each value of the buffer that may have it, and each text of the buffer that the sentence says."""
    words = _Words(text, request, new)
    code = request.code
    olds = {x: _rank_of_old(x, new, text) for x in _old_texts(text, values, new, request)}
    needed = [x.text for x, rank in olds.items() if x.is_formed and rank >= _SAID and not x.unit]
    is_of_all = _OF_ALL.search(text) is not None
    spots = [*_spots(new, values, text, code)]
    for spot, _ in spots:
        old = bare_value(spot, code)
        is_said = _says(old, spot, values, text, code)
        if any(x != old for x in needed) or (is_said and words.prefers_another(spot)):
            continue
        is_like = are_similar(new.text, old)
        score = words.score(spot, needs_own=not is_said and not is_like)
        if is_said and not words.names(spot):
            is_quoted = re.search(rf"[`'\"]{re.escape(old)}[`'\"]", text) is not None
            is_name = _is_name(old, code) and not is_quoted
            if is_name or _is_in_comments(old, text, code):
                continue
        if score is not None and words.explains(spot):
            score += 2.5 * is_said + 0.5 * spot.is_setting + 2 * is_like
            together = is_said and (is_of_all or kind_of_value(old) in _DISTINCT)
            spans = [
                (x.start, x.end, y)
                for x, y in spots
                if x is spot or (together and bare_value(x, code) == old)
            ]
            if is_said and is_of_all and len(whole_text(old).findall(code.text)) > len(spans):
                spans = _places_of(SaidValue(old, 0, 0), new, words, text, request)
            yield _Option(with_spans(code.text, spans), score, f"set {old} to {new.text}")
    blocked = {bare_value(x, code) for x, _ in spots if words.prefers_another(x)}
    for old_text, rank in olds.items():
        if old_text.text in blocked or (_is_name(old_text.text, code) and not old_text.is_quoted):
            continue
        reading = f"replace {old_text.text} by {new.text}"
        spans = _places_of(old_text, new, words, text, request) if rank > 0 else []
        lines = " ".join(code.lines[code.text.count("\n", 0, x[0])] for x in spans)
        known = (lines, old_text.text, new.text)
        if any(not any(x.text in y for y in known) for x in values if _is_amount(x)):
            continue  # another number, whose part nobody knows
        around = max((words.score_around(start) for start, _, _ in spans), default=0)
        is_listed = _is_amount(old_text) and new.text in lines  # both stand there
        if spans and not is_listed:
            score = 1 + rank + min(1.5, around / 2)
            yield _Option(with_spans(code.text, spans), score, reading)
        elif rank > 0 and old_text.is_quoted and new.is_quoted:
            intent = ReplaceText(old_text.text, new.text, is_of_one=not is_of_all)
            if found := request.done(intent):
                yield _Option(found.texts[0], 1 + rank, reading)
        if rank > 0 and _is_amount(old_text) and _is_amount(new):
            number = ReplaceNumber(old_text.text, new.text, is_of_one=not is_of_all)
            if found := request.done(number):
                yield _Option(found.texts[0], 1 + rank, reading)
        is_version = kind_of_value(new.text) in ("number", "version") and not _is_amount(old_text)
        token = ReplaceToken(old_text.text, new.text, is_version=True)
        if is_version and (found := request.done(token)):
            yield _Option(found.texts[0], _SAID + 1, f"set {old_text.text} to {new.text}")


def _spots(
    new: SaidValue, values: Sequence[SaidValue], text: str, code: Code
) -> Iterator[tuple[Spot, str]]:
    """Yield each value of the buffer that may have the new one, with this as it is written there."""
    amounts = tuple((x.text, x.unit) for x in values if x is not new and _is_amount(x))
    mentioned = tuple(x for x in _WORD.findall(text) if x != new.text)
    mentioned += tuple(x.text for x in values if x.is_formed and x is not new)
    is_word = not new.is_formed
    intent = SetByWords(new.text, (), mentioned, new.unit, amounts, new.is_quoted, is_word, 1, text)
    operator = re.search(r"[\^~]$", text[: new.start])
    for spot in spots_of(code):
        if new.unit in UNITS and _is_in_another_unit(new.unit, spot, code):
            continue
        written = written_value(intent, spot, code)
        old = bare_value(spot, code)
        if written is None or (new.text in _SCHEMES and kind_of_value(old) != "url"):
            continue
        if operator and operator[0] not in written:
            written = written.replace(new.text, operator[0] + new.text)
        is_left = any(
            not (x.text in old or x.text in new.text or x.unit) for x in values if _is_amount(x)
        )
        if written != code.text[spot.start : spot.end] and not is_left:
            yield spot, written


def _is_in_another_unit(unit: str, spot: Spot, code: Code) -> bool:
    """Whether the comment beside a value says another unit of time."""
    words = re.findall(r"[a-z]{2,}", comment_beside(spot.start, code))
    units = {UNITS[x] for x in words if x in UNITS}
    return bool(units) and UNITS[unit] not in units


def _is_amount(value: SaidValue) -> bool:
    """Whether a value is a number that is not quoted."""
    return value.is_formed and not value.is_quoted and re.match(r"-?\d", value.text) is not None


def _is_switch(value: SaidValue) -> bool:
    """Whether a value is that of a switch, which a sentence turns on or off."""
    return value.text in ("true", "false") and not value.is_formed


def _says(old: str, spot: Spot, values: Sequence[SaidValue], text: str, code: Code) -> bool:
    """Whether a sentence has the present value, as a whole: of an amount of time in a unit that the value may have."""
    unit = unit_of(spot, code)
    for value in values:
        if value.text + value.unit == old or (value.text == old and value.unit not in UNITS):
            return True
        if value.unit in UNITS and unit and converted(value.text, UNITS[value.unit], unit) == old:
            return True
    is_telling = len(old) > 1 and not old.isdigit() and old.lower() not in _SMALL
    return is_telling and whole_text(old).search(text) is not None


class _Words:
    """The words of a sentence that may speak for a value, with how much each counts: the rarer in the buffer, the more."""

    def __init__(self, text: str, request: KindRequest, new: SaidValue) -> None:
        self._code = request.code
        self._names = {x for x in _WORD.findall(text) if x != new.text}
        self._known = {
            x
            for x in request.facts.nameable
            if is_code_like(x) or (len(x) == 1 and x not in "aAiI")
        }
        asking = " ".join(x.text for x in cut_sentence(text) if new.text in x.text) or text
        requested = {*_parts(asking)}
        others = {*_parts(text)} - requested
        own = {*parts_of_names(new.text)}
        spots = spots_of(request.code)
        self._parts = [*_parts(text)]
        self._weights = {
            word: (0.6 if word in others else 1.0)
            / (1 + 0.25 * max(0, sum(means(word, x.own) for x in spots) - 1))
            for word in requested | others
            if word not in own
        }

    def score(self, spot: Spot, *, needs_own: bool) -> float | None:
        """How much the words speak for a value: by its own name or text, then by what it stands in, then by what stands beside it. ``None`` if
        none is of its name or text, and one has to be.
        """
        joined = joined_words(self._parts, spot.own)
        old = bare_value(spot, self._code)
        text = {*parts_of_names(old)}
        is_address = kind_of_value(old) in ("email", "host", "url")
        around = words_around(spot, self._code)
        score, has_own, num_of_text = 0.0, False, 0
        for word, weight in self._weights.items():
            if word in joined or means(word, spot.own):
                score += 2 * weight
                has_own = True
            elif means(word, spot.outer):
                score += weight
            elif means(word, text):
                score += 1.5 if is_address else weight
                num_of_text += 1
            elif word in spot.near or means(word, around):
                score += 0.7 * weight
        score += 2 * len({x for x in self._names & spot.names if is_code_like(x)})
        has_own |= num_of_text > len(text) / 2  # of a longer text more words than one
        return score if has_own or not needs_own else None

    def names(self, spot: Spot) -> bool:
        """Whether a word is one of a value's own name."""
        return any(means(word, spot.own) for word in self._weights)

    def explains(self, spot: Spot) -> bool:
        """Whether each name in the spelling of code that the sentence has is of the value, or of what it stands in."""
        near = spot.own | spot.outer
        return all(
            x in spot.names or {*parts_of_names(x)} <= near for x in self._names & self._known
        )

    def prefers_another(self, spot: Spot) -> bool:
        """Whether a value of that name that is less deep has another value, and no word speaks for the deeper one."""
        old = bare_value(spot, self._code)
        others = [x for x in spots_of(self._code) if spot.own and x.own == spot.own]
        return any(
            x.outer < spot.outer
            and bare_value(x, self._code) != old
            and not any(means(word, spot.outer - x.outer) for word in self._weights)
            for x in others
        )

    def score_around(self, start: int) -> float:
        """How much the words speak for a place in a text, by its line and what is around it."""
        near = words_of_place(start, self._code)
        return sum(weight for word, weight in self._weights.items() if means(word, near))


def _parts(text: str) -> Iterator[str]:
    """Yield the words of a text and of the names in it that may say something, in lower case."""
    for word in _WORD.findall(text):
        if word.lower() not in _SMALL:
            yield from (x for x in parts_of_names(word) if x not in _SMALL)


def _signs_in(text: str) -> Iterator[SaidValue]:
    """Yield the signs that a sentence calls by their names."""
    for at in _SIGN.finditer(text):
        yield SaidValue(_SIGNS[at["name"].lower()], *at.span(), is_quoted=True, is_formed=True)


def _sides_of_arrow(text: str, request: KindRequest) -> Iterator[SaidValue]:
    """Yield the two sides of an arrow if the buffer has the first, as it is, as a text of several words."""
    sides = re.fullmatch(
        r"\s*(?P<old>\S+(?: \S+)+?) ?(?:->|=>|→) ?(?P<new>[^,;]+?)(?: (?:in|for|on|at|of|everywhere|please|pls|instead)\b.*)?[.!]?\s*",
        text,
    )
    if sides and sides["old"] in request.code.text:
        for side in ("old", "new"):
            yield SaidValue(sides[side], *sides.span(side), is_quoted=True, is_formed=True)


def _new_words(text: str, values: Sequence[SaidValue], request: KindRequest) -> Iterator[SaidValue]:
    """Yield the words that the buffer lacks and that say something."""
    known = request.code.text.lower()
    for at in _WORD.finditer(text):
        low = at[0].lower()
        is_free = not any(x.start <= at.start() < x.end for x in values)
        if is_free and low not in known and low not in FILLER | NO_SETTINGS:
            yield SaidValue(at[0], *at.span(), is_formed=low in _SCHEMES)


def _rank_of_new(value: SaidValue, text: str, request: KindRequest) -> float:
    """How much speaks for a value of the sentence as the new one, by what stands around it and whether the buffer lacks it; 0 for an old one."""
    before, after = text[: value.start], text[value.end :]
    if value.is_quoted and value.text in request.facts.nameable:
        return 0
    if _is_switch(value):
        return 1
    if not value.is_formed and re.match(r" (?:from|by)\b", after):
        return 0  # "to inherit from"
    is_led = _BEFORE_NEW.search(before) is not None
    is_followed = _BEHIND_NEW.match(after) is not None
    is_old = _BEFORE_OLD.search(before) is not None and not _NOT_ANOTHER.match(after)
    is_known = whole_text(value.text).search(request.code.text) is not None
    is_blamed = is_known and _BLAMED.match(after) is not None
    is_old |= not is_led and (is_blamed or _BEHIND_OLD.match(after) is not None)
    is_known_address = is_known and kind_of_value(value.text) in _DISTINCT
    rank = 1 + is_led + is_followed - 2 * is_old - 0.5 * is_known - is_known_address
    return rank - (not value.is_formed)


def _is_name(old: str, code: Code) -> bool:
    """Whether a program defines a name that is called like an old text."""
    return any(x.text == old for x in code.tokens_of("name")) and is_program(code)


def _is_in_comments(old: str, text: str, code: Code) -> bool:
    """Whether a plain word that a sentence has without quotes stands in comments, too."""
    is_plain = re.fullmatch(r"[a-z]+", old) is not None and not re.search(rf"[`'\"]{old}", text)
    comments = code.tokens_of("comment", "docstring") if is_plain else ()
    return any(whole_text(old).search(x.text) for x in comments)


def _old_texts(
    text: str, values: Sequence[SaidValue], new: SaidValue, request: KindRequest
) -> Iterator[SaidValue]:
    """Yield the texts of a sentence that the buffer has, other than the new value."""
    formed = [x for x in values if x.is_formed and x is not new]
    yield from (x for x in formed if x.text in request.code.text)
    for at in _WORD.finditer(text):
        is_free = not any(x.start <= at.start() < x.end for x in (*formed, new))
        if is_free and at[0].lower() not in _SMALL and at[0] in request.code.text:
            yield SaidValue(at[0], *at.span())


def _rank_of_old(value: SaidValue, new: SaidValue, text: str) -> float:
    """How much speaks for a text as the old one, by what stands around it and its form."""
    is_led = _BEFORE_OLD.search(text[: value.start]) is not None
    after = text[value.end :]
    is_followed = _BEHIND_OLD.match(after) is not None
    is_verb = re.search(r"(?:^|[,;:.!] )(?:please )?$", text[: value.start]) is not None
    if is_verb and not value.is_formed and re.match(r" (?:to|by|with|into)\b", after):
        return 0
    if value.is_formed or value.text[:1].isupper():
        is_followed |= _BLAMED.match(after) is not None
    kinds = _kind_of(value.text), _kind_of(new.text)
    is_part = value.text in new.text and len(value.text) > 2 and not _is_amount(value)
    if not (is_led or is_followed or is_part or (value.is_formed and kinds[0] == kinds[1])):
        return 0
    if (kinds[1] in ("number", "version") and kinds[0] != kinds[1]) or value.unit in UNITS:
        return 0
    is_like = (
        kinds[0] == kinds[1]
        or {*kinds} == {"word", "host"}
        or value.is_quoted == new.is_quoted is True
    )
    rank = is_led + is_followed + value.is_formed + is_part
    return rank + is_like - 0.5 * (not is_like)


def _kind_of(text: str) -> str:
    """The kind of a value by its form; an address of four numbers is that of a host."""
    return "host" if re.fullmatch(r"\d+(?:\.\d+){3}", text) else kind_of_value(text)


def _places_of(
    old: SaidValue, new: SaidValue, words: _Words, text: str, request: KindRequest
) -> list[tuple[int, int, str]]:
    """The spans of an old text that change: all if the sentence says so, or its kind means the same wherever it stands; else the one that the
    words speak for most. Empty where code has it, or that is not clear.
    """
    code = request.code
    if not old.text.strip() or re.search(r"[\\\"'`\n{}]", old.text + new.text):
        return []
    found = {
        x.span(): kind_of_place(x.span(), code) for x in whole_text(old.text).finditer(code.text)
    }
    is_of_all = _OF_ALL.search(text) is not None
    places = [x for x, kind in found.items() if kind in ("string", "value", "member")]
    if is_of_all:
        is_data = not is_program(code) or code.language in SHELLS
        places = [x for x, kind in found.items() if is_data or kind != "code"]
    is_text = old.is_quoted and new.is_quoted
    is_plain = kind_of_value(old.text) == "word" and not (is_text or is_of_all)
    if is_plain and {"comment", "docstring"} & {*found.values()}:
        return []
    whole = [x for x in places if is_whole_value(x, code)]
    if is_text and whole and not is_of_all:
        places = whole
    is_telling = old.text.isdigit() and len(old.text) >= _TELLING
    is_distinct = _kind_of(old.text) in _DISTINCT or is_text or is_telling
    if len(places) > 1 and not (is_of_all or is_distinct):
        scores = sorted(((words.score_around(x[0]), x) for x in places), reverse=True)
        places = [scores[0][1]] if scores[0][0] >= scores[1][0] + _MARGIN else []
    return [(*x, new.text) for x in places]


READERS: dict[str, Reader] = {"replace": _exchanged, "set_value": _exchanged}
"""The readers of these kinds of edits: which of both it is, the buffer shows."""
