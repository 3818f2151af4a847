"""Add a parameter: how people ask for it, and that it be passed on."""

from __future__ import annotations

import re

from editd.intent.intents import AddParameter, Intent, Open
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import FUNCTION

_IS_PARAMETER = "((keyword)? (parameter|argument|param|arg)|keyword)"
_PARAMETER = f"(an?|the)? (new|optional|extra|additional)? ({_IS_PARAMETER} PARAMETERNAME|PARAMETERNAME {_IS_PARAMETER})"
_DEFAULT = (
    ", (= VALUE|((that|which)? defaults to|defaulting to) VALUE"
    "|(with)? (an?|the|its)? default (value)? (is|of|=|:)? VALUE) CLOSED"
)
_PASSED = "(, (and)? (then)? (pass|forward|hand|give) it (on|along|down|through)? (to|in|into) (EVERY|the)? (calls? (to|of))? OWNERNAME)?"
_A_CONSTANT = re.compile(r"None|True|False|-?\d[\d_]*(?:\.\d+)?")


def _parameter(slots: Slots) -> Intent:
    """The intent ``AddParameter``, function and callee without call brackets, each empty if it is not named. ``Open``
    (a model has to do it) if the parameter has no plain name, or its default is missing or not certainly a value: a
    text in quotes may be code. slots: the texts that the request gives, by role.
    """
    function, callee = (slots.get(role, "").removesuffix("()") for role in ("name", "owner"))
    default = slots.get("value", "")
    if not slots["parameter"].isidentifier() or not _A_CONSTANT.fullmatch(default):
        return Open()
    return AddParameter(function, slots["parameter"], default, callee)


ADD_PARAMETER = Rule(
    "add-parameter",
    paraphrases=(
        f"(WRITE|introduce) {_PARAMETER} {_DEFAULT} (to|for|in) {FUNCTION} {_PASSED}",
        f"(WRITE|introduce) {_PARAMETER} (to|for|in) {FUNCTION} {_DEFAULT} {_PASSED}",
        f"(give|let|make|have) {FUNCTION} (have|take|accept|get)? {_PARAMETER} {_DEFAULT} {_PASSED}",
        f"{FUNCTION} (MODAL (take|accept|have|get)|needs) {_PARAMETER} {_DEFAULT} {_PASSED}",
    ),
    intent=_parameter,
    name_slots=("name", "parameter", "owner"),
    is_of_one=True,
    examples=(
        ("add an argument timeout=30 to fetch", AddParameter("fetch", "timeout", "30")),
        (
            "give `fetch` a parameter `timeout` with default 30",
            AddParameter("fetch", "timeout", "30"),
        ),
        ("add a timeout parameter to fetch, default 30", AddParameter("fetch", "timeout", "30")),
        (
            "fetch should take a parameter timeout that defaults to 30",
            AddParameter("fetch", "timeout", "30"),
        ),
        (
            "add a parameter `timeout` with default 30 to `fetch` and pass it on to `get`",
            AddParameter("fetch", "timeout", "30", "get"),
        ),
        (
            "add an optional parameter timeout=30 to fetch and forward it to get",
            AddParameter("fetch", "timeout", "30", "get"),
        ),
    ),
)
