"""Comment out and uncomment: how people ask that code become a comment, or code again."""

from __future__ import annotations

import re
from collections.abc import Callable

from editd.intent.intents import CommentOut, Conditional, Intent, Open
from editd.intent.rules.rule import Rule, Slots, if_defined
from editd.intent.rules.templates import ALL, LINES_WITH

_LINES = f"{ALL} {LINES_WITH} (the (word|text|string))? (QUOTED|NAME)"
_COMMENTED = "EVERY? (the|this|that|my)? (commented (out)?|commented-out) (code|lines?|block|part)"
_CODE = (
    "(the)? (lines?|calls?|statements?)? (with)? (QUOTED|QUOTEDCODE) (lines?|calls?|statements?)?"
)
_NAMED = "((the|this|that)? (whole|entire)? (KIND NAME|NAMEPLAIN KIND?|NAME KIND))"
_SELECTED = (
    "(this|it|that|these|them|(the|this|my|current)* selection|(this|the|these|the selected|selected|those) (selected)? (code|lines?|block|part|region)"
    "|what is selected|what i (have)? selected)"
)
_FOR_NOW = "(for now|temporarily|completely)? WHERE?"
_UNCOMMENT = "(uncomment|comment in|un-comment|comment back in)"


def _commenting(code: str) -> tuple[str, ...]:
    """Rows that ask for ``code`` as a comment."""
    return (
        f"comment out {code} {_FOR_NOW}",
        f"comment {code} (out|away) {_FOR_NOW}",
        f"(turn|make|put) {code} (into|in)? (a comment|comments)",
    )


def _uncommenting(code: str) -> str:
    """The row that asks for ``code`` that is a comment."""
    return f"{_UNCOMMENT} {code} (again)? WHERE?"


def _definition(*, is_undone: bool) -> Callable[[Slots], CommentOut]:
    """Make the function that makes the intent from a request's slots: for the definition that they name, or for the
    selection where they name none. is_undone: comments become code again.
    """
    return lambda slots: CommentOut(
        name=slots.get("name", "").removesuffix("()"), is_undone=is_undone
    )


def _lines(*, is_undone: bool) -> Callable[[Slots], CommentOut]:
    """Make the function that makes the intent from a request's slots, for the lines that contain the text in them.
    is_undone: comments become code again.
    """
    return lambda slots: CommentOut(text=slots.get("quoted") or slots["name"], is_undone=is_undone)


def _code(*, is_undone: bool) -> Callable[[Slots], Intent]:
    """Make the function that makes the intent from a request's slots, for code in its own words (``quoted``): a plain
    name, also with ``()`` after it, stands for its definition, anything else for the lines with that code. is_undone:
    comments become code again.

    That function returns ``Open`` (a model has to do it) for other words of letters, digits, underscores and dots, such as a
    dotted name: its definition may be meant, or its use.
    """

    def made(slots: Slots) -> Intent:
        name = slots["quoted"].removesuffix("()")
        if name.isidentifier():
            return CommentOut(name=name, is_undone=is_undone)
        if re.fullmatch(r"[\w.]+", slots["quoted"]):
            return Open()
        return CommentOut(text=slots["quoted"], is_undone=is_undone)

    return made


COMMENT_OUT_LINES = Rule(
    "comment-out",
    paraphrases=(
        *_commenting(_LINES),
        f"comment out {ALL} QUOTEDCODE (lines|calls|statements) WHERE?",
    ),
    intent=_lines(is_undone=False),
    examples=(
        ("comment out the lines that contain log", CommentOut("log")),
        ("comment out the logger.debug lines", CommentOut("logger.debug")),
    ),
)
"""The lines with a text."""
COMMENT_OUT_CODE = Rule(
    "comment-out",
    paraphrases=_commenting(_CODE),
    intent=_code(is_undone=False),
    examples=(("turn `app.run(debug=True)` into a comment", CommentOut("app.run(debug=True)")),),
    near_misses=(
        "comment out the tests that fail",
        "comment out the print in the second loop",
    ),
)
"""Code in its own words."""
COMMENT_OUT_DEFINITION = Rule(
    "comment-out",
    paraphrases=(*_commenting(_NAMED), *_commenting(f"{_SELECTED}?")),
    intent=_definition(is_undone=False),
    examples=(
        ("comment out the function f", CommentOut(name="f")),
        ("comment out parse_header() for now", CommentOut(name="parse_header")),
        ("comment this out", CommentOut()),
    ),
)
"""A definition, or the selection."""
COMMENT_OUT_IF_DEFINED = Rule(
    "comment-out",
    paraphrases=_commenting("NAME"),
    intent=if_defined(_definition(is_undone=False)),
    examples=(("comment out load", Conditional(CommentOut(name="load"))),),
)
"""A bare name; uncertain if the buffer has no such definition."""
UNCOMMENT_IF_DEFINED = Rule(
    "uncomment",
    paraphrases=(_uncommenting("NAME"),),
    intent=if_defined(_definition(is_undone=True)),
    examples=(("uncomment load", Conditional(CommentOut(name="load", is_undone=True))),),
)
"""A bare name; uncertain if no comment has its definition."""
UNCOMMENT_LINES = Rule(
    "uncomment",
    paraphrases=(_uncommenting(_LINES),),
    intent=_lines(is_undone=True),
    examples=(("uncomment the lines with `log`", CommentOut("log", is_undone=True)),),
)
"""The lines with a text."""
UNCOMMENT_CODE = Rule(
    "uncomment",
    paraphrases=(_uncommenting(_CODE),),
    intent=_code(is_undone=True),
    examples=(("uncomment `run(1)`", CommentOut("run(1)", is_undone=True)),),
)
"""Code in its own words."""
UNCOMMENT_DEFINITION = Rule(
    "uncomment",
    paraphrases=(
        _uncommenting(_NAMED),
        _uncommenting(f"({_SELECTED}|everything|all (of it|this)?)?"),
        f"{_COMMENTED} (should|must) be (active|live|code|enabled) again",
    ),
    intent=_definition(is_undone=True),
    examples=(
        ("uncomment the function f", CommentOut(name="f", is_undone=True)),
        ("the commented-out code should be active again", CommentOut(is_undone=True)),
    ),
    near_misses=("uncomment the second line",),
)
"""A definition, the selection, or everything that is commented out."""
