"""Where one instruction is several: a list, "rename a to b and add a docstring", "delete the functions load and save".

What is cut is tried, never believed: apart from what follows a plain request, each part has to be a sentence of the
table itself. Knows no buffer. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.context import VERB
from editd.intent.english import KINDS, QUOTED, plain
from editd.intent.intents import Likely, Open, Rename
from editd.intent.lists import items_of, lines_of
from editd.intent.restrictions import takes_back
from editd.intent.sentences import meaning_of, sentences_of


def wishes_of(instruction: str) -> tuple[str, ...]:
    """The requests that the instruction is, none if it is one; "it" in a later one is what a rename makes."""
    items = items_of(instruction)
    if len(items) > 1:
        return _without_cycle(_each(items))
    [instruction] = items
    if len(instruction) > _LONGEST or not isinstance(meaning_of(instruction), Open | Likely):
        return ()
    if found := _each(lines_of(instruction)):
        return _without_cycle(found)
    said = plain(instruction)
    cuts = [
        (said[: cut.start()], said[cut.end() :])
        for cut in _BETWEEN.finditer(said)
        if not cut["quoted"]
    ]
    found = next(filter(None, (_led(*parts) for parts in cuts)), ())
    if not found and not sentences_of(instruction):
        found = next(filter(None, (_both(*parts) for parts in cuts)), ()) or _of_list(said)
    return _without_cycle(found)


def _each(items: Sequence[str]) -> tuple[str, ...]:
    """What the items of a list ask for; none if one of them is no request that can be read."""
    if len(items) > _MOST_ITEMS:
        return ()
    wishes: list[str] = []
    for item in items:
        several = wishes_of(item)
        if not several and not _kind(item):
            return ()
        wishes += several or (item,)
    return tuple(wishes)


def _without_cycle(wishes: tuple[str, ...]) -> tuple[str, ...]:
    """``wishes``; none of "a to b and b to a", which one after the other would make one name of two."""
    renames = [
        one.said for wish in wishes for one in sentences_of(wish)[:1] if one.kind.name == "rename"
    ]
    made = {said["new"] for said in renames}
    return () if any(said["old"] in made for said in renames) else wishes


def _led(first: str, second: str) -> tuple[str, ...]:
    """A plain request, and another one, whatever it is."""
    if not VERB.match(second) or takes_back(second):
        return ()
    meaning = meaning_of(first)
    if isinstance(meaning, Rename):
        second = _IT.sub(meaning.new, second)
    elif isinstance(meaning, Open | Likely) or _IT.search(second):
        return ()
    return (first, *(wishes_of(second) or (second,)))


def _both(first: str, second: str) -> tuple[str, ...]:
    """Two sentences; the second may leave its verb to the first, and the first its object to the second."""
    has_verb, verb = VERB.match(second) is not None, VERB.match(first)
    if not has_verb and verb is not None and not _OTHER_VERB.match(second):
        if _RENAMING.match(verb[0]) and not _TO.search(second):
            return ()  # "a stays" is no rename of a
        second = f"{verb[0]} {second}"
    rest = (second,) if _kind(second) else wishes_of(second)
    if has_verb or not rest:
        return (first, *rest) if rest and _kind(first) else ()
    kinds, shared = {_kind(rest[0])}, _SHARED.search(rest[-1])
    both = f"{first}{shared[0]}" if shared else first
    if kinds | {_kind(both)} <= _OF_EACH:
        return (both, *rest)
    kinds.add(_kind(first))
    are_alike = len(kinds) == 1 and not kinds & _OF_A_TEXT
    return (first, *rest) if are_alike or kinds <= _OF_EACH or kinds <= _OF_ALL else ()


def _of_list(said: str) -> tuple[str, ...]:
    """One thing of several: "add docstrings to load, save and main"."""
    for names in _LIST.finditer(said):
        each = _A_NAME.findall(_AND.sub(", ", names[0]))
        before, after = said[: names.start()], said[names.end() :]
        parts = tuple(f"{before}{name}{after}" for name in each)
        kinds = {
            _kind(part, naming=name.strip("`")) for part, name in zip(parts, each, strict=True)
        }
        if kinds <= _OF_EACH and len(kinds) == 1:
            return parts
    return ()


def _kind(text: str, *, naming: str = "") -> str:
    """Of a sentence that is not one by its gist alone, and has this name in it."""
    return next(
        (
            one.kind.name
            for one in sentences_of(text)
            if not one.gist and (not naming or naming in one.said.values())
        ),
        "",
    )


_LONGEST = 300
_MOST_ITEMS = 20
_BETWEEN = re.compile(
    rf"(?P<quoted>{QUOTED})"
    r"|(?:[,;.]? and|[,;.] then|[;.]|,)(?: then| also| please)* ",
    re.IGNORECASE,
)
_IT = re.compile(r"\bit\b", re.IGNORECASE)
# "memoize save": a verb that is none of those that ask.
_OTHER_VERB = re.compile(
    rf"(?!(?:the|a|an|all|every|{'|'.join(KINDS)}) )[a-z]+ (?:the |a |an |all |every )?[\w.]+$",
    re.IGNORECASE,
)
_RENAMING = re.compile(r"(?:rename|relabel|call|name)\b", re.IGNORECASE)
_TO = re.compile(r" (?:to|as|into) |->|=>|→")
_SHARED = re.compile(r" (?:to|for|from|in) [^ ]+$")
_A_NAME = re.compile(r"`[^`]+`|[^\W\d][\w.]*(?:\(\))?")
_AND = re.compile(r",? and ", re.IGNORECASE)
_LIST = re.compile(
    rf"(?<![\w`])(?:{_A_NAME.pattern})(?:, (?:{_A_NAME.pattern}))*,? and (?:{_A_NAME.pattern})"
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
