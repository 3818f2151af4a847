"""Wrap in try: how people ask that a function's body handle an error."""

from __future__ import annotations

import re

from editd.intent.intents import Intent, Open, WrapTry
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import FUNCTION

_BODY = f"(the|everything)? (whole|entire)? (body|contents?|code|calls?)? (of|in|to|inside)? {FUNCTION} (body)?"
_AN_ERROR = re.compile(r"[\w.]*(?:Error|Exception|StopIteration)")
_A_VALUE = re.compile(r"None|True|False|-?\d[\d.]*|\[\]|\{\}|\(\)|\"\"")


def _guarded(slots: Slots) -> Intent:
    """``WrapTry``; ``Open`` without the name of an error, or without a value that is certainly one.
    An empty value is an empty string.
    """
    value = slots.get("value", "?").replace(" ", "") or '""'
    if not _AN_ERROR.fullmatch(slots.get("error", "")) or not _A_VALUE.fullmatch(value):
        return Open()
    return WrapTry(slots["name"].removesuffix("()"), slots["error"], value)


WRAP_TRY = Rule(
    "wrap-try",
    canonical=(
        "(wrap|put|surround|enclose|guard) (the)? (whole)? (body of)? KIND? NAME (in|with|inside) TRY (for)? ERROR? (and return VALUE)?",
        "ADD TRY (for)? ERROR? (to|in|into|around) (the body of)? KIND? NAME (and return VALUE)?",
        "ADD (error|exception) handling to KIND? NAME with TRY",
        "the body of KIND? NAME (should|must) be in TRY",
        "let TRY enclose the body of KIND? NAME",
        "KIND? NAME needs TRY (around its body)? (for ERROR)?",
        "(catch|handle) ERROR in KIND? NAME (and return VALUE)?",
        "KIND? NAME should (catch|handle) ERROR (and return VALUE)?",
        "guard KIND? NAME against ERROR (and return VALUE)?",
        "let KIND? NAME catch ERROR (and return VALUE)?",
        "KIND? NAME should return VALUE on ERROR",
        "on ERROR in KIND? NAME return VALUE",
        "return VALUE (from|in) KIND? NAME on ERROR",
        "let KIND? NAME return VALUE when ERROR is raised",
        "if ERROR is raised in KIND? NAME, return VALUE",
    ),
    paraphrases=(
        f"(wrap|put|surround|enclose|guard|protect) {_BODY} (in|with|inside|into|by) TRY ((for|with|catching)? ERROR)?",
        f"{_BODY} (should|must|has to) (be|go) (wrapped|put|enclosed|surrounded|guarded)? (in|inside|into|by|with) TRY",
        f"ADD TRY ((for|with|catching)? ERROR)? (to|in|into|around|for|inside) {_BODY}",
        f"return VALUE (in|from) {FUNCTION} (when|if|on) (a|an)? ERROR (occurs|is raised|happens|is thrown)",
        f"in {FUNCTION}, (wrap|put|surround|enclose|guard) (the)? (whole)? (body|code|everything|contents?) (in|with|inside|into) TRY",
        f"{FUNCTION} MODAL return VALUE (on|when|if|for) (a|an)? ERROR (is raised|occurs|happens|is thrown)?",
        f"(handle|catch) (all|any|the)? (errors|exceptions|failures) (in|of|inside) {FUNCTION} (with|using|by) TRY",
        f"{FUNCTION} (needs|should have|must have|lacks|has no) (exception handling|error handling (with|using|by) TRY)",
        f"{FUNCTION} (needs|should have|must have|could use) TRY",
        f"(make|let)? {FUNCTION} (should|must)? (catch|handle) (all|any|its|the)? (errors|exceptions|ERROR)",
        f"ADD (error|exception) handling (to|in|for) {FUNCTION} (with|using) TRY",
        f"(catch|handle) (a|an|the|any)? ERROR (raised|thrown)? (in|inside|by|from) {FUNCTION}",
    ),
    plain="wrap the body of {name} in try/except {error}",
    intent=_guarded,
    is_of_one=True,
    examples=(
        ("f should return [] on KeyError", WrapTry("f", "KeyError", "[]")),
        ("if ValueError is raised in f, return None", WrapTry("f", "ValueError", "None")),
    ),
    near_misses=(
        "return None in f on error",
        "catch ValueError in f and return x",
        "wrap f in try/except ValueError",
    ),
)
