"""Sort imports: how people ask for their usual order."""

from __future__ import annotations

from editd.intent.intents import SortImports
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import IMPORTS

_SORTED = "((sorted|ordered|alphabetised|alphabetized|alphabetical|organi[sz]ed|arranged) (properly|alphabetically|by name)?|in (the|a)? (alphabetical|right|correct|proper|sensible)? order)"


SORT_IMPORTS = Rule(
    "sort-imports",
    paraphrases=(
        f"(sort|order|reorder|re-order|alphabeti[sz]e|arrange|rearrange|tidy|organi[sz]e|reorgani[sz]e) (up)? {IMPORTS} (up)? (alphabetically|properly|by name|in alphabetical order)? TOP? WHERE?, ((the)? (stdlib|standard library) first)?",
        f"(put|bring|get|place|have|i want|i'd like|i need) {IMPORTS} (in|into)? (to be)? {_SORTED} WHERE?",
        "(run|apply|do)? isort (on)? (this|the)? (file|module)? (here)?",
    ),
    intent=lambda _: SortImports(),
    examples=(
        ("sort the imports", SortImports()),
        ("the imports are a mess, sort them please", SortImports()),
        ("usings are out of order, sort them (System ones first)", SortImports()),
        ("sort the using directives", SortImports()),
    ),
    near_misses=(
        "single quotes, and sort the imports",
        "sort the imports by length",
        "sort the imports: standard library first, then our own modules",
        "sort the list using names",
        "sort the imports, but not the local ones",
        "don't sort the imports",
    ),
)
