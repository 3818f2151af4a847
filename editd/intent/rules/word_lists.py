"""Words that several rules know: types, calls that print, and words that are hardly names."""

from __future__ import annotations

import re

from editd.intent.english import CASE_STYLE, FUNCTION_WORDS, KINDS, PRONOUNS, SIGNS
from editd.intent.rules.rule import RowMatch

PRINT_CALL = re.compile(r"(?:print|println|printf|console\.log)(?:\(\.*\))?")
A_TYPE = re.compile(
    r".*[A-Z.\[|_\d]|(?:int|float|str|bytes|bool|list|dict|set|tuple|object|type|complex|range|string|integer|boolean|dictionary|nothing)\b"
)
TYPES = frozenset(
    """
    int integer str string bool boolean dict dictionary list tuple set float double bytes bytearray char date
    datetime time timedelta json async asyncio http https
    """.split()  # noqa: SIM905
)
TYPES_IN_ENGLISH = {"string": "str", "integer": "int", "boolean": "bool", "dictionary": "dict", "nothing": "None"}  # fmt: skip
NO_DEFINITIONS = frozenset(
    """
    hints hint annotations annotation checks checking errors self print print() decorator decorators
    docstring docstrings
    """.split()  # noqa: SIM905
)
NOUNS = frozenset(
    """
    code function functions method methods class classes variable variables file comments comment
    docstrings docstring prints imports import tests test lines line duplicates unused whitespace
    dead bug bugs error errors type types hints hint logging the a an and or something
    loop loops string strings number
    """.split()  # noqa: SIM905
)
_NO_WORDS = FUNCTION_WORDS | PRONOUNS | KINDS | SIGNS | NOUNS | NO_DEFINITIONS
_VALUES = frozenset(["on", "off", "yes", "no", "true", "false", "none", "null", "nil"])


def is_ordinary(match: RowMatch) -> bool:
    """Whether the slots say what something is, not its name: "change the loop to a comprehension"."""
    return _is_ordinary(match, new_may_be_value=True)


def is_ordinary_text(match: RowMatch) -> bool:
    """As ``is_ordinary``, for a word that is to be replaced: ``on`` and ``none`` are ordinary there."""
    return _is_ordinary(match, new_may_be_value=False)


def _is_ordinary(match: RowMatch, *, new_may_be_value: bool) -> bool:
    """Whether the request can hardly mean the word as it stands: a bare old or new word is an ordinary one, a call that
    prints, a style of writing or (new) a type; or the old text is in straight quotes or has no letter or digit.

    new_may_be_value: ``on``, ``none`` and the like are values in the slot ``new``.
    """
    old, new = match.slots["old"], match.slots["new"]
    if match.quotes["old"] in ("'", '"') or not re.search(r"\w", old):
        return True  # a text
    is_value = new_may_be_value and new.lower() in _VALUES
    bare = [] if match.quotes["old"] else [old]
    if not (match.quotes["new"] or is_value):
        bare.append(new)
    return any(
        word.lower() in _NO_WORDS or PRINT_CALL.fullmatch(word) or CASE_STYLE.fullmatch(word)
        for word in bare
    ) or (new in bare and new.lower() in TYPES)
