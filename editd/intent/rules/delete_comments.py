"""Delete comments: how people ask that they go."""

from __future__ import annotations

from editd.intent.intents import DeleteComments
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import deleting, deleting_all, deleting_too

_COMMENTS = "(EVERY|the|any)? (the)? (code|inline)? comments?"
_PARAPHRASED = "(EVERY|the|any|my|both|any of)? (the|of the|those|these|of those|of these)? (code|inline|inline and block|line|block|useless|#|//)? comments? (lines?|blocks?)?"


DELETE_COMMENTS = Rule(
    "delete-comments",
    canonical=deleting(_COMMENTS),
    paraphrases=(
        *deleting(_PARAPHRASED),
        *deleting_too(_PARAPHRASED),
        *deleting_all(_PARAPHRASED),
    ),
    plain="delete all comments",
    intent=lambda _: DeleteComments(),
    takes_location=True,
    examples=(
        ("remove all comments", DeleteComments()),
        ("I don't want any comments in this code", DeleteComments()),
    ),
    near_misses=(
        "remove the comment above parse",
        "don't remove the comments",
        "remove the comments only where they are wrong",
        "remove the commented-out code",
    ),
)
