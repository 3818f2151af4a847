"""Comment out code: how people describe a statement, an entry or lines that are to be a comment."""

from __future__ import annotations

from editd.intent.description import Description, description_of
from editd.intent.intents import CommentOutCode
from editd.intent.rules.frames import commented_in
from editd.intent.rules.guess import Guess


def _commented(text: str) -> CommentOutCode | None:
    """The intent of a request that something described becomes a comment; ``None`` for another request."""
    found = description_of(commented_in(text))
    return None if found is None else CommentOutCode(found[0], within=found[1])


COMMENT_OUT_CODE = Guess(
    "comment-out-code",
    reads=_commented,
    examples=(
        ("comment out npm test", CommentOutCode(Description("npm test", is_bare=True))),
        (
            "comment out the fmt.Println in Set",
            CommentOutCode(Description("fmt.Println"), within="Set"),
        ),
        (
            "comment out the three EMAIL_ settings",
            CommentOutCode(Description("EMAIL_", "setting", count=3)),
        ),
    ),
    near_misses=("comment out the second loop", "comment out the tests"),
)
"""Code that the buffer has as often as the words say."""
