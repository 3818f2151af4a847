"""Evidence for edits that name no text: which kind is a cue, where is a definition that the buffer has, and the rest may say why.

"take_damage: return first thing if already dead, then flatten the rest" needs no more: one function, one ``if`` that can be turned.
Words of the request that nothing explains describe the places that are meant, so the code there has to have them. What narrows such
an edit otherwise ("except", "only") leaves it unread. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from editd.intent.clause import Remark
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.counting import count_in, is_of_one, is_of_several
from editd.intent.evidence.cue import Cue, Words, pattern
from editd.intent.evidence.cues import CUES
from editd.intent.evidence.filler import FILLER, content_words
from editd.intent.evidence.import_cues import REMOVE_UNUSED_IMPORTS
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.masking import blanked, masked_quotes
from editd.intent.evidence.narrowing import (
    has_condition,
    is_narrowed,
    leaves_others,
    narrows_as_reason,
)
from editd.intent.evidence.quoting import with_citations_quoted
from editd.intent.evidence.request_clauses import RequestClause, cut_sentence
from editd.intent.evidence.whole_requests import says_nothing_new
from editd.intent.intents import ChangeQuotes, Intent, Several, SomePlaces, UseWithOpen
from editd.intent.restrictions import narrow, narrowing_names

_SECOND_EDIT = pattern(
    r"""(?:^|\b(?:and|then|also|please|just|to|you|we|should|must)_)(?:also_|then_|please_|just_|to_)*(?:rename|delete|remove|drop|kill|add|insert|append|annotate|type|document|log|wrap|catch|extract
    |inline|move|merge|split|comment|replace|raise|throw|translate|speed_up|cache|test|simplify|make_(?!it_an?_|them_)(?:it|them|\w+)_\w+(?:er|able|c|ized)?)\b"""
)
_ASKS = pattern(
    r"""\b(?:use|using|make|turn|convert|change|switch|replace|rewrite|put|let|go_with|get|take|fix|move|bring|prefer|rather|want|like|should|must|could|can|needs?|please|pls|(?<!has_)(?<!have_)(?<!is_)(?<!are_)no|remove|delete|drop|kill
    |strip|clean|sort_the|order_the|out|away|instead|not|become|becomes?)\b|->|=>|→"""
)
_ALL_OF = re.compile(
    r"\b(?:all|every|any|each)\b[^,;]*?\b(?:from|in|inside|within|of) (?:the |this |our )?(?P<place>\w+)",
    re.IGNORECASE,
)
_REPLACES = re.compile(r"^\W*(?:please )?replace\b", re.IGNORECASE)
_FAILS = re.compile(
    r"\b(?:if|when|once|in case) [\w.]+(?:\(\))? (?:fails|throws|raises|crashes|dies|blows up|breaks|explodes)\b",
    re.IGNORECASE,
)
_SAYS_IMPORT = re.compile(r"\b(?:import|require|include|using|module|F401)", re.IGNORECASE)
_SEVERAL = 2
_QUOTED_WITH = re.compile(r"[`'\"](with open\b[^`'\"]*)[`'\"]")
_CONDITION_CODE = re.compile(r"\b(?:if|while) \((?:[^()]|\([^()]*\))+\)|`if [^`]*`")
_ONLY_THE = re.compile(r"\bonly the\b", re.IGNORECASE)
_PLACE = re.compile(
    r" ?(?:in|of|for|about|with|from|at|on|saying|that (?:says|prints))\b", re.IGNORECASE
)
_ATTRIBUTION = pattern(
    r"\bit('s|_is|_would_(be|look)|'d_be)_\w+_if\b|\b(?:in_\w+_)?(?:they|he|she|people|everybody|everyone)_(?:always_|often_|keep_)?(?:tell|tells|telling|told)_(?:me|us)_(?:that_)?|\b(?:(?:our|my|the|his|her)_\w+|he|she|they|everybody|everyone|\w+)_(?:says?|said|told_(?:me|us)|wants?|thinks?|insists?|asks?|asked|complains?)_(?:that_)?(?:(?:we|i|you)_(?:must|should|have_to|need_to)_)?"
)
_STAYS = re.compile(
    r"\b(?:and|but|please|leave|keep|don't touch|do not touch|(?:can|could|must|should|shall|may|has to|have to|of course|still) |stays?|remains?|untouched|alone|as (?:it )?is|as they are|(?:is|are) (?:fine|ok|okay|good|needed)|(?:we|i) (?:still )?need)\b",
    re.IGNORECASE,
)
"""Words that say that something stays."""
_OF_KIND = re.compile(r"\b(?:ones?|others?|rest)\b", re.IGNORECASE)


def read_whole(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the one edit for which a cue of ``text`` speaks, at each definition that it names; nothing if no or several cues do,
    a word narrows it, a second edit is asked for, or words of the request are explained by nothing and describe no place.
    """
    text = with_citations_quoted(_QUOTED_WITH.sub(r"\1", text.replace("’", "'")), facts)
    masked = masked_quotes(text)
    cue = _only_cue(masked)
    if cue is None:
        return
    clauses = cut_sentence(masked)
    sparing = [x for x in clauses if _spares(x, cue)]
    clauses = tuple(x for x in clauses if x not in sparing)
    each = [(x, _spared_by(x, cue, text[x.start : x.end], facts)) for x in sparing]
    spared = tuple(group for x, group in each if group and _is_of_kind(x, cue))
    is_of_some = any(_is_of_kind(x, cue) or not group for x, group in each)
    is_of_some |= bool(cue.nouns and _ONLY_THE.search(masked))
    if any(_is_exception(x, cue, masked, facts) for x in clauses):
        return
    request = _asked_by(clauses, cue, masked, text, facts, leaves_some=is_of_some)
    if request is None:
        return
    request = replace(request, spared=spared)
    reads_all = cue.is_of_block and all(
        _is_request(x, cue, masked) or facts.places_in(f"{text[x.start : x.end]}:") for x in clauses
    )
    yield from _interpreted(cue, request, facts, reads_all=reads_all)
    names = [
        x
        for x in " ".join(request.words).split()
        if x in facts.definitions and x not in request.places
    ]
    if len(names) == 1:  # "the plot title"
        words = (" ".join(w for w in x.split() if w not in names) for x in request.words)
        places = (*request.places, *names)
        yield from _interpreted(
            cue, replace(request, words=tuple(x for x in words if x), places=places), facts
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """The clauses that ask for an edit, without the reasons.

    text: with its quoted texts masked. original: without that. words: those that nothing explains, which describe places. places: the definitions that are named. leaves_some: others than what
    is described are to stay. spared: of each thing that is said to stay, the words. hints: words of reasons, which choose where nothing else does.
    """

    text: str
    original: str
    words: tuple[str, ...]
    places: tuple[str, ...]
    leaves_some: bool = False
    spared: tuple[Words, ...] = ()
    hints: Words = ()


def _spares(clause: RequestClause, cue: Cue) -> bool:
    """Whether a clause says that something stays; with "but" only something of the cue's kind."""
    is_sparing = bool(cue.nouns) and leaves_others(clause.text) and not cue.asks(clause.text)
    return is_sparing and (
        _is_of_kind(clause, cue) or not re.match("but", clause.text, re.IGNORECASE)
    )


def _is_of_kind(clause: RequestClause, cue: Cue) -> bool:
    """Whether a clause speaks of a thing that the cue's edit changes."""
    nouns = rf"\b(?:{cue.nouns})s?(?!\w)"
    return bool(_OF_KIND.search(clause.text) or re.search(nouns, clause.text, re.IGNORECASE))


def _spared_by(clause: RequestClause, cue: Cue, original: str, facts: BufferFacts) -> Words:
    """The words for the thing that a clause says to stay; empty for "the others"."""
    rest = blanked(_STAYS, blanked(cue.about, blanked(cue.says, clause.text)))
    words = " ".join(_words_of(_OF_KIND.sub(" ", rest), original, facts)).split()
    places = facts.places_in(original)
    return tuple(dict.fromkeys((*places, *words)))


def _asked_by(
    clauses: tuple[RequestClause, ...],
    cue: Cue,
    masked: str,
    text: str,
    facts: BufferFacts,
    *,
    leaves_some: bool,
) -> _Asked | None:
    """The clauses that ask; ``None`` if one asks for a second edit, or has a condition. leaves_some: other clauses say that something
    else is to stay.
    """
    places = _places_in(clauses, cue, masked, text, facts)
    asking: list[str] = []
    words: list[str] = []
    hints: list[str] = []
    is_said = any(_ASKS.search(x.text) and _is_request(x, cue, masked) for x in clauses)
    for clause in clauses:
        rest = blanked(_ATTRIBUTION, cue.without_act(clause.text))
        rest = blanked(_any_of(places), blanked(cue.harmless, rest))
        rest = blanked(cue.about, blanked(cue.says, rest))
        bare = says_nothing_new(rest, facts) if cue.is_of_block and places else rest
        own = _words_of(bare, text[clause.start : clause.end], facts)
        if _SECOND_EDIT.search(
            _REPLACES.sub("", rest) if _is_request(clause, cue, masked) else rest
        ):
            return None
        if not _is_request(clause, cue, masked):
            is_failure = cue.is_of_block and _FAILS.search(clause.text)
            may_narrow = not (leaves_some and places) and not is_failure
            if asking and may_narrow and _may_narrow(clause, cue, places, facts):
                return None
            if own and all(x in facts.imports for x in own) and not cue.nouns:
                words += own  # "unused: Platform, User"
                continue
            is_label = re.match(r"\s?:", masked[clause.end :]) and (
                "¤" in rest or (cue.nouns and own and facts.has_words(own[0]))
            )
            words += own if is_label else _words_of_objects(clause, cue, text, facts)
            hints += [] if is_label else [x for group in own for x in group.split()]
            asking += [] if own else [clause.text]
            continue
        is_reason = is_said and not _ASKS.search(clause.text)
        if has_condition(rest) and not is_reason and not cue.has_conditions:
            return None
        asking.append(clause.text)
        if is_reason:
            own = _words_of(_subject(rest, clause, cue), text[clause.start : clause.end], facts)
            own = [x for x in own if facts.has_words(x)]
        words += own
    original = ""
    for x in clauses:
        if x.text in asking:
            joint = " → " if x.mark in ("->", "=>", "→") else "; "
            original += f"{joint if original else ''}{text[x.start : x.end]}"
    return _Asked(
        "; ".join(asking), original, tuple(words), places, leaves_some, hints=tuple(hints)
    )


def _places_in(
    clauses: tuple[RequestClause, ...], cue: Cue, masked: str, text: str, facts: BufferFacts
) -> tuple[str, ...]:
    """The definitions that a request names, but for those of remarks behind it."""
    parts = []
    is_begun = False
    for x in clauses:
        is_request = _is_request(x, cue, masked)
        is_begun |= is_request
        if is_request or not is_begun or _ASKS.search(x.text):
            own = _CONDITION_CODE.sub(" ", text[x.start : x.end])
            parts.append(own + (":" if masked[x.end : x.end + 1] == ":" else ";"))
    return facts.places_in(" ".join(parts))


def _is_exception(clause: RequestClause, cue: Cue, masked: str, facts: BufferFacts) -> bool:
    """Whether a clause narrows a request, or is a question that is no polite request; a word of the buffer before a noun of the cue narrows
    nothing ("the skip message").
    """
    end = masked[clause.end : clause.end + 1] if clause.end == len(masked.rstrip(" ?)")) else ""
    bare = blanked(cue.harmless, clause.text + end.strip())
    bare = _ONLY_THE.sub("the", bare) if cue.nouns else bare
    if cue.nouns:
        named = rf"\b(?:the|that|this) (?P<word>[\w-]+)(?= (?:{cue.nouns})\b)"
        bare = re.sub(
            named,
            lambda x: "the" if facts.has_words(x["word"]) else x[0],
            bare,
            flags=re.IGNORECASE,
        )
    if _is_request(clause, cue, masked) or _ASKS.search(clause.text) or cue.deletes:
        return is_narrowed(bare)
    return narrows_as_reason(bare)


def _may_narrow(
    clause: RequestClause, cue: Cue, places: tuple[str, ...], facts: BufferFacts
) -> bool:
    """Whether a remark behind a request names a definition that the request has not, or, where something is deleted, narrows it as
    ``restrictions`` knows it.
    """
    remark = Remark(clause.text)
    names = narrowing_names([remark], places) & facts.definitions
    is_asking = _ASKS.search(clause.text) is not None
    return bool(names and not is_asking) or (cue.deletes and narrow([remark], places))


def _subject(rest: str, clause: RequestClause, cue: Cue) -> str:
    """The rest of a clause up to the thing that a statement is about: all of it, if none of the cue's nouns is its subject."""
    found = cue.nouns and re.search(
        rf"\b(?:{cue.nouns})(?:!?s|\([^()]*\))?(?!\w)", clause.text, re.IGNORECASE
    )
    if not found or _PLACE.match(clause.text, found.end()):
        return rest
    return rest[: found.end()]


def _interpreted(
    cue: Cue, request: _Asked, facts: BufferFacts, *, reads_all: bool = False
) -> Iterator[Interpretation]:
    """Yield the cue's edit at these places, limited to what the words describe; nothing if it is none after all. reads_all: each clause is a part
    of the request.
    """
    asked_for = request.original if cue.has_conditions else request.text
    intent = cue.makes(asked_for, request.words, request.places, facts)
    chosen = _described(intent, cue, request, facts) if intent and cue.nouns else None
    if intent is None or (cue.nouns and chosen is None):
        return
    each = tuple(replace(intent, location=place) for place in request.places)
    whole: Intent = Several(each) if len(each) > 1 else each[0] if each else intent
    if chosen:
        whole = replace(chosen, intent=whole)
    where = f" in {' and '.join(request.places)}" if request.places else ""
    yield Interpretation(whole, cue.words + where, reads_all)
    if isinstance(intent, UseWithOpen) and intent.name and len(request.places) < _SEVERAL:
        described = replace(intent, name="", location="".join(request.places))
        yield Interpretation(
            replace(chosen, intent=described) if chosen else described, cue.words + where
        )


def _only_cue(masked: str) -> Cue | None:
    """The cue that speaks for an edit; ``None`` if none or several do."""
    speaking = [
        cue
        for cue in CUES
        if cue.speaks_in(masked) and not (cue.against and cue.against.search(masked))
    ]
    if len(speaking) > 1 and not _SAYS_IMPORT.search(masked):
        speaking = [x for x in speaking if x is not REMOVE_UNUSED_IMPORTS]
    return speaking[0] if len(speaking) == 1 else None


def _is_request(clause: RequestClause, cue: Cue, masked: str) -> bool:
    """Whether a word of the cue stands in a clause of a sentence, whose quotes are masked; whether it asks that the cue's things go; or a
    label or the left of an arrow.
    """
    if cue.asks(clause.text):
        return True
    for found in _matches(cue.says, masked):
        gaps = sorted(found.span(n) for n in range(1, cue.says.groups + 1) if found.start(n) >= 0)
        borders = [found.start(), *(at for gap in gaps for at in gap), found.end()]
        for start, end in zip(borders[::2], borders[1::2], strict=True):
            if start < clause.end and clause.start < end:
                return True
    return bool(re.match(r"\s?(?:->|=>|→)", masked[clause.end :]))


def _matches(pattern_: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern, also those that begin inside another."""
    at = 0
    while found := pattern_.search(text, at):
        yield found
        at = found.start() + 1


def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for one of the names, and for nothing without any."""
    each = "|".join(re.escape(name).replace(r"\.", r"(?:\.|::|#)") for name in names)
    return re.compile(rf"(?<!\w)(?:{each})(?:\(\))?(?!\w)" if names else r"(?!)")


def _words_of(rest: str, text: str, facts: BufferFacts) -> list[str]:
    """The words of the rest of a clause that are no filler, and its quoted texts as they stand in ``text``."""
    quoted = [
        text[x.start() : x.end()]
        for x in re.finditer(r"(?<!\w)[\"'`“„](?P<inside>¤+|\w+)[\"'`”“]", rest)
        if "¤" in x["inside"] or x["inside"].lower() in FILLER
    ]
    groups = re.split(r"\band\b|&|/", rest)
    return [
        " ".join(words)
        for group in groups
        if (words := [*content_words(group, facts.names | facts.imports.keys())])
    ] + quoted


def _words_of_objects(clause: RequestClause, cue: Cue, text: str, facts: BufferFacts) -> list[str]:
    """The words that describe a thing of the cue's kind in a clause that gives a reason: "dup" of "the dup message is too long"."""
    if not cue.nouns:
        return []
    found = re.finditer(
        rf"\b(?:the|this|that) (?P<words>(?:[^\s,.:;]+ ){{1,4}}?)(?:{cue.nouns})\b",
        clause.text,
        re.IGNORECASE,
    )
    return [
        word
        for x in found
        for word in _words_of(
            blanked(cue.about, blanked(cue.says, x["words"])),
            text[clause.start + x.start("words") : clause.start + x.end("words")],
            facts,
        )
    ]


def _described(intent: Intent, cue: Cue, request: _Asked, facts: BufferFacts) -> SomePlaces | None:
    """The places that the words of a request describe; ``None`` if several numbers are named, or others are to stay and nothing says
    which.
    """
    text, words, hints = request.text, request.words, request.hints
    is_named = isinstance(intent, ChangeQuotes) and bool(intent.names)
    if is_named:
        words = ()
    elif cue.has_plain_nouns:
        nouns = re.compile(rf"(?:{cue.nouns})", re.IGNORECASE)
        plain = [x for group in words for x in group.split() if nouns.fullmatch(x)]
        groups = (" ".join(x for x in group.split() if x not in plain) for group in words)
        others = tuple(x for x in groups if x)
        if others or request.places:  # which say where it is
            words, hints = others, (*plain, *hints)
        elif plain:
            words = (" ".join(filter(facts.has_words, plain)) or " ".join(plain),)
    count = count_in(text)
    choosing = tuple(cue.choosing.findall(text))
    is_plural = is_of_several(text, cue.nouns) or any(re.search(r"[^s]s$", x) for x in words)
    is_part = isinstance(intent, ChangeQuotes) and bool(
        intent.names or intent.part or not intent.constants
    )
    says_which = words or choosing or request.places or request.spared or is_part
    of_all = _ALL_OF.search(text)
    if count is None or (request.leaves_some and not says_which):
        return None
    if of_all and of_all["place"] in " ".join(words).split():  # of something that is no definition
        return None
    is_of_words = bool(request.words) and not is_named
    if not count and not is_plural and (is_of_words or is_of_one(text, cue.nouns)) and not is_part:
        count = 1
    leaves_some = request.leaves_some and bool(words or choosing) and not request.places
    return SomePlaces(
        intent,
        words,
        choosing,
        count,
        leaves_some,
        spared=request.spared,
        hints=() if words else hints,
    )
