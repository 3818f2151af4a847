"""Extract a constant: how people ask that a number or text get a name at the top of the file."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED
from editd.intent.intents import ExtractConstant
from editd.intent.rules.guess import Guess

_ALL = r"(?P<all>(?:all|every|both|each)(?: of)? (?:the )?)?"
_VALUE = rf"(?:the |that |this )?(?:hard-?coded |magic |literal )*(?:number |value |string |text |literal |constant )?(?P<value>{QUOTED}|-?\d[\d_]*(?:\.\d+)?)(?:s(?=\b))?(?:[ -](?P<unit>(?!(?:into|to|as|in|out|with|by|for|should)\b)[a-z]+))?"
_CONSTANT = r"(?:an? |the )?(?:new |named |module(?:[- ]level)? |global |top[- ]level )*(?:constant|const)\b,? (?:called |named |with the name )?[`'\"]?(?P<name>[A-Za-z_]\w*)[`'\"]?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:extract|pull|move|turn|put|factor|hoist|convert|make|lift|refactor) {_ALL}{_VALUE}(?: out)?(?: into| to| as| in)? {_CONSTANT}",
        rf"(?:introduce|add|create|define|use) {_CONSTANT} (?:for|instead of|in place of) {_ALL}{_VALUE}",
        rf"replace {_ALL}{_VALUE} (?:by|with) {_CONSTANT}",
        rf"{_VALUE} should be {_CONSTANT}",
    )
)
_NO_NAMES = frozenset(["at", "for", "in", "on", "of", "and", "the", "with", "so", "please", "too"])


def _extracted(text: str) -> ExtractConstant | None:
    """The intent of a request that names a literal and its constant; ``None`` for another one."""
    for form in _FORMS:
        found = form.fullmatch(text)
        if found and found["name"].lower() not in _NO_NAMES:
            are_all = bool(found.groupdict().get("all"))
            unit = found["unit"] or ""
            return ExtractConstant(found["value"], found["name"], unit, are_all)
    return None


EXTRACT_CONSTANT = Guess(
    "extract-constant",
    reads=_extracted,
    examples=(
        (
            "pull the 30 days out into a constant called PAYMENT_DAYS",
            ExtractConstant("30", "PAYMENT_DAYS", "days"),
        ),
        (
            "replace the magic number 86400 with a constant SECONDS_PER_DAY",
            ExtractConstant("86400", "SECONDS_PER_DAY"),
        ),
        (
            'introduce a constant API_URL for "http://a"',
            ExtractConstant('"http://a"', "API_URL"),
        ),
    ),
    near_misses=(
        "move the 9.9 into a constant",
        "make 30 a parameter called days",
        "use constants instead of numbers",
    ),
    reads_all_words=True,
)
"""A literal that gets a name."""
