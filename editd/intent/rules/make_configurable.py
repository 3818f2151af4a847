"""Make configurable: how people ask that a constant that a call gets become a parameter."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import MakeConfigurable
from editd.intent.rules.guess import Guess

_NAME = r"[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?"
_DEFAULT = r"(?:[,;(]? ?(?:and |with |keep )?(?:an? |the )?(?:default(?:ing|s)?(?: value)?(?: to| of| is|:)? `?(?P<default>[^\s,)`]+)`?|(?P<default2>[\d.]+) (?:as|by) (?:the )?default)\)?)?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"make (?:the )?(?:hard-?coded )?{_NAME} (?:configurable|a parameter|an argument|adjustable|customi[sz]able){_DEFAULT}",
        rf"(?:the )?{_NAME} (?:should|must) be (?:configurable|a parameter|an argument){_DEFAULT}",
        rf"(?:parametri[sz]e|parameteri[sz]e) (?:the )?{_NAME}{_DEFAULT}",
    )
)


def _configurable(text: str) -> MakeConfigurable | None:
    """The intent of a request that a value be configurable, with its default if that is said; ``None`` for another one."""
    for form in _FORMS:
        if found := form.fullmatch(text):
            if found["name"].lower() in FUNCTION_WORDS:
                continue
            return MakeConfigurable(found["name"], found["default"] or found["default2"] or "")
    return None


MAKE_CONFIGURABLE = Guess(
    "make-configurable",
    reads=_configurable,
    examples=(
        ("make the timeout configurable, default 30", MakeConfigurable("timeout", "30")),
        ("timeout should be a parameter", MakeConfigurable("timeout")),
    ),
    near_misses=("make it configurable", "make the timeout longer", "make everything configurable"),
    reads_all_words=True,
)
"""A parameter in the place of a constant."""
