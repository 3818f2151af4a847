"""Make configurable: how people ask that a constant that a call gets become a parameter."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import MakeConfigurable
from editd.intent.rules.guess import Guess

_NAME = r"[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?"
_DEFAULT = r"(?:[,;(]? ?(?:and |with |keep )?(?:an? |the )?(?:default(?:ing|s)?(?: value)?(?: to| of| is|:)? `?(?P<default>[^\s,)`]+)`?|(?P<default2>[\d.]+) (?:as|by) (?:the )?default)\)?)?"
_WORDS = r"(?P<name>[a-z][\w]*(?: [a-z]\w*){0,2}?)"
_VALUE = r"`?(?P<default>-?\d[\d_.]*(?![\w.])|\"[^\"]*\"|'[^']*')`?(?:[ -]?(?P<unit>[a-z]+))?"
_ADJUSTABLE = r"(?:configurable|a parameter|an argument|adjustable|customi[sz]able|settable)"
_INSTEAD = rf"(?: instead of|,? not|, (?:it's|currently|now)|,? rather than)(?: (?:always|just|only))?(?: the| a| an)?(?: hard-?coded| hard coded| hard-?coding| fixed| literal| magic| constant)?(?: (?:value|number|string|default))?(?: of| to)? {_VALUE}"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"make (?:the )?(?:hard-?coded )?{_NAME} (?:configurable|a parameter|an argument|adjustable|customi[sz]able){_DEFAULT}",
        rf"(?:the )?{_NAME} (?:should|must) be (?:configurable|a parameter|an argument){_DEFAULT}",
        rf"(?:parametri[sz]e|parameteri[sz]e) (?:the )?{_NAME}{_DEFAULT}",
        rf"make (?:the )?(?:hard-?coded )?{_WORDS} {_ADJUSTABLE}(?:{_INSTEAD}|,? (?:with )?(?:an? |the )?default(?:ing)?(?: of| to)? {_VALUE.replace('<default>', '<default3>').replace('<unit>', '<unit3>')})?(?: as (?:the )?default)?",
        rf"(?:the )?{_WORDS} (?:should|must) be {_ADJUSTABLE}(?:{_INSTEAD})?",
    )
)


def _configurable(text: str) -> MakeConfigurable | None:
    """The intent of a request that a value be configurable, with its default if that is said; ``None`` for another one."""
    for form in _FORMS:
        if found := form.fullmatch(text):
            parts = found.groupdict()
            if {x.lower() for x in parts["name"].split()} & FUNCTION_WORDS:
                continue
            default = next(filter(None, (parts.get(f"default{n}") for n in ("", 2, 3))), "")
            unit = parts.get("unit") or parts.get("unit3") or ""
            return MakeConfigurable(parts["name"], default, unit)
    return None


MAKE_CONFIGURABLE = Guess(
    "make-configurable",
    reads=_configurable,
    examples=(
        ("make the timeout configurable, default 30", MakeConfigurable("timeout", "30")),
        ("timeout should be a parameter", MakeConfigurable("timeout")),
        (
            "make the payment term configurable instead of the hardcoded 30 days",
            MakeConfigurable("payment term", "30", "days"),
        ),
    ),
    near_misses=("make it configurable", "make the timeout longer", "make everything configurable"),
    reads_all_words=True,
)
"""A parameter in the place of a constant."""
