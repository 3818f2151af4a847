"""Splits an instruction into requests: a list, "rename a to b and add a docstring", "delete the functions load and save".

Each cut is tried, never believed: apart from what follows a plain request, each part has to match a rule by itself.
Knows no buffer. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.clause import without_politeness
from editd.intent.context import VERB
from editd.intent.english import KINDS, QUOTED
from editd.intent.intents import Conditional, Open, Rename
from editd.intent.lists import items_of, lines_of
from editd.intent.matching import intent_of, matches_of
from editd.intent.restrictions import takes_back
from editd.intent.rules import GUESSES

_LONGEST = 300
_MOST_ITEMS = 20
_BETWEEN = re.compile(
    rf"(?P<quoted>{QUOTED})"
    r"|(?:[,;.]? and|[,;.] then|[;.]|,)(?: then| also| please)* ",
    re.IGNORECASE,
)
_IT = re.compile(r"\bit\b", re.IGNORECASE)
_BOTH = re.compile(r"^(\w+) (?:both|these|all of these|the following)(?: \w+)?: ", re.IGNORECASE)
# "memoize save": a verb that is none of those that ask.
_VERB_AND_OBJECT = re.compile(
    rf"(?!(?:the|a|an|all|every|{'|'.join(KINDS)}) )[a-z]+ (?:the |a |an |all |every )?[\w.]+$",
    re.IGNORECASE,
)
_RENAMING = re.compile(r"(?:rename|relabel|call|name)\b", re.IGNORECASE)
_TO = re.compile(r" (?:to|as|into) |->|=>|→")
_SHARED = re.compile(r" (?:to|for|from|in) [^ ]+$")
_A_NAME = re.compile(r"`[^`]+`|[^\W\d][\w.]*(?:\(\))?")
_AND = re.compile(r",? and (?:(?:to|for|in|of) )?", re.IGNORECASE)
_LIST = re.compile(
    rf"(?<![\w`])(?:{_A_NAME.pattern})(?:, (?:{_A_NAME.pattern}))*,? and (?:(?:to|for|in|of) )?(?:{_A_NAME.pattern})"
    r"(?=$|,| (?:to|for|from|in|into|of|with|around|as|should|must|functions?|methods?)\b)",
    re.IGNORECASE,
)
# What can be asked for several things at once, for everything, and for a text, which may have an "and" in it.
_OF_EACH = frozenset(
    ["add-docstring", "add-type-hint", "add-logging", "wrap-try", "delete-function", "add-import"]
)
_OF_ALL = frozenset(
    """
    delete-comments delete-prints delete-docstrings f-strings quotes with-open print-to-logging sort-imports
    remove-unused-imports
    """.split()  # noqa: SIM905
)
_OF_A_TEXT = frozenset(["", "delete-lines", "replace-string"])


def clauses_in(instruction: str) -> tuple[str, ...]:
    """The requests of an instruction in order; empty if it is a single one, or a part cannot be read.

    The items of a list (of at most 20); of another text of at most 300 characters that has no certain intent as a
    whole, the first of these that can be read: its lines, two parts joined by "and" and the like, a request for each of
    several names. "it" in a later request becomes the name that a rename makes. Empty, too, if names are exchanged for
    each other.
    """
    items = items_of(instruction)
    if len(items) > 1:
        return _without_cycle(_requests_of_items(items))
    [instruction] = items
    if len(instruction) > _LONGEST or not isinstance(intent_of(instruction), Open | Conditional):
        return ()
    if found := _requests_of_items(lines_of(instruction)):
        return _without_cycle(found)
    text = _BOTH.sub(r"\1 ", without_politeness(instruction))
    cuts = [
        (text[: cut.start()], text[cut.end() :])
        for cut in _BETWEEN.finditer(text)
        if not cut["quoted"]
    ]
    found = next(filter(None, (_after_plain_request(*parts) for parts in cuts)), ())
    if not found and not matches_of(text):
        found = next(filter(None, (_two_requests(*parts) for parts in cuts)), ())
        found = found or _for_each_name(text)
    return _without_cycle(found)


def _requests_of_items(items: Sequence[str]) -> tuple[str, ...]:
    """The requests of the items of a list, an item's own requests in its place; empty if an item
    matches no rule, or there are more than 20.
    """
    if len(items) > _MOST_ITEMS:
        return ()
    clauses: list[str] = []
    for item in items:
        several = clauses_in(item)
        if not several and not _rule_name(item):
            return ()
        clauses += several or (item,)
    return tuple(clauses)


def _without_cycle(clauses: tuple[str, ...]) -> tuple[str, ...]:
    """``clauses``; empty if one renames a name that another one makes, as "a to b and b to a",
    which one after the other would make one name of two.
    """
    renames = [
        match.slots
        for clause in clauses
        for match in matches_of(clause)[:1]
        if match.rule.name == "rename"
    ]
    made = {slots["new"] for slots in renames}
    return () if any(slots["old"] in made for slots in renames) else clauses


def _after_plain_request(first: str, second: str) -> tuple[str, ...]:
    """The two requests, if ``first`` has a certain intent by itself and ``second`` begins with a verb, whatever it asks
    for; of a ``second`` that is several, each.

    "it" in ``second`` becomes the new name of a rename. Empty if ``first`` is open or conditional, ``second`` is an
    exception ("keep …"), or says "it" after anything else than a rename.
    """
    if not VERB.match(second) or takes_back(second):
        return ()
    intent = intent_of(first)
    if isinstance(intent, Rename):
        second = _IT.sub(intent.new, second)
    elif isinstance(intent, Open | Conditional) or _IT.search(second):
        return ()
    return (first, *(clauses_in(second) or (second,)))


def _two_requests(first: str, second: str) -> tuple[str, ...]:
    """The two requests, if each matches a rule (a request of the second part may be several); empty if one does not.

    ``second`` may take its verb from ``first`` ("add a docstring and a log call to f"), and ``first`` its object, or
    its place, from ``second``; then both must be of kinds that can be joined so. Empty, too, if some of them name a
    place and it cannot be that of all.
    """
    has_verb, verb = VERB.match(second) is not None, VERB.match(first)
    if not has_verb and verb is not None and not _VERB_AND_OBJECT.match(second):
        if _RENAMING.match(verb[0]) and not _TO.search(second):
            return ()  # "a stays" is no rename of a
        second = f"{verb[0]} {second}"
    rest = (second,) if _rule_name(second) else clauses_in(second)
    if has_verb or not rest:
        return (first, *rest) if rest and _rule_name(first) else ()
    kinds, shared = {_rule_name(rest[0])}, _SHARED.search(rest[-1])
    both = f"{first}{shared[0]}" if shared else first
    if kinds | {_rule_name(both)} <= _OF_EACH:
        return (both, *rest)
    kinds.add(_rule_name(first))
    places = [_location(first), *map(_location, rest)]
    if any(places) and not all(places):
        # "rename a to b and c to d in load": the place is that of both
        if any(places[:-1]) or not shared or _location(both) != places[-1]:
            return ()
        first, kinds = both, {*kinds, _rule_name(both)}
    are_alike = len(kinds) == 1 and not kinds & _OF_A_TEXT
    return (first, *rest) if are_alike or kinds <= _OF_EACH or kinds <= _OF_ALL else ()


def _for_each_name(text: str) -> tuple[str, ...]:
    """A request for each name of the first list of names in the text that can be split so: "add docstrings to load,
    save and main".

    A list can be split if its requests are all of one kind that can be done to each name. Empty if no list can.
    """
    for names in _LIST.finditer(text):
        each = _A_NAME.findall(_AND.sub(", ", names[0]))
        before, after = text[: names.start()], text[names.end() :]
        parts = tuple(f"{before}{name}{after}" for name in each)
        kinds = {
            _rule_name(part, naming=name.strip("`")) for part, name in zip(parts, each, strict=True)
        }
        if kinds <= _OF_EACH | _OF_ALL and len(kinds) == 1:
            return parts
    return ()


def _location(text: str) -> str:
    """The place that a request names; empty if none, or no rule matches."""
    return next((match.location for match in matches_of(text)), "")


def _rule_name(text: str, *, naming: str = "") -> str:
    """The name of the rule that ``text`` matches, with ``naming`` in a slot, or of the first guess that reads all of its
    words; empty if none does, or by its words alone.
    """
    matched = next(
        (
            match.rule.name
            for match in matches_of(text)
            if not match.lexical_reading
            and (not naming or naming in (*match.slots.values(), match.location))
        ),
        "",
    )
    return matched or _guess_name(text, naming)


def _guess_name(text: str, naming: str) -> str:
    """The name of the first guess that reads all words of ``text``, politeness aside, and whose intent has the text
    ``naming`` somewhere in it (any, if that is empty); empty if none does.
    """
    for guess in GUESSES:
        intent = guess.reads(without_politeness(text)) if guess.reads_all_words else None
        if intent is not None and (not naming or naming in repr(intent)):
            return guess.name
    return ""
