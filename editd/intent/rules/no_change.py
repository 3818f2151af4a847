"""Change nothing: how people say so."""

from __future__ import annotations

from editd.intent.intents import Open
from editd.intent.rules.rule import Rule

NO_CHANGE = Rule(
    "no-change",
    canonical=(
        "(do|change|edit) nothing",
        "no changes? ((is|are)? needed)?",
        "(leave|keep) (it|this|everything|the (code|file|text)|all) (as it is|as is|unchanged|alone|the same)",
        "make no (changes|edits)",
        "(don't|do not) (change|edit|touch) anything",
        "this is (fine|good|right) as it is",
        "it can stay as it is",
        "nothing needs to be done",
        "let everything be as it is",
    ),
    examples=(("leave it as it is", Open()),),
)
