"""Forms of a word and the words inside of names: "retries" and ``retry``, "failure count" and ``getFailureCount``.

Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_SHORTEST = 3  # letters of a stem


@lru_cache(maxsize=4096)
def words_in(text: str) -> frozenset[str]:
    """The words of a text in lower case, and the parts of its names: ``max``, ``size`` and ``max_size`` of ``max_size``."""
    whole = re.findall(r"[^\W_](?:[\w-]*[^\W_])?", text)
    parts = (part for word in whole for part in _PART.findall(word))
    return frozenset(word.lower() for word in (*whole, *parts))


@lru_cache(maxsize=4096)
def stems_of(word: str) -> frozenset[str]:
    """A word in lower case without its ending, in the ways in which that may be spelled: "copy" and "copi" of "copies"."""
    return frozenset(_stems(word.lower()))


@lru_cache(maxsize=4096)
def inflected(word: str) -> frozenset[str]:
    """The words, in lower case, of which a word may be the plural or a form of the verb: "pop" of "popping"."""
    word = word.lower()
    stems = {word}
    for ending in ("s", "es", "ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST:
            stems |= {stem, f"{stem}e", stem[:-1] if stem[-1] == stem[-2] else stem}
    return frozenset(stems)


def are_forms(first: str, second: str) -> bool:
    """Whether two words may be forms of one: "retries" and "retry", "popping" and "pop"."""
    return first.lower() == second.lower() or not stems_of(first).isdisjoint(stems_of(second))


def _stems(word: str) -> Iterator[str]:
    yield word
    if not word.isalpha():
        return
    for ending in ("ies", "ied", "ification"):
        if word.endswith(ending):
            yield f"{word.removesuffix(ending)}{'ify' if len(ending) > 3 else 'y'}"
    for ending in ("s", "es", "ed", "d", "ing", "er", "or", "ion", "ment", "ence", "ance", "e"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST:
            yield stem
            if stem[-1] == stem[-2]:
                yield stem[:-1]
