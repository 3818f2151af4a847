"""Set a value: how people ask that a variable, key or setting get another one."""

from __future__ import annotations

import re

from editd.intent.intents import Conditional, Intent, SetValue
from editd.intent.rules.replace_number import is_of_signs
from editd.intent.rules.rule import Rule, Slots, bare_names_are_certain
from editd.intent.rules.word_lists import is_ordinary

_CALLING = re.compile(r"(?:call|pass|invoke)\b", re.IGNORECASE)  # an argument, no setting
_SETTING = "(value|key|field|option|setting|property|entry|number|flag)"


SET_NUMBER = Rule(
    "replace-number",
    canonical=(
        (
            "(set|change|update|make|bump|let) (the)? (value of)? KIND? OLDNAME (to|=|be)? NEWNUMBER "
            "(instead of NUMBER)? WHERE?"
        ),
        "(change|update) (the)? (value of)? KIND? OLDNAME from NUMBER to NEWNUMBER WHERE?",
        "KIND? OLDNAME = NEWNUMBER (instead of NUMBER)?",
        "KIND? OLDNAME : NEWNUMBER (instead of NUMBER)?",
        "give KIND? OLDNAME the value NEWNUMBER",
        "(the new value of|from now on) KIND? OLDNAME is NEWNUMBER",
    ),
    paraphrases=(
        (
            "(set|raise|increase|lower|reduce|decrease|bump|adjust|change) THE? (default)? (value of)? KIND? OLDNAME KIND? (value)? (up|down)? "
            "(from NUMBER)? (to|=|be) NEWNUMBER UNIT"
        ),
        "(i want|i'd like) THE? (default)? KIND? OLDNAME KIND? (to be (set to)?|set to) NEWNUMBER UNIT",
        "(OLDPLAIN|KIND OLDNAME|(set|use|train|run|WORDS) with OLDNAME) (to|->|=) NEWNUMBER",
        "THE? (default|new)? (value of)? KIND? OLDNAME KIND? MODAL be NEWNUMBER",
        "CHANGE THE? (default)? (value of)? KIND? OLDCODE (value)? (from NUMBER)? (to|=|be) NEWNUMBER UNIT",
        "THE? (default)? (value of)? KIND? OLDCODE KIND? (value)? (SHOULD|MODAL (go|be (set|raised|changed|increased|reduced|lowered)) (up|down)? to|is now|becomes) NEWNUMBER UNIT, (INSTEAD NUMBER)?",
    ),
    plain="set {old} to {new}",
    rewrites_canonical=True,
    intent=lambda slots: SetValue(slots["old"], slots["new"]),
    name_slots=("old",),
    number_slots=("new",),
    excludes=lambda match: is_of_signs(match) or _CALLING.match(match.clause.text) is not None,
    is_certain=bare_names_are_certain,
    takes_location=True,
    model_takes_location=True,
    examples=(
        ("set LIMIT to 30", SetValue("LIMIT", "30")),
        ("raise LIMIT from 3 to 5", SetValue("LIMIT", "5")),
        ("the new value of TIMEOUT is 2.5", SetValue("TIMEOUT", "2.5")),
    ),
    near_misses=("set the timeout to a larger value", "call fetch with timeout=10"),
)
"""A number for something that is named."""


def _value_of_any_kind(slots: Slots) -> Intent:
    """A value of the kind that the old one has, if the buffer has such a thing."""
    return Conditional(SetValue(slots["old"], slots["new"], accepts_any_kind=True))


SET_VALUE = Rule(
    "set-value",
    paraphrases=(
        f"(set|bump|configure) THE? (value of)? KIND? OLDTOKEN {_SETTING}? (to|=|be|:) NEWTOKEN WHERE?",
        f"(change|update|switch|turn|make|put|increase|lower|raise|reduce) THE? (value of)? KIND? OLDTOKEN {_SETTING}? (to|=|be|:)? NEWVALUE WHERE?",
        f"(set|change|update|bump|switch) THE? (value of)? KIND? OLDTOKEN {_SETTING}? from NUMBER (to|->) NEWTOKEN WHERE?",
        f"THE? (value of)? KIND? OLDTOKEN {_SETTING}? MODAL be (set to)? NEWVALUE WHERE?",
        "OLDTOKEN (:|=) NEWVALUE",
        "(use|set)? OLDTOKEN NEWNUMERAL",
    ),
    intent=_value_of_any_kind,
    name_slots=(),
    excludes=is_ordinary,
    takes_location=True,
    examples=(
        ("set version to 1.1.0", Conditional(SetValue("version", "1.1.0", accepts_any_kind=True))),
        ("turn debug on", Conditional(SetValue("debug", "on", accepts_any_kind=True))),
        ("port 9090", Conditional(SetValue("port", "9090", accepts_any_kind=True))),
    ),
)
"""A value of any kind, if the buffer has a value of that kind under the name."""
