"""Renames what a sentence gives another name: the old name is one of the buffer, the new one it lacks.

game.py, "nobody gets pos, coordinates reads well"::

    def move(pos):
        return pos + 1

becomes::

    def move(coordinates):
        return coordinates + 1

Where a sentence has several names of each sort, the words beside each say what it is: a place stands behind "in", a new name behind "to"
and "call it", or alone in a clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from editd.intent.asked_for import tells_of_calls
from editd.intent.english import CASE_STYLE, FUNCTION_WORDS, KINDS, LABELS, is_code_like
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.names import is_abbreviation
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.request_words import NO_SETTINGS
from editd.intent.intents import Intent, Rename, RenameSelector
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates
from editd.refactor.rename import may_be_renamed

_NAME = re.compile(
    r"(?<![\w.$/-])(?<!\w['’])(?P<mark>[`'\"])?(?P<owner>(?:\$|(?:[^\W\d][\w$]*(?:\.|::|#))+)?)(?P<name>[^\W\d][\w$]*)(?P<call>\(\))?(?(mark)(?P=mark))(?![\w$/'’]|\.\w|-\w)"
)
_NAME_OF_STYLES = re.compile(
    r"(?<![\w$/.-])(?P<mark>[`'\"])?(?P<owner>)(?P<name>(?:--|[.#])?[A-Za-z][\w-]*)(?P<call>(?!))?(?(mark)(?P=mark))(?![\w$/]|\.\w)"
)
_STYLES = ("css", "scss", "less")
_BEFORE_NEW = re.compile(
    r"(?:\b(?:(?<!is )(?<!are )to|into|as|be|becomes?|called|named|call|name|make|prefer|say|read|writ(?:e|ten)|use|spell(?:ed)?|out|better|rather|about|by)"
    r"(?: (?:it|that|this|them|ours|mine|the \w+(?: (?:in|of) \S+)?))?(?: the (?:name|key))?|->|=>|→|⇒)\s?$",
    re.IGNORECASE,
)
_BEHIND_NEW = re.compile(
    r" (?:(?:would|could|might|will|is|are|reads|says?|sounds?|fits?|tells?|suits?|describes?|explains?)\b|it (?:is|shall)|instead\b|please\b)",
    re.IGNORECASE,
)
_BEHIND_LED = re.compile(
    r"[.!?)]*$|[.!?,;)] |\.{3}| (?:in|inside|within|of|for|from|everywhere|throughout|all|as|so|because|since|and|now|instead|please|pls|then|too|it)(?!\w)| \(",
    re.IGNORECASE,
)
_BEFORE_PLACE = re.compile(
    r"\b(?<!instead )(?<!in place )(?:in|inside|within|throughout|of|from|for|(?<!go )by|at|on) (?:the |our |this )?(?:function |method |class |struct |enum )?$",
    re.IGNORECASE,
)
_IN = re.compile(r"\b(?:in|inside|within) [`'\"]?$", re.IGNORECASE)
_CHANGES = re.compile(r"\b(?:change|replace|swap|turn|exchange)\b", re.IGNORECASE)
_SHOULD_BE = re.compile(r"\b(?:should|must|shall|to) (?:now )?(?:be|inherit) ?$", re.IGNORECASE)
_SPEAKS_OF_NAMES = re.compile(r"\b(?:nam\w+|call\w*|rename\w*|typo\w*|spell\w*)\b", re.IGNORECASE)
_NAME_OF = re.compile(r"\bnames? (?:of|for) (?:the )?$", re.IGNORECASE)
_BEFORE_OLD = re.compile(
    r"(?:\b(?:rename|give|change|replace|not|than|instead of|place of|over|from|call(?:ed)?|named|have|like)|^|[,;:.!(])\s?(?:the |our |this |that |a )*(?:\w+ )?$",
    re.IGNORECASE,
)
_BEHIND_OLD = re.compile(
    r"(?:,|;|:|\?|\.\.\.|\.?$|\s?(?:->|=>|→|⇒))| (?:to|into|as|is|isn't|isnt|was|are|be|should|must|could|can|may|might|has|needs?|deserves?|says?|tells?"
    r"|means?|sounds?|reads?|looks?|feels?|makes?|clashes|shadows|in|of|inside|within|throughout|everywhere|an?)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(r"_|[a-z\d][A-Z]")
"""Marks of a word that is nothing but a name."""
_PARTICIPLE = re.compile(r"\b(?:be|is|are|been)\s$", re.IGNORECASE)
_STAYS = re.compile(r"\s(?:stays?|remains?|keeps? its)\b", re.IGNORECASE)
_KIND = "|".join(sorted({*KINDS, "key", "column", "flag", "option", "called", "named"}))
_OF_KIND = re.compile(rf"\b(?:{_KIND}) $", re.IGNORECASE)
_KIND_BEHIND = re.compile(rf" (?:{_KIND})\b", re.IGNORECASE)
_OR = re.compile(r" or ", re.IGNORECASE)
_JOINED = re.compile(r" (?:and|plus|&|/) $", re.IGNORECASE)
_SHORT = 2  # letters of a name that is no English word
_COURTESY = frozenset(
    "please pls plz then instead rather better just so maybe perhaps it is the say says i'd".split()  # noqa: SIM905
)
"""Words that a clause may have that says no more than the new name."""
_MARGIN = 2
"""Points by which the best pair of names has to be better than each other."""
_WEAK = 1
"""Points of a word that nothing but its spelling shows to be a new name."""
_ENOUGH = 5
"""Points that a pair needs."""
_NEVER_NEW = FUNCTION_WORDS | frozenset(
    "i how why name names well great good fine perfect ok okay nice nicer clear clearer safe account better best shorter longer".split()  # noqa: SIM905
)
_NO_NAMES = NO_SETTINGS | LABELS | KINDS | FILLER


@dataclass(frozen=True, slots=True)
class _NameMention:
    """A word of a sentence that may be a name, as written, without its owner, quotes and call brackets. is_marked: these or its spelling
    show that it is a name. before, after: the sentence around it. is_alone: its clause has no other word.
    """

    name: str
    owner: str
    is_marked: bool
    before: str
    after: str
    is_alone: bool


def _renamed(request: KindRequest) -> Iterator[Candidates]:
    """Yield the rename of the one name that the sentence gives another."""
    text = request.text.replace("’", "'")
    if CASE_STYLE.search(text) or tells_of_calls(text):
        return
    mentions = list(_mentions(text, request))
    pairs: dict[tuple[str, str], int] = {}
    for old in (x for x in mentions if x.name in request.facts.nameable):
        for new in (x for x in mentions if x.name != old.name):
            pair = (old.name, new.name)
            pairs[pair] = max(_rank(old, new, request), pairs.get(pair, 0))
    first, *others = sorted(pairs, key=lambda x: -pairs[x]) or [("", "")]
    if pairs.get(first, 0) < _ENOUGH or any(pairs[x] > pairs[first] - _MARGIN for x in others):
        return
    known = request.facts.nameable | request.facts.names
    marked = [x for x in mentions if x.is_marked and x.name in known and x.name not in first]
    if not all(map(_is_aside, marked)):
        return  # another name, whose part nobody knows
    old = max((x for x in mentions if x.name == first[0]), key=lambda x: len(x.owner))
    if any(x.text == first[1] for x in request.code.tokens_of("name")):
        return  # something has that name
    rename = Rename(*first)
    if _CHANGES.search(text) and not may_be_renamed(rename, request.parsed, request.code):
        return  # an English word, of which comments may speak
    if any(
        x.name not in request.facts.text and _IN.search(x.before) for x in mentions if _is_last(x)
    ):
        return  # a place that is not there
    intents = _intents(request, old, first[1])
    found = next((x for x in map(request.done, intents) if x is not None), None)
    if found is not None:
        yield replace(found, reading=f"rename {old.name} to {first[1]}")


def _intents(request: KindRequest, old: _NameMention, new: str) -> Iterator[Intent]:
    """Yield the rename; of what stands in definitions in these alone, if the sentence says any. What is in a class may be all that has
    the name.
    """
    if request.code.language in _STYLES:
        signs = [re.match(r"--|[.#]|", x)[0] for x in (old.name, new)]  # type: ignore[index]
        yield RenameSelector(old.name, new if signs[1] else signs[0] + new)
        return
    named = request.facts.places_in(request.text)
    places = [x for x in named if x.rpartition(".")[2] not in (old.name, new)]
    definitions = request.facts.definitions
    if old.name in definitions:  # its callers may be named, too
        places = [x for x in places if f"{x}.{old.name}" in definitions]
    if len(places) > 1:
        yield Rename(old.name, new, old.owner, places=tuple(places))
        return
    yield Rename(old.name, new, old.owner, location="".join(places))
    if (places or [old.owner])[0][:1].isupper():
        yield Rename(old.name, new)


def _mentions(text: str, request: KindRequest) -> Iterator[_NameMention]:
    """Yield the words of a sentence that may be names, in a style sheet those of its classes, ids and properties with the sign of these."""
    is_style = request.code.language in _STYLES
    nameable = request.facts.nameable
    clauses = cut_sentence(text)
    for at in (_NAME_OF_STYLES if is_style else _NAME).finditer(text):
        name = at["name"]
        if is_style:
            signed = [x for sign in (".", "#", "--") if (x := sign + name) in nameable]
            name = signed[0] if len(signed) == 1 else name
        is_spelled = is_code_like(name) and not re.fullmatch(r"[A-Z][a-z]+|[A-Z]{1,4}", name)
        is_spelled |= name in nameable and name[:1].isupper() and len(name) > 1
        is_spelled |= is_style and re.search(r"^[.#]|-", name) is not None
        clause = next((x for x in clauses if x.start <= at.start() < x.end), None)
        words = re.findall(r"[\w$.-]+", clause.text) if clause else []
        yield _NameMention(
            name,
            at["owner"].rstrip(".:#$"),
            bool(at["mark"] or at["call"] or at["owner"] or is_spelled),
            text[: at.start()],
            text[at.end() :],
            all(x.lower() in _COURTESY or x.strip(".") == at["name"] for x in words),
        )


def _is_last(x: _NameMention) -> bool:
    """Whether a word may name a place at the end of its clause."""
    return re.match(r"\W*$|[.!?,;:)] ", x.after) is not None and x.name.lower() not in _NO_NAMES


def _is_aside(x: _NameMention) -> bool:
    """Whether a name is a place, or is said to stay."""
    return bool(_BEFORE_PLACE.search(x.before) or _STAYS.match(x.after))


def _rank(old: _NameMention, new: _NameMention, request: KindRequest) -> int:
    """How much speaks for an old and a new name, by what they are and what stands around them; 0 if one of them can be none."""
    short, long = old.name.lower(), new.name.lower()
    is_short_for = is_abbreviation(short, long) and not _is_aside(old)
    first = _rank_of_old(old) or int(is_short_for)
    second = _rank_of_new(new) or 2 * (is_short_for and new.is_alone)
    if first <= 0 or second <= _WEAK:
        return 0
    is_of_quality = not new.is_marked and _SHOULD_BE.search(new.before) is not None
    if (
        is_of_quality
        and old.is_marked
        and not (is_short_for or _SPEAKS_OF_NAMES.search(new.before))
    ):
        return 0  # "user_id should be unique"
    is_taken = new.name in request.facts.nameable | request.facts.names
    is_like = is_short_for or (len(short) > _SHORT and (short in long or long in short))
    return first + second + 2 * is_like + (new.is_marked and not is_taken) - 2 * is_taken


def _rank_of_old(x: _NameMention) -> int:
    """How much speaks for a name as the one that is to become another; 0 where it is a place, or an English word in no such position."""
    is_place = _BEFORE_PLACE.search(x.before) and not _NAME_OF.search(x.before)
    if is_place or _STAYS.match(x.after) or _JOINED.search(x.before):
        return 0
    is_of_kind = bool(_OF_KIND.search(x.before) or _KIND_BEHIND.match(x.after))
    is_led, is_followed = bool(_BEFORE_OLD.search(x.before)), bool(_BEHIND_OLD.match(x.after))
    is_odd = len(x.name) <= _SHORT or x.name.isupper() or not re.search("[aeiouy]", x.name)
    is_small = x.name.lower() in _NO_NAMES and not x.is_marked
    if not (
        x.is_marked
        or is_of_kind
        or (is_led and is_followed)
        or (is_odd and (is_led or is_followed))
    ):
        return 0
    return 1 + 2 * x.is_marked + is_of_kind + is_odd + is_led + is_followed - 2 * is_small


def _rank_of_new(x: _NameMention) -> int:
    """How much speaks for a word as the new name; 0 where it is a place, or an English word in no such position."""
    if _BEFORE_PLACE.search(x.before) or _JOINED.search(x.before) or _OR.match(x.after):
        return 0
    if x.name.lower() in _NEVER_NEW:
        return 0
    is_led = bool(_BEFORE_NEW.search(x.before) and _BEHIND_LED.match(x.after))
    is_followed = bool(_BEHIND_NEW.match(x.after))
    is_word = x.name.lower() in _NO_NAMES and not (
        x.name[:1].isupper() and re.search(r"\w\W* $", x.before)
    )
    if not (x.is_marked or is_led or (not is_word and (x.is_alone or is_followed))):
        return 0
    if x.name.endswith("ed") and _PARTICIPLE.search(x.before) and not x.is_marked:
        return 0  # "is to be renamed"
    is_placed = is_led or is_followed or x.is_alone or _is_last(x)
    is_spelled = 2 if is_placed else int(_STRONG.search(x.name) is not None)
    return 1 + x.is_marked * is_spelled + 3 * is_led + 2 * x.is_alone + is_followed


READERS: dict[str, Reader] = {"rename": _renamed}
"""The reader of this kind of edit."""
