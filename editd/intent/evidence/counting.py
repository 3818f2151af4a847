"""Reads how many places a request is about: "both", "all three", "the message". Standard library only."""

from __future__ import annotations

import re

_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "2": 2, "3": 3, "4": 4}
_COUNTED = re.compile(
    rf"\b(?:all |the |these |those )*(?P<number>{'|'.join(_NUMBERS)})\b(?!-|\.|%)", re.IGNORECASE
)


def count_in(text: str) -> int | None:
    """The number of places in the words of a text; 0 if it has none, ``None`` if it has several."""
    numbers = {_NUMBERS[x["number"].lower()] for x in _COUNTED.finditer(text)}
    return None if len(numbers) > 1 else next(iter(numbers), 0)


def numbered(word: str) -> int:
    """The number that a word says; 0 for any other word."""
    return _NUMBERS.get(word.lower(), int(word) if word.isdigit() else 0)


def count_of(nouns: str, text: str) -> int:
    """The number of things of these nouns (alternatives of a pattern, in the singular) that a text speaks of: 2 for "two of the
    unused imports"; 0 if it has none, or several.
    """
    counted = rf"\b(?P<number>{'|'.join(_NUMBERS)})\s(?:of\s)?(?:[^\s,.:;]+\s){{0,3}}?(?:{nouns})(?:e?s)?\b"
    numbers = {_NUMBERS[x["number"].lower()] for x in re.finditer(counted, text, re.IGNORECASE)}
    return next(iter(numbers)) if len(numbers) == 1 else 0


def is_of_one(text: str, nouns: str) -> bool:
    """Whether a text speaks of a single thing of these nouns (alternatives of a pattern, in the singular): "the dup message"."""
    single = rf"\b(?:the|this|that|a|an|one)\s(?:[^\s,.:;]+\s){{0,4}}?(?:{nouns})\b(?!!?s\b|['’]s|-|[ -]?outs?\b| (?:calls|statements|lines|messages|strings|noise|outputs?))"
    return re.search(single, text, re.IGNORECASE) is not None


def is_of_several(text: str, nouns: str) -> bool:
    """Whether a text speaks of several things of these nouns, or of all: "the prints", "everywhere"."""
    several = rf"\b(?:(?:{nouns})(?:e?s|\(s\))|all(?! (?:of )?that\b)|every|everywhere|everything|any|each|throughout)\b"
    return re.search(several, text, re.IGNORECASE) is not None
