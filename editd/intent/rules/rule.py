"""A rule: the sentences (rows) in which one kind of request is worded, and which intent it states.

``matching`` compiles the rows and finds them in a request; each file beside this one has the rules of one intent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from editd.intent.clause import Clause
from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS, is_code_like
from editd.intent.intents import (
    CommentOut,
    Conditional,
    DeleteDefinition,
    Intent,
    Located,
    Open,
    Rename,
    Selective,
)
from editd.intent.restrictions import narrowing_names

Slots = Mapping[str, str]
"""The contents of the slots of a row, by role: ``old``, ``new``, ``name``, …"""

_NAMING = re.compile(r"name|called|relabel", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to ask for one kind of edit: rows, and what their slots mean.

    name: of the embedded model's kind of edit, where that has one; several rules may share it. canonical: rows
    in words that the model was trained on. paraphrases: rows in other words. plain: the template of the sentence
    that the model gets for a paraphrase. rewrites_canonical: for a canonical sentence, too. intent: makes the
    intent; ``None`` where a model has to write. examples: sentences with their intents. near_misses: sentences
    that resemble these and are open.

    name_slots, number_slots: the roles that have to be names, and numbers. names_modules: the names may be
    ``numpy as np``. excludes: whether the slots hold what cannot be meant. is_certain: whether they can mean
    nothing else, so that the intent holds; by default ``names_are_certain``. takes_location: "in load" may stand
    beside it. model_takes_location: the model was trained on that, too. is_of_one: it is about one place, of which
    there is no part. reasons: remarks that are reasons for this edit alone.
    """

    name: str
    canonical: tuple[str, ...] = ()
    paraphrases: tuple[str, ...] = ()
    plain: str = ""
    rewrites_canonical: bool = False
    intent: Callable[[Slots], Intent] | None = None
    name_slots: tuple[str, ...] = ("name", "name2")
    number_slots: tuple[str, ...] = ()
    names_modules: bool = False
    excludes: Callable[[RowMatch], bool] | None = None
    is_certain: Callable[[RowMatch], bool] | None = None
    takes_location: bool = False
    model_takes_location: bool = False
    is_of_one: bool = False
    reasons: re.Pattern[str] | None = None
    examples: tuple[tuple[str, Intent], ...] = ()
    near_misses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowMatch:
    """A row of a rule that fits a request as a whole.

    quotes: the quotes around the contents of each slot, empty for a bare word. is_canonical: the row is one of
    ``rule.canonical``. clause: the request without the context around it. lexical_reading: the plain sentence that an
    unusual request was taken for; empty if the request matched itself.
    """

    rule: Rule
    slots: dict[str, str]
    quotes: dict[str, str]
    is_canonical: bool
    clause: Clause
    lexical_reading: str = ""

    @property
    def location(self) -> str:
        """The definition in which alone, or other words for a place; empty for the whole buffer."""
        return self.slots.get("place", "") or self.clause.location

    @property
    def speaks_of_names(self) -> bool:
        """Whether the request says that it is about a name: "the variable x", "call it y"."""
        return "kind" in self.slots or bool(_NAMING.search(self.clause.text))

    @property
    def intent(self) -> Intent:
        """The intent that the request states, with its location (without call brackets) and the kind of text that it is
        limited to.

        ``Open`` (only a model can do it) where the rule states none, the place is vague ("this function"), the rule
        finds the slots' contents uncertain (``is_certain``), or the intent takes no such limit.
        """
        if self.rule.intent is None or self.clause.is_vague:
            return Open()
        intent = self.rule.intent(self.slots)
        is_certain = self.rule.is_certain or names_are_certain
        if not (isinstance(intent, Conditional) or is_certain(self)):
            return Open()
        if self.clause.only:
            best = intent.intent if isinstance(intent, Conditional) else intent
            return replace(best, only=self.clause.only) if isinstance(best, Selective) else Open()
        if not self.location:
            return intent
        location = self.location.removesuffix("()")
        if isinstance(intent, Located):
            return replace(intent, location=location)
        if isinstance(intent, Conditional) and isinstance(intent.intent, Located):
            others = tuple(replace(other, location=location) for other in intent.others)
            return Conditional(replace(intent.intent, location=location), others)
        return Open()

    @property
    def narrowing_names(self) -> frozenset[str]:
        """Words beside the request that narrow it if the buffer defines something of that name;
        none if the rule is about a single thing.
        """
        if self.rule.is_of_one:
            return frozenset()
        return narrowing_names(self.clause.remarks, self.slots.values())

    def is_for_model(self, is_defined: Callable[[str], bool]) -> bool:
        """Whether a model that was trained on such sentences may be given this one, with its location: it is not
        limited to a kind of text, no word beside it is a name that the buffer defines, and a location, if it has one, is of a kind that the
        model was trained on for this rule.

        is_defined: whether the buffer defines a name; a bare location must be defined.
        """
        if self.clause.only or any(map(is_defined, self.narrowing_names)):
            return False
        if not self.location:
            return True
        is_known = not self.clause.is_bare or is_defined(self.location)
        return self.rule.model_takes_location and is_known


def names_are_certain(match: RowMatch) -> bool:
    """Whether the slots ``old`` and ``new`` are quoted, code, or said to be names ("the variable x")."""
    return _are_certain(match, bare="kind" in match.slots)


def bare_names_are_certain(match: RowMatch) -> bool:
    """Whether the slots ``old`` and ``new`` are quoted, code, or no ordinary words."""
    return _are_certain(match, bare=True)


def _are_certain(match: RowMatch, *, bare: bool) -> bool:
    """Whether the slots ``old`` and ``new`` are quoted, code or, with ``bare``, no ordinary words."""
    ordinary = FUNCTION_WORDS | KINDS | LABELS
    return all(
        match.quotes[role]
        or is_code_like(match.slots[role])
        or (bare and match.slots[role].lower() not in ordinary)
        for role in ("old", "new")
        if role in match.slots
    )


def if_defined(make: Callable[[Slots], Intent]) -> Callable[[Slots], Intent]:
    """Make a function that makes intents as ``make`` does, but such as hold only if the buffer defines the name: a
    ``Conditional`` of a rename, a deleted definition, or a definition to comment out; ``Open`` (a model has to do it)
    for everything else, also for lines to comment out.
    """

    def made(slots: Slots) -> Intent:
        intent = make(slots)
        match intent:
            case Rename() | DeleteDefinition():
                return Conditional(intent)
            case CommentOut(name=name) if name.replace(".", "_").isidentifier():
                return Conditional(intent)
        return Open()

    return made
