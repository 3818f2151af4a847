"""Comment out code: how people describe a statement, an entry or lines that are to be a comment, or a line that is one."""

from __future__ import annotations

import re

from editd.intent.description import Description, description_of
from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS, plain_name
from editd.intent.intents import CommentOut, CommentOutCode, Intent, Several
from editd.intent.lexicon import words_of
from editd.intent.rules.frames import commented_alone_in, commented_in
from editd.intent.rules.guess import Guess, of_each


def _commented(text: str) -> Intent | None:
    """The intent of a request that something described becomes a comment, or ``Several`` of a list of things; ``None``
    for another request. Words that only say "comment" give a terse intent, for calls alone.
    """
    if what := commented_in(text):
        return of_each(what, _of_one)
    return of_each(commented_alone_in(text), lambda what: _of_one(what, is_terse=True))


def _of_one(what: str, *, is_terse: bool = False) -> CommentOutCode | None:
    """The intent for one thing; ``None`` if the words describe nothing. is_terse: as of ``CommentOutCode``."""
    found = description_of(what)
    return None if found is None else CommentOutCode(found[0], is_terse, within=found[1])


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
        ("put a # in front of REDIS_HOST", CommentOutCode(Description("REDIS_HOST"))),
        ("// out the track(...) call", CommentOutCode(Description("track()", "call"))),
        ("comment the db entry", CommentOutCode(Description("db", "entry"), is_terse=True)),
        (
            "comment out git pull and npm ci",
            Several(
                (
                    CommentOutCode(Description("git pull", is_bare=True)),
                    CommentOutCode(Description("npm ci", is_bare=True)),
                )
            ),
        ),
    ),
    near_misses=("comment out the second loop", "comment out the tests"),
)
"""Code that the buffer has as often as the words say."""


_DEFINED = re.compile(
    r"(?:(?:the|this|that) )?(?:(?:whole|entire) )?(?:(?:function|method|class|test) )?(?P<name>`?[^\W\d][\w.]*`?(?:\(\))?)(?: (?:function|method|class|test))?",
    re.IGNORECASE,
)


def _definition(text: str) -> Intent | None:
    """The intent of a request that a definition becomes a comment, or several; ``None`` for another request."""
    return of_each(commented_in(text), _of_definition)


def _of_definition(what: str) -> CommentOut | None:
    """The intent for one definition; ``None`` if the words name none."""
    found = _DEFINED.fullmatch(what)
    return CommentOut(name=plain_name(found["name"])) if found else None


COMMENT_OUT_NAMED = Guess(
    "comment-out-definition",
    reads=_definition,
    examples=(
        ("i want test_negative commented out", CommentOut(name="test_negative")),
        ("the class Guest should be commented out", CommentOut(name="Guest")),
    ),
    near_misses=("comment the class Guest",),
)
"""A definition, if the buffer has it."""


_A_WORD = r"[`'\"]?[\w./@:-]+[`'\"]?"
_LINE = r"(?:line|entry|setting|statement|call|import|option|key|rule|assignment|volume|port)"
_AROUND = r"(?:service|section|function|method|block|job|class|stage|table)"
_BESIDE = rf"(?: (?:with|for|of|in|from|under) (?:the )?(?P<beside>{_A_WORD})(?: {_AROUND})?)?"
_NO_WORDS = (
    FUNCTION_WORDS
    | KINDS
    | LABELS
    | words_of("first second third last next only whole other line lines code block import call")
)
_UNCOMMENT = r"(?:uncomment|un-comment|comment in|re-enable|reactivate)"
_UNCOMMENTED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_UNCOMMENT} (?:the |that )?(?:commented[ -]out )?(?P<text>{_A_WORD}) {_LINE}{_BESIDE}(?: (?:back in|again))?",
        rf"{_UNCOMMENT} the (?:commented[ -]out )?(?P<text>{_A_WORD}){_BESIDE}(?: (?:back in|again))?",
        rf"comment (?:the |that )?(?P<text>{_A_WORD})(?: {_LINE})?{_BESIDE} (?:back in|in again)",
    )
)


def _uncommented(text: str) -> CommentOut | None:
    """The intent of a request that one line in comments becomes code again, which is told by a word on it, and perhaps by
    another one or the place; ``None`` for another request, or where the word is an ordinary one.
    """
    found = next((match for form in _UNCOMMENTED if (match := form.fullmatch(text))), None)
    if found is None or plain_name(found["text"]).lower() in _NO_WORDS:
        return None
    beside = plain_name(found["beside"] or "")
    return CommentOut(plain_name(found["text"]), is_undone=True, is_one=True, beside=beside)


UNCOMMENT_DESCRIBED = Guess(
    "uncomment-code",
    reads=_uncommented,
    examples=(
        ("uncomment the redis line", CommentOut("redis", is_undone=True, is_one=True)),
        (
            "comment the image of the web service back in",
            CommentOut("image", is_undone=True, is_one=True, beside="web"),
        ),
    ),
    near_misses=("uncomment the second line", "comment the loop"),
)
"""A line that is a comment, the only such one with that word."""
