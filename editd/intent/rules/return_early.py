"""Return early: how people ask that a function's last if be turned around."""

from __future__ import annotations

from editd.intent.intents import ReturnEarly
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import FUNCTION

_EARLY = "(an?|some|the)? (early returns?|early-returns?|guard clauses?|guard-clauses?|early exits?|early-exits?|return-early style)"


RETURN_EARLY = Rule(
    "early-return",
    paraphrases=(
        f"(use|add|put|i want|write|introduce|have|insert) {_EARLY} (in|into|to|for|inside) {FUNCTION} (instead of ANYTHING)?",
        f"(use|add|i want|prefer) {_EARLY} (here)?",
        f"{_EARLY} (in|for) {FUNCTION}",
        f"return early (in|from) {FUNCTION} (instead of ANYTHING)?",
        "return early (here)? (instead of nesting)?",
        f"(invert|negate|flip) the (last|trailing|only)? (if|condition|if condition) (statement)? (in|of) {FUNCTION} ((and|to|so it)? return early|and use {_EARLY})?",
        f"(make|let|have) {FUNCTION} (return early|use {_EARLY})",
    ),
    intent=lambda slots: ReturnEarly(slots.get("name", "").removesuffix("()")),
    is_of_one=True,
    examples=(
        ("use an early return in f", ReturnEarly("f")),
        ("could you make load() return early?", ReturnEarly("load")),
        ("return early", ReturnEarly()),
    ),
    near_misses=("return early if x is None",),
)
