"""Matches a request against the rows of all rules, patterns of whole sentences with slots: which kind of edit it is, and what it names.

The whole request must match a row, so a bare word may be a name ("let total be called amount") and nothing
else can be meant; ``phrases`` reads what stands anywhere in a text. Knows no buffer. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from editd.intent.clause import Clause, without_politeness
from editd.intent.english import (
    A_NAME,
    FUNCTION_WORDS,
    KINDS,
    LABELS,
    NUMBER,
    PRONOUNS,
    SIGNS,
    quoted,
)
from editd.intent.intents import (
    Conditional,
    Intent,
    Located,
    Open,
    Rename,
    Several,
    Within,
)
from editd.intent.lists import items_of
from editd.intent.restrictions import narrow, narrowing_names
from editd.intent.rows import ClauseLine
from editd.intent.rules import GUESSES, RULES, RowMatch
from editd.intent.rules.word_lists import A_TYPE, NOUNS

_LONGEST = 300  # characters of a request that rows are tried on
_NO_NAMES = PRONOUNS | frozenset(
    "return all missing needed twice once none true false null nil undefined default unused obsolete".split()  # noqa: SIM905
)


@lru_cache(maxsize=16)
def matches_of(text: str) -> tuple[RowMatch, ...]:
    """The matches of a request, those of canonical rows (the plainest wordings) first; if it has none, those of its
    lexical reading, or else of its chore, which they carry as ``lexical_reading``.

    Empty for a list of several requests, and for a request that no row matches. The last 16 answers are remembered.
    """
    items = items_of(text)
    if len(items) > 1:
        return ()
    [text] = items
    if found := tuple(_matches(text)):
        return found
    from editd.intent.lexical import lexical_reading  # most requests match a row

    if reading := lexical_reading(text):
        return tuple(replace(match, lexical_reading=reading) for match in _matches(reading))
    return _matches_of_chore(text)


def _matches_of_chore(text: str) -> tuple[RowMatch, ...]:
    """The rows that the plain sentence of a chore matches, at the place that the request names, with that sentence as
    their ``lexical_reading``; empty if it is no chore or has over 300 characters.
    """
    from editd.intent.chores import chore_in
    from editd.intent.context import without_context

    for clause in without_context(text) if len(text) <= _LONGEST else ():
        if chore := chore_in(clause.text):
            plain = replace(clause, text=chore)
            found = (
                *_matches_as_it_stands(plain, canonical=True),
                *_matches_as_it_stands(plain, canonical=False),
            )
            if found:
                return tuple(replace(match, lexical_reading=chore) for match in found)
    return ()


def _matches(text: str) -> Iterator[RowMatch]:
    """Yield the matches of a request and of what is left without its context; none for over 300
    characters.

    Canonical rows (the plainest wordings) are tried on the whole request before all paraphrases.
    """
    if len(text) > _LONGEST:
        return
    whole = Clause(without_politeness(text))
    yield from _matches_as_it_stands(whole, canonical=True)
    from editd.intent.context import without_context  # most requests need none of its patterns

    for clause in without_context(text):
        if clause != whole:
            yield from _matches_as_it_stands(clause, canonical=True)
        yield from _matches_as_it_stands(clause, canonical=False)


def _matches_as_it_stands(clause: Clause, *, canonical: bool) -> Iterator[RowMatch]:
    """Yield the matches of a clause, nothing taken off, with the canonical rows or with the paraphrases, in the order
    of rules and rows; without those whose slots hold what cannot be meant (``_may_be_meant``).
    """
    line = ClauseLine.of(clause.text)
    for rule in RULES:
        for row in rule.canonical if canonical else rule.paraphrases:
            if line.may_match(row) and (found := line.slots_of(row)):
                match = RowMatch(rule, *found, canonical, clause)
                if _may_be_meant(match):
                    yield match


def _may_be_meant(match: RowMatch) -> bool:
    """Whether no remark narrows the request, the rule does not exclude it and takes its location,
    and each slot holds what it may: names, numbers with equal units, a type, and as names no
    ordinary words.
    """
    rule, slots, quotes, clause = match.rule, match.slots, match.quotes, match.clause
    remarks = [x for x in clause.remarks if not (rule.reasons and rule.reasons.search(x.text))]
    if narrow(remarks, slots.values(), is_of_one=rule.is_of_one):
        return False
    names = [role for role in rule.name_slots if role in slots]
    if slots.get("unit2", slots.get("unit")) != slots.get("unit"):
        return False  # "2 threads instead of 4 processes"
    if not all(NUMBER.fullmatch(slots[role]) for role in rule.number_slots if role in slots):
        return False
    if not rule.names_modules and not all(A_NAME.fullmatch(slots[role]) for role in names):
        return False
    if clause.location and not rule.takes_location:
        return False
    if rule.excludes and rule.excludes(match):
        return False
    if "type" in slots and not (quotes["type"] or A_TYPE.match(slots["type"])):
        return False
    bare = {slots[role].lower() for role in names if not quotes[role]}
    if bare & _NO_NAMES:
        return False
    new = {slots["new"].lower()} if "new" in names else set()
    if not match.is_canonical and bare & FUNCTION_WORDS | (bare - new) & (KINDS | LABELS | SIGNS):
        return False
    return len(names) > 1 or "kind" in slots or rule.names_modules or not bare & NOUNS


def intent_of(text: str) -> Intent:
    """The intent of a request; ``Open`` where words alone decide none."""
    match = deciding_match(text)
    return Open() if match is None else match.intent


def deciding_match(text: str) -> RowMatch | None:
    """The first match with an intent, or else the first with a conditional one (that the buffer
    decides); ``None`` if there is none, or all are open.
    """
    found = matches_of(text)
    guess = next((match for match in found if isinstance(match.intent, Conditional)), None)
    certain = (match for match in found if not isinstance(match.intent, Open | Conditional))
    return next(certain, guess)


@dataclass(frozen=True, slots=True)
class Guessed:
    """An intent that a request may have. narrowing_names: as of ``RowMatch``. reads_all_words: as of ``Guess``."""

    intent: Intent
    narrowing_names: frozenset[str] = frozenset()
    reads_all_words: bool = False


@lru_cache(maxsize=16)
def guesses_of(text: str) -> tuple[Guessed, ...]:
    """Intents that a request may have if the buffer has what it names, likeliest first, none twice, each with the words
    beside it that narrow it if they name definitions; the last 16 answers are remembered.

    Empty for a list of several requests, and for over 300 characters; where the request is limited to a kind of text,
    or its place is vague, nothing is guessed of it, nor where a remark narrows it. If a guess reads all words of the
    request with few remarks, it is not tried on shorter ones with more.
    """
    items = items_of(text)
    if len(items) > 1 or len(items[0]) > _LONGEST:
        return ()
    from editd.intent.context import without_context

    found: dict[Intent, Guessed] = {}
    whole: dict[str, int] = {}  # by the name of a guess, how many remarks its first reading has
    for clause in without_context(items[0]):
        if clause.is_vague or clause.only:
            continue
        for guess in GUESSES:
            remarks = len(clause.remarks)
            if remarks > whole.get(guess.name, remarks):
                continue  # a part of what is asked for would be lost
            if narrow(clause.remarks, (), is_of_one=guess.is_of_one):
                continue
            if guess.says_more and any(guess.says_more.search(x.text) for x in clause.remarks):
                continue
            intent = guess.reads(clause.text)
            if intent is not None and guess.reads_all_words:
                whole.setdefault(guess.name, remarks)
            if clause.location and intent is not None:
                intent = _within(intent, clause.location)
            if isinstance(intent, Rename) and narrow(clause.remarks, (intent.old, intent.new)):
                continue  # it is about all places of a name
            if intent is not None:
                names = frozenset() if guess.is_of_one else narrowing_names(clause.remarks, ())
                found.setdefault(intent, Guessed(intent, names, guess.reads_all_words))
    return tuple(found.values())


def _within(intent: Intent, location: str) -> Intent | None:
    """The intent limited to ``location``, or each of several; ``None`` if one is of a kind without such a limit, has
    one already, or names a function itself.
    """
    if isinstance(intent, Several):
        each = [x for part in intent.intents if (x := _within(part, location)) is not None]
        return Several(tuple(each)) if len(each) == len(intent.intents) else None
    if isinstance(intent, Located):
        names_one = (
            intent.location or getattr(intent, "function", "") or getattr(intent, "name", "")
        )
        return None if names_one else replace(intent, location=location)
    if not isinstance(intent, Within) or intent.within:
        return None
    return replace(intent, within=location)


def kind_of(text: str, among: Collection[str], is_defined: Callable[[str], bool]) -> str | None:
    """The first kind of edit among these that a request is, if a model trained on that kind may be given it.

    is_defined: whether the buffer defines a name.
    """
    taken = (match.rule.name for match in matches_of(text) if match.is_for_model(is_defined))
    return next((name for name in taken if name in among), None)


def in_plain_words(text: str) -> str:
    """The request in the words that the embedded model was trained on; ``text`` itself if no row matches, or its best
    match is in such words already. An unusual request in such words becomes its lexical reading.

    "Substitute 3 for 2" and "from now on 2 is 3" become "replace 2 with 3".
    """
    for match in matches_of(text):
        if match.is_canonical and not match.rule.rewrites_canonical:
            return match.lexical_reading or text
        return _plain_sentence(match)
    return text


def lexical_reading_of(text: str) -> str:
    """The plain sentence that an unusual request was taken for; empty if it matched a row itself, or none."""
    return next((match.lexical_reading for match in matches_of(text)), "")


def _plain_sentence(match: RowMatch) -> str:
    """The rule's plain sentence with the contents of the slots and " in LOCATION"; the clause's own
    text if the rule has none.
    """
    slots = {"error": "", "import_": "import", **match.slots}
    if "item" in slots:
        slots["import_"] = f"import {slots['item']} from"
    texts = {f"{role}_text": quoted(text) for role, text in slots.items()}
    template = match.rule.plain
    template = template if slots.get("kind") else template.replace("{kind} ", "")
    words = template.format(**slots, **texts).rstrip() or match.clause.text
    return f"{words} in {match.location}" if match.location else words
