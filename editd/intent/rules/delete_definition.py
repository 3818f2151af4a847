"""Delete a definition: how people ask that a function, class, method or variable go."""

from __future__ import annotations

import re

from editd.intent.english import SIGNS, cut_owner
from editd.intent.intents import Conditional, DeleteDefinition
from editd.intent.rules.rule import RowMatch, Rule, Slots, if_defined
from editd.intent.rules.templates import deleting, deleting_too
from editd.intent.rules.word_lists import NO_DEFINITIONS

_DEFINED = (
    "(the|that|this|my|our)? (whole|entire|unused|old)? (KIND OLDNAME|OLDNAME KIND|OLDPLAIN KIND?)"
    " ((from|of|in) (the class OWNERNAME|(the)? OWNERNAME class|(class)? OWNERNAME))?"
)
# "Delete f and its calls": what becomes of these takes understanding.
_ITS_USES = re.compile(
    r"(?:with|and|including|in|at)\b.*\b(?:usages?|uses|references|callers|calls|occurrences|call sites)"
)


def _definition(slots: Slots) -> DeleteDefinition:
    """The definition that the slot ``old`` names; of a method with its class, where that is said."""
    owner, name = cut_owner(slots["old"])
    owner = owner.rstrip(".:#") or slots.get("owner", "")
    return DeleteDefinition(name, slots.get("kind", ""), owner)


def _is_no_definition(match: RowMatch) -> bool:
    """Whether a parameter is meant, a remark says that its uses are to go, too, or the word is none
    of a definition.
    """
    is_parameter = match.slots.get("kind", "").startswith(("param", "arg"))
    if any(_ITS_USES.fullmatch(remark.text) for remark in match.clause.remarks):
        return True
    return is_parameter or match.slots["old"].lower() in NO_DEFINITIONS | SIGNS


DELETE_DEFINITION = Rule(
    "delete-function",
    paraphrases=(
        "KIND OLDNAME has no callers, DELETE it",
        *deleting(_DEFINED),
        *deleting_too(_DEFINED),
    ),
    plain="delete {kind} {old}",
    rewrites_canonical=True,
    intent=_definition,
    name_slots=("old", "owner"),
    excludes=_is_no_definition,
    is_of_one=True,
    examples=(
        ("remove the function parse", DeleteDefinition("parse", "function")),
        ("load_items is dead code, get rid of it", DeleteDefinition("load_items")),
        ("the method Store.save can go", DeleteDefinition("save", "method", "Store")),
    ),
    near_misses=(
        "delete the function",
        "delete the cache",
    ),
)
"""Words that can only mean a definition."""
DELETE_IF_DEFINED = Rule(
    "delete-function",
    canonical=("DELETE OLDNAME WHERE?",),
    intent=if_defined(_definition),
    name_slots=("old",),
    excludes=_is_no_definition,
    is_of_one=True,
    examples=(("delete save", Conditional(DeleteDefinition("save"))),),
)
"""A bare name, if the buffer defines it."""
