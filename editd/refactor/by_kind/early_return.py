"""Early returns: the ``if`` that the words describe best, of the function that is named, turned around.

What is returned, raised or done first has to be what the words say, and the condition of that must not be the contrary of theirs. A
condition that names other things of the function, or a value that no such ``if`` gives, is a guard that the code does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editd.intent.evidence.early_return_cue import code_in, early_return_of
from editd.intent.evidence.filler import FILLER, content_words
from editd.intent.evidence.whole_requests import functions_in
from editd.intent.intents import ReturnEarly
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.by_kind.sentence import functions_of, sentence_of
from editd.refactor.candidates import Candidates
from editd.refactor.condition_words import is_code_of, is_contrary, names_others, own_words
from editd.refactor.return_early import num_nested, turned_ifs, with_turned_if
from editd.refactor.turned_if import TurnedIf, leaves

_CONDITION = re.compile(
    r"(?<!\bthe )(?<!\ban )(?<!\ba )(?<!\bnested )(?<!\bbig )(?<!\bone )\b(?P<word>if|when(?:ever)?|unless|(?<!at )once|in case(?: of)?|without|for|on|while)\b(?!-|/| (?:in|of|around|block|statement|check|so|me|us|guard|early|(?:any |the |an? )?(?:else|nest\w*|indent\w*))\b)"
    r"(?P<phrase>[^,;:→?!()`]+?)(?=$|[,;:→?!()`]|\. |\.$| ?->| ?=>| (?:and (?:then|return|bail|raise|throw|continue|print|keep|lose|drop|flatten|have|un\w+|de\w+|un-\w+|de-\w+|the (?:rest|remain\w*|other)|everything|what)|then|instead|rather|so|than|return|returns|early|first|right away|straight away|at once|at the (?:top|start|beginning)|with [\w.]+\()(?!\w))"
    r"|(?:^|[,;:(→] ?|-> )(?P<bare>(?:no|not|missing|empty) [^,;:→)]+?)(?=$|[,;:)→]| ?->)",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"\b(?:and|or)\b(?! (?:above|below|over|under|more|less|equal))", re.IGNORECASE
)
_CHECK = re.compile(
    r"\b(?:invert|flip|turn|negate|reverse) (?:the |that )(?P<words>\w+) (?:check|test|condition|if)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no|not|none|null|nil|empty|missing|without|un\w+|in\w+|fail\w*|bad|!)|[=!<>]",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\b(?:twice|both|same (?:for|with|thing)|also|each|every)\b", re.IGNORECASE)
_LEADS = {"unless": "not", "without": "no"}
_OF_AN_IF = re.compile(
    r"nest|dent|structur|\belse\b|\bwrap|flat|invert|\bflip|\bturn|around|\b(?:the|an|one|big|this|that|each|every) if\b|happy path|\bblock\b|\blevel|\brest\b|instead of|rather|\bcheck\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(?:in|of|inside) (\w+)(?:\(\))?(?!\w)|^(\w+)(?:\(\))?(?=:)")
_LITERAL = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?|\"[^\"]*\"|'[^'\w]*'|'\w[^']*'(?!\w))(?!\w)")


def _return_early(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with the turned ``if`` of the function that the sentence names, or the only one that its words describe."""
    text = sentence_of(request)
    facts = request.facts
    places = functions_in(text, facts) or functions_of(text, facts)
    if not places and _names_unknown(text, request):
        return
    found: dict[str, Candidates] = {}
    for place in places or ("",):
        if made := _in_place(place, text, request):
            found[made.texts[0]] = made
    if len(found) == 1:
        yield from found.values()


def _names_unknown(text: str, request: KindRequest) -> bool:
    """Whether the text names a place that the buffer does not have."""
    named = (x[1] or x[2] for x in _PLACE.finditer(text))
    return any(x.lower() not in request.facts.words | FILLER for x in named)


def _in_place(place: str, text: str, request: KindRequest) -> Candidates | None:
    """The text with the turned ``if`` of a function, of any if it is empty; ``None`` if none or several fit."""
    intent = early_return_of(text, (), (place,) if place else (), request.facts)
    if intent is None:
        return None
    intent = replace(intent, name=place)
    nested = ReturnEarly(name=place, in_loop=intent.in_loop, is_nested=True)
    if intent.is_nested and place:
        return request.done(nested)
    cited = code_in(text, (place,))
    fitting = [
        x
        for x in _turns(intent, request)
        if intent.value in x.first[-1]
        and _has_literals(text, x, intent, cited)
        and not _is_another(text, x, request)
        and (is_code_of(cited, x) if cited else _fits(text, x, request))
    ]
    if not place or len(fitting) > 1:
        fits = {x: len(own_words(text, x, request.code)) for x in fitting}
        most = max(fits.values(), default=0)
        fitting = [x for x in fitting if most and fits[x] == most]
    if len(fitting) != 1:
        return None
    [turn] = fitting
    is_of_several = _AGAIN.search(text) or _JOINED.search(" ".join(_conditions(text)))
    if is_of_several and num_nested(turn.start, request.code) > 1:
        return request.done(nested) if place else None
    return with_turned_if(turn, request.code, done=intent.done)


def _turns(intent: ReturnEarly, request: KindRequest) -> Sequence[TurnedIf]:
    """The ``if`` that can be turned around at the end of the functions, else those at the end of their loops."""
    described = replace(intent, described="any")
    in_loop = replace(described, in_loop=True)
    return [*turned_ifs(described, request.code)] or [*turned_ifs(in_loop, request.code)]


def _is_another(text: str, turn: TurnedIf, request: KindRequest) -> bool:
    """Whether the text names another check than that of an ``if``, says before an arrow what has to hold, or says nothing of the condition
    of an ``if`` with two ways that return or with an ``else``.
    """
    named = (x["words"] for x in _CHECK.finditer(text))
    if any(not own_words(x, turn, request.code) for x in named):
        return True
    before, arrow, _ = re.sub(r"→|=>", "->", text).rpartition("->")
    words = {*content_words(before)} - {*request.functions}
    if arrow and words and not _DENIES.search(before):
        return True
    if own_words(text, turn, request.code) or re.search(r"\belse\b", text, re.IGNORECASE):
        return False
    lines = [x.strip(" }") for x in request.code.lines[turn.start : turn.end]]
    has_else = any(x.startswith("else") for x in lines)
    return has_else or (len(turn.body) == 1 and leaves(turn.body[0].strip()))


def _has_literals(text: str, turn: TurnedIf, intent: ReturnEarly, cited: str) -> bool:
    """Whether each number and quoted text of the sentence stands in the ``if`` or in what comes first, but for the ``cited`` condition."""
    code = re.sub(r"['\"`]", '"', "\n".join((turn.test, *turn.first, intent.done)))
    return all(
        re.sub(r"['\"`]", '"', x) in code or (cited and cited in x) for x in _LITERAL.findall(text)
    )


def _fits(text: str, turn: TurnedIf, request: KindRequest) -> bool:
    """Whether an ``if`` may be what the words for conditions describe: one has words of it or speaks of an ``if`` that is there, none
    says the contrary.
    """
    conditions = _conditions(text)
    if not conditions:
        return True
    is_about = [x for x in conditions if own_words(x, turn, request.code)]
    if not is_about and not _OF_AN_IF.search(text):
        return False
    if any(names_others(x, turn, request.code) for x in conditions) and not is_about:
        return False
    parts = [part for x in is_about for part in _JOINED.split(x)]
    is_one = num_nested(turn.start, request.code) == 1
    if is_one and not all(own_words(x, turn, request.code) for x in parts):
        return False
    return not any(is_contrary(x, turn, request.code) for x in is_about or conditions)


def _conditions(text: str) -> list[str]:
    """The words for conditions in a text."""
    return [
        f"{_LEADS.get((x['word'] or '').lower(), '')} {x['phrase'] or x['bare']}"
        for x in _CONDITION.finditer(text)
    ]


READERS: dict[str, Reader] = {"early_return": _return_early}
"""The reader of early returns."""
