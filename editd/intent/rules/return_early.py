"""Return early: how people ask that a function's last if be turned around."""

from __future__ import annotations

import re

from editd.intent.intents import ReturnEarly
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import FUNCTION

_EARLY = "(an?|some|the)? (early returns?|early-returns?|guard clauses?|guard-clauses?|early exits?|early-exits?|return-early style)"


_TURN = "(invert|negate|flip|reverse|turn around|turn round)"
_THE_IF = "(the)? (last|trailing|only|outer|outermost|nested|big)? (if|if condition|if statement|if block|if check|condition|check)"
_RETURNING = f"((and|to|so|so that|so it|, so it|, so that it)? (return|returns|exit|exits|leave|leaves|bail out) early|and use {_EARLY})?"
# What is said of a value that a condition asks for.
_SAID_OF_VALUES = re.compile(
    r"(?:^(?:if|not|no|the) )|(?: (?:is|are|was|isn't|is not|not|empty|falsy|missing|unset|set|none|null|nil|undefined|false|there|given))+$",
    re.IGNORECASE,
)


def _turned(slots: Slots, *, in_loop: bool = False) -> ReturnEarly:
    """The intent ``ReturnEarly`` with the function, the condition and the value that the slots name, each empty if it
    is not named. in_loop: a loop's last ``if`` is meant.
    """
    test = _SAID_OF_VALUES.sub("", _SAID_OF_VALUES.sub("", slots.get("test", "")))
    value = slots.get("value", "")
    return ReturnEarly(slots.get("name", "").removesuffix("()"), test, value, in_loop=in_loop)


RETURN_EARLY = Rule(
    "early-return",
    paraphrases=(
        f"(use|add|put|i want|write|introduce|have|insert|prefer|make) {_EARLY} (in|into|to|for|inside) {FUNCTION} (instead of ANYTHING)?",
        f"(use|add|i want|prefer|introduce) {_EARLY} (here)? (instead of (the)? (nested|nesting|deep)? (if|ifs|nesting|else))?",
        f"{_EARLY} (in|for) {FUNCTION}",
        f"return early (in|from) {FUNCTION} (instead of ANYTHING)?",
        "return early (here)? (instead of nesting)?",
        f"{_TURN} {_THE_IF} (in|of) {FUNCTION} {_RETURNING}",
        f"(make|let|have) {FUNCTION} (return early|use {_EARLY})",
        f"{FUNCTION} (should|must|could) (return early|use {_EARLY})",
        f"{_TURN} {_THE_IF} {_RETURNING}",
        f"{_TURN} (the)? TEST (if|check|condition|test) {_RETURNING}",
        f"{_TURN} (the)? (if|check|condition|test)? (for|on|of)? TESTQUOTED {_RETURNING}",
        "(check|handle|test) (for)? (the)? TEST (case)? first and return (early)?",
        "return VALUE early (when|if|for) TEST",
        "(flatten|reduce|remove|avoid|un-nest|unnest|get rid of) (the)? (nesting|nested if|nested ifs|if nesting) ((with|by|using) LEAD)?",
    ),
    intent=_turned,
    takes_location=True,
    is_of_one=True,
    examples=(
        ("use an early return in f", ReturnEarly("f")),
        ("could you make load() return early?", ReturnEarly("load")),
        ("return early", ReturnEarly()),
        (
            "in main, flip the isdir check and return early",
            ReturnEarly(test="isdir", location="main"),
        ),
        ("add_tag: invert `if t`", ReturnEarly(test="t", location="add_tag")),
        (
            "pct: return '-' early when whole is empty",
            ReturnEarly(test="whole", value="-", location="pct"),
        ),
    ),
    near_misses=(
        "return early if x is None",
        "return early if the user is too young to drive or vote",
    ),
)
CONTINUE_EARLY = Rule(
    "early-return",
    paraphrases=(
        "(use|add|put) (a|an)? (early)? continue (in (the)? (for|while)? loop)? (instead of (the)? (nested|nesting|indented)? (if|ifs|nesting))?",
        f"{_TURN} {_THE_IF} (in (the)? (for|while)? loop)? (and|to)? (use)? (a)? continue (early|instead)?",
        f"{_TURN} {_THE_IF} (in|of|inside) (the)? (for|while)? loop",
        "continue early ((when|if) TEST)?",
    ),
    intent=lambda slots: _turned(slots, in_loop=True),
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            "use continue instead of the nested if in send_all",
            ReturnEarly(in_loop=True, location="send_all"),
        ),
    ),
)
"""In a loop."""
