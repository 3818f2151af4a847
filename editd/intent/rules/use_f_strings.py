"""Use f-strings: how people ask for them."""

from __future__ import annotations

from editd.intent.intents import UseFStrings
from editd.intent.rules.rule import Rule

USE_F_STRINGS = Rule(
    "f-strings",
    canonical=(
        (
            "(use|convert to|switch to|change to|turn into|i want) FSTRINGS (instead of (.format|format|%|% and .?format))? "
            "(for (string)? formatting)? WHERE?"
        ),
        "(convert|change|turn|rewrite|replace|moderni[sz]e) (EVERY|the)? FORMATTING (to|into|with|by|as) FSTRINGS WHERE?",
        "(EVERY|the)? FORMATTING should be FSTRINGS WHERE?",
        "(the)? strings should be formatted with FSTRINGS",
        "format (the)? strings with FSTRINGS (only)?",
    ),
    paraphrases=(
        (
            "(use|make use of|convert to|switch to|change to|turn into|i want|i'd like|i prefer|i'd prefer|make|prefer) (python)? FSTRINGS "
            "((instead of|over|rather than|in place of|for|, not)? (EVERY|the)? (FORMATTING|%|strings|string interpolation))?"
        ),
        (
            "(make|convert|change|turn|rewrite|switch) (it|this|these|them|those|EVERY|the|all)? (the)? (strings|messages|formatted strings|string|log messages)? "
            "(to|into|as|with|be)? (use)? FSTRINGS"
        ),
        (
            "(convert|change|turn|rewrite|replace|moderni[sz]e|switch|migrate|port|update) (EVERY|the|all|all the)? FORMATTING WHERE? "
            "(to|into|with|by|as|to use) (python)? FSTRINGS"
        ),
        "(EVERY|the|all|all the)? (FORMATTING|strings|messages) (BECOMES|(should|must|can) (use|become)) FSTRINGS",
        "(DELETE|no|no more) FORMATTING, (use|but|make it|put) FSTRINGS (instead)?",
        "FSTRINGS ((instead of|over|rather than|for|not)? (EVERY|the)? (FORMATTING|%))?",
        "(switch|change|go|move|convert|migrate) from FORMATTING to FSTRINGS",
        "(rewrite|write|format|convert|do) (EVERY|the|all|all the)? (FORMATTING|strings|messages) (using|with|via|as) FSTRINGS",
    ),
    plain="use f-strings",
    intent=lambda _: UseFStrings(),
    takes_location=True,
    examples=(
        ("use f-strings", UseFStrings()),
        ("the strings should use f-strings", UseFStrings()),
    ),
    near_misses=("use f-strings for logging",),
)
