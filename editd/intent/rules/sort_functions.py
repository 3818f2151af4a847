"""Sort functions or methods by name: how people ask for it."""

from __future__ import annotations

from editd.intent.intents import SortFunctions
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import ALL

_SORT = "(sort|order|reorder|alphabeti[sz]e|arrange)"
_BY_NAME = "(alphabetically|by (their)? names?|in alphabetical order)?"
_OF_CLASS = "((of|in) (the)? (class)? NAME (class)?)"


SORT_FUNCTIONS = Rule(
    "sort-functions",
    paraphrases=(f"{_SORT} {ALL} functions {_BY_NAME} WHERE?",),
    intent=lambda _: SortFunctions(),
    examples=(("sort functions alphabetically", SortFunctions()),),
)
"""The functions of a file."""
SORT_METHODS = Rule(
    "sort-functions",
    paraphrases=(
        f"{_SORT} {ALL} methods {_OF_CLASS}? {_BY_NAME} WHERE?",
        f"{_SORT} {ALL} methods {_BY_NAME} {_OF_CLASS}",
    ),
    intent=lambda slots: SortFunctions(slots.get("name", ""), are_methods=True),
    examples=(
        ("sort the methods of Item", SortFunctions("Item", are_methods=True)),
        ("sort the methods by name", SortFunctions(are_methods=True)),
    ),
)
"""The methods of a class, of the only one if it is not named."""
