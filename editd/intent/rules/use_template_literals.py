"""Use template literals: how people ask for them."""

from __future__ import annotations

from editd.intent.intents import UseTemplateLiterals
from editd.intent.rules.rule import Rule

_LITERALS = "(a|an|the)? (template|backtick|back-tick) (literals?|strings?)"
_JOINED = "(EVERY|the|all)? (the)? (string)? (concatenations?|concatenated strings?|concatenating|+|plus|plus signs?)"


USE_TEMPLATE_LITERALS = Rule(
    "template-literals",
    paraphrases=(
        f"(use|prefer|i want|switch to) {_LITERALS} ((instead of|rather than|over|for|not) {_JOINED})? WHERE?",
        f"(convert|change|turn|replace|rewrite|switch) {_JOINED} (to|into|with|by|as) {_LITERALS} WHERE?",
    ),
    intent=lambda _: UseTemplateLiterals(),
    takes_location=True,
    examples=(
        ("use template literals", UseTemplateLiterals()),
        ("template literal in label please", UseTemplateLiterals(location="label")),
        (
            "use a template literal for the url in fetchTodos",
            UseTemplateLiterals(location="fetchTodos"),
        ),
    ),
    near_misses=("use a template literal for the title only",),
)
