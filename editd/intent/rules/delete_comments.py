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
_ONE = "(the|that|this)"
DELETE_COMMENT_WITH_TEXT = Rule(
    "delete-a-comment",
    paraphrases=(
        f"DELETE {_ONE} CODE (todo|fixme|code|inline)? comment",
        f"DELETE {_ONE} (todo|fixme|code|inline)? comment (with|saying|that says|that reads|containing|mentioning|that mentions|:)? CODE",
        f"DELETE {_ONE} OLDMARK comments?",
        f"DELETE {_ONE} OLDMARK",
    ),
    intent=lambda slots: DeleteComments(text=slots.get("code") or slots["old"]),
    name_slots=(),
    is_certain=lambda _: True,
    takes_location=True,
    is_of_one=True,
    examples=(
        ("delete the FIXME comment", DeleteComments(text="FIXME")),
        ("remove the comment that says 'not used'", DeleteComments(text="not used")),
    ),
    near_misses=("remove the outdated comment", "delete the comment about the cache"),
)
"""Of one comment, by a text in it."""
DELETE_COMMENT_BESIDE = Rule(
    "delete-a-comment",
    paraphrases=(
        f"DELETE {_ONE} (trailing|inline|end-of-line)? comment (behind|after|next to|beside|on the line (of|with)|at the end of (the line)?) ANCHOR",
    ),
    intent=lambda slots: DeleteComments(beside=slots["anchor"]),
    takes_location=True,
    is_of_one=True,
    examples=(
        ("delete the comment behind self.d.clear()", DeleteComments(beside="self.d.clear()")),
    ),
)
"""Of one comment, by the code before it."""
DELETE_COMMENTED_CODE = Rule(
    "delete-a-comment",
    paraphrases=(
        f"DELETE {_ONE} (commented-out|commented out|uncommented|outcommented) (line|statement)",
        f"DELETE {_ONE} (commented-out|commented out|outcommented) TEST (code|lines?|statements?|calls?|print|import|block)",
        f"DELETE {_ONE} (commented-out|commented out|outcommented) CODE (code|lines?|statements?|calls?|print|import|block)?",
    ),
    intent=lambda slots: DeleteComments(
        text=slots.get("code") or slots.get("test", ""), is_code=True
    ),
    takes_location=True,
    is_of_one=True,
    examples=(
        ("remove the commented-out dropout line", DeleteComments(text="dropout", is_code=True)),
    ),
)
"""Of code that was commented out."""
DELETE_ONLY_COMMENT = Rule(
    "delete-a-comment",
    paraphrases=(f"DELETE {_ONE} (only|html|xml|css|block|inline|line|trailing|single) comment",),
    intent=lambda _: DeleteComments(is_only=True),
    takes_location=True,
    is_of_one=True,
    examples=(("remove the html comment", DeleteComments(is_only=True)),),
)
"""Of the only comment of a text."""
