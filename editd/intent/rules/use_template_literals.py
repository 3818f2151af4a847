"""Use template literals: how people ask for them."""

from __future__ import annotations

import re

from editd.intent.intents import UseTemplateLiterals
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule
from editd.intent.rules.use_f_strings import STRING_OF_FUNCTION, take_heading
from editd.intent.slots import UnreadText

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
_NEW = re.compile(
    r"\b(?:an? |the )?(?:(?:template|backtick|back-tick|interpolated|es6)[- ](?:literals?|strings?)|backticks?|string interpolation)(?!\w)",
    re.IGNORECASE,
)
_BACKWARDS = re.compile(
    r"\b(?:instead of|rather than|over|from|not|no|without|replace|drop|remove|convert|change|turn) (?:all |the |an? )*(?:template|backtick)",
    re.IGNORECASE,
)
_CONCATENATION = re.compile(
    r"(?:\b(?:the|its|all|string|that|this|of) )*(?:\bconcat(?:enation|enations|enating|enate|enated)?\b|(?<!\w)\+(?!\w)|\bplus(?: signs?)?\b)(?: of strings| strings?| there)?",
    re.IGNORECASE,
)
_KNOWN = words_of(
    """
    change changed convert converted turn turned switch replace replaced rewrite swap prefer migrate move update modernize
    modernise build builds building return returns returning strings string literal literals message messages line instead
    rather than place over become becomes still there here expression everywhere all every each both no more
    """
)


def _template_literals(text: str) -> UseTemplateLiterals | None:
    """The intent of a request for template literals, in a function if one is named, or for a single string there;
    ``None`` for another request, the other way round, or if words are left that are not known, or a single string is meant and no function named.
    """
    unread = UnreadText(text)
    if _BACKWARDS.search(text) or not unread.take_all(_NEW):
        return None
    unread.take_all(_CONCATENATION)
    is_of_one = unread.take(STRING_OF_FUNCTION) is not None
    location = take_heading(unread, _KNOWN) or unread.take_function(_KNOWN)
    if not unread.says_only(_KNOWN) or (is_of_one and not location):
        return None
    return UseTemplateLiterals(location=location, is_of_one=is_of_one)


TEMPLATE_LITERALS = Guess(
    "template-literals",
    reads=_template_literals,
    examples=(
        ("label with a template literal", UseTemplateLiterals(location="label")),
        ("label should return a template string", UseTemplateLiterals(location="label")),
        (
            "in render, build the url with a template literal",
            UseTemplateLiterals(location="render", is_of_one=True),
        ),
    ),
    near_misses=("template literals in label unless it is short",),
    is_of_one=False,
    reads_all_words=True,
)
"""In a function, or of one string."""
