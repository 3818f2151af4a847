"""The words that a sentence has in common with the things of a buffer, and how much each says.

A word speaks for the things that have it in their name, in their text or around them, the more the fewer of the things have it. Words of the
clause that asks count more than those of a reason, and so does what is spelled like code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editd.intent.english import QUOTED
from editd.intent.evidence.spelling import with_apostrophes, with_names_joined, with_typos_mended
from editd.intent.evidence.target_cues import asking_clause, clauses_of
from editd.intent.evidence.target_words import NOUNS, described, hidden_quote
from editd.intent.target import TargetDescription, TargetWord
from editd.intent.word_forms import are_forms, words_in
from editd.refactor.by_kind.request import KindRequest
from editd.refactor.comment_marks import bare_comment
from editd.refactor.target_fit import explains
from editd.refactor.things import Thing
from editd.refactor.word_stems import means, parts_of_names

NOUN_KINDS = {
    "comment": ("comment",),
    "print": ("print",),
    "log": ("print", "log"),
    "definition": ("definition",),
    "test": ("definition",),
    "route": ("definition", "statement"),
    "statement": ("statement", "entry", "print", "log", "item", "element", "leaving", "import"),
    "entry": ("statement", "entry", "item", "element"),
    "import": ("import",),
    "check": ("check",),
    "loop": ("loop",),
    "block": ("check", "loop", "block"),
}
"""The kinds of things that each kind of noun may mean."""
_CLASSES = ("class", "struct", "enum", "interface", "trait")
_OLD = ("old", "legacy", "deprecated", "obsolete", "outdated", "former")
_CITED = re.compile(
    rf"(?P<quoted>{QUOTED})|[\w.$]+\([^()]+\)|[^\W\d][\w.]*\[(?:\"[^\"]*\"|'[^']*')\]"
)
_SAYS_NOTHING = frozenset("comment comments commented commented-out turned be # // --".split())  # noqa: SIM905
"""Words that say how, not what, where they are no noun for what is meant."""
_SORTS = ("html", "doc", "block", "line", "inline", "lines")
"""Words for a sort of comment."""
_OF_THE_FILE = frozenset("file module script program code page config stylesheet".split())  # noqa: SIM905
_IN_TEXT, _IN_NAME, _NAME = 1.5, 2.5, 4.0
_OF_KIND, _THERE = 2.0, 2.0
_MINOR = 0.5
_LEAST = 0.05  # of what a word says that every thing has


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """A clause of a sentence: its words without those that ask, what they describe, and the action that it asks for; empty for none.

    is_weak: it only says that something is needless.
    """

    text: str
    target: TargetDescription
    action: str
    is_weak: bool = False


@dataclass(frozen=True, slots=True)
class CommonWord:
    """A word of a sentence. levels: how well it fits each of the things, from 0 (not at all) to 4 (it is the name). weight: what it
    says. asks: it is of a clause that asks. is_noun: it says what the thing is. is_head: the description of the thing ends with it, and one
    of its place follows. is_minor: it may be of a reason.
    """

    word: TargetWord
    levels: Sequence[float]
    weight: float
    asks: bool
    is_noun: bool = False
    is_head: bool = False
    is_minor: bool = False


def clauses_in(request: KindRequest) -> list[ClauseWords]:
    """The clauses of a request; if none asks, each is taken for one that does, with ``?`` for its action."""
    facts, quotes = request.facts, []

    def hide(found: re.Match[str]) -> str:
        text = found[0][1:-1].strip(" .…") if found["quoted"] else found[0]
        quotes.append(bare_comment(text) if request.kind == "delete_comments" else text)
        return hidden_quote(len(quotes) - 1)

    text = with_apostrophes(re.sub(r"[‘’]", "'", request.text))
    text = with_names_joined(with_typos_mended(text, facts.words), facts.words)
    found = []
    for clause in clauses_of(_CITED.sub(hide, text)):
        asking = asking_clause(clause, speaks_of_comments=True)
        is_for_now = asking.action not in ("", "delete")
        target = described(asking.rest, quotes, facts, is_for_now=is_for_now)
        found.append(ClauseWords(asking.rest, target, asking.action, asking.is_weak))
    return found if any(x.action for x in found) else [replace(x, action="?") for x in found]


def common_words(
    clauses: Sequence[ClauseWords], things: Sequence[Thing], request: KindRequest
) -> list[CommonWord]:
    """The words of these clauses, each once, as the clause has it in which it says most."""
    defined = frozenset(x.name for x in request.code.definitions if x.is_block)
    of_file = _OF_THE_FILE | words_in(request.path.rpartition("/")[2])
    found: dict[tuple[str, str], CommonWord] = {}
    for clause in clauses:
        noun = clause.target.noun
        noun = "" if NOUNS.get(noun) == "comment" and request.kind != "delete_comments" else noun
        head = _head(clause.target) if clause.action not in ("", "?") and not noun else None
        for word, share in _words(clause.target, noun):
            low = word.text.lower()
            if (low in _SAYS_NOTHING and low != noun) or (word.where and low in of_file):
                continue
            is_noun = word.text == noun
            levels = [_level(word, thing, defined) for thing in things]
            if is_noun:
                levels = [max(x, _is_of(noun, y)) for x, y in zip(levels, things, strict=True)]
            weight = share * _rarity(levels) * (1.5 if word.is_exact else 1)
            weight *= 1.5 if clause.action else 1
            same = found.get((low, word.where))
            if same is None or same.weight < weight:
                found[low, word.where] = CommonWord(
                    word,
                    levels,
                    weight,
                    bool(clause.action),
                    is_noun,
                    word == head,
                    share == _MINOR,
                )
    return list(found.values())


def _words(target: TargetDescription, noun: str) -> Iterator[tuple[TargetWord, float]]:
    """Yield the words of a description with how much they count; of one that only has a place, its words are the thing's."""
    is_place = not noun and all(word.where for word in target.required)
    yield from ((replace(x, where="") if is_place else x, 1.0) for x in target.required)
    yield from ((word, _MINOR) for word in target.optional if word.text.lower() != noun)
    if noun:
        yield TargetWord(noun), 0.7


def _head(target: TargetDescription) -> TargetWord | None:
    """The last word of a description before its place; ``None`` if it ends with no place."""
    if not (target.required and target.required[-1].where):
        return None
    return next((x for x in reversed(target.required) if not x.where), None)


def _rarity(levels: Sequence[float]) -> float:
    """How much a word says, by how few of the things it fits."""
    number = sum(x > 0 for x in levels)
    return max(_LEAST, math.log((len(levels) + 1) / (number + 0.5))) if number else 0


def _level(word: TargetWord, thing: Thing, defined: frozenset[str]) -> float:
    """How well a word fits a thing; of a word for a place, whether the thing is there."""
    found = float(explains(thing, word, defined))
    if word.where:
        own = float(explains(thing, replace(word, where=""), defined))
        return 0 if own == _NAME else _THERE if found else min(1.0, own)
    if found >= _IN_TEXT or word.is_exact or not word.text.isalpha():
        return found
    low = word.text.lower()
    if any(means(low, parts_of_names(x)) for x in thing.names[:1]):
        return _IN_NAME
    is_old = low in _OLD and not words_in(thing.text).isdisjoint(_OLD)
    return _IN_TEXT if is_old or means(low, parts_of_names(thing.text)) else found


def _is_of(noun: str, thing: Thing) -> float:
    """Whether a noun may mean a thing."""
    is_kind = thing.kind in NOUN_KINDS.get(NOUNS.get(noun, ""), ())
    if is_kind and thing.kind == "definition":
        head = words_in(thing.text.split("\n", 1)[0])
        is_kind = (noun in _CLASSES) == (not head.isdisjoint(_CLASSES))
    return _OF_KIND if is_kind else 0


def describes(words: Sequence[CommonWord], at: int) -> bool:
    """Whether a word says more of the thing at a place than what it is and where."""
    return any(x.levels[at] for x in words if not x.is_noun and not x.word.where)


def names(words: Sequence[CommonWord], at: int) -> bool:
    """Whether a word is in the name of the thing at a place."""
    return any(x.levels[at] >= _IN_NAME for x in words if not x.is_noun and not x.word.where)


def fits_nouns(words: Sequence[CommonWord], at: int) -> bool:
    """Whether the thing at a place is what the clauses that ask say it is, as far as any thing is."""
    return all(x.levels[at] for x in words if x.is_noun and x.asks and any(x.levels))


def are_used(words: Sequence[CommonWord], at: int, number: int, request: KindRequest) -> bool:
    """Whether the thing at a place has the words of weight of a sentence: those spelled like code, the last of what is asked for before its
    place, one of the places, and half of the others that the buffer has; none of them names another thing. number: of things
    that are chosen, which have to be all of a kind where only a noun is said.
    """
    known = [x for x in words if x.asks and (any(x.levels) or _is_in(request, x.word.text))]
    places = [x for x in known if x.word.where]
    own = [x for x in known if not (x.word.where or x.is_noun)]
    cited = [x for x in words if x.asks and x.word.is_exact]
    missing = [x for x in (*known, *cited) if not x.levels[at]]
    if any(x.word.is_exact for x in missing) or any(x.is_head and not x.levels[at] for x in words):
        return False
    if any(max(x.levels) >= _NAME for x in missing if x in own):
        return False
    if places and not any(x.levels[at] for x in places):
        return False
    if own:
        fitting = [x for x in own if x.levels[at]]
        return any(x.levels[at] >= _IN_TEXT for x in own) and 2 * len(fitting) >= len(own)
    telling = [x for x in words if x.levels[at] >= _IN_TEXT and not x.word.where]
    if any(not x.is_noun or x.levels[at] > _IN_NAME for x in telling):
        return True
    others = (x for x in words if x.word.text.lower() not in _SORTS)
    has_others = any(not (x.is_noun or x.is_minor or x.word.where) for x in others)
    is_all = any(sum(y >= _IN_TEXT for y in x.levels) <= number for x in telling)
    return bool(telling) and not has_others and (bool(places) or is_all)


def _is_in(request: KindRequest, word: str) -> bool:
    """Whether the buffer has a word in some form."""
    return any(are_forms(word, x) for x in request.facts.words)
