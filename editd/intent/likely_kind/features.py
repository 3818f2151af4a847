"""The features of a sentence by which its kind of edit is told: its words and the words beside them, with what is written like code
replaced by a sign for what it is. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import chain, pairwise

_CITED = re.compile(r"`[^`]*`")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")
_TOKEN = re.compile(r"<\w+>|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(\))?|\d+(?:\.\d+)?|->|→|=>|[^\w\s]")
_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|^[A-Z\d_]{3,}$")
_ENDINGS = ("ing", "ed", "es", "s", "ly")
_SHORTEST = 3  # letters of a stem
_PART = 4  # letters


def features_of(text: str, names: Collection[str]) -> frozenset[str]:
    """The features of a sentence: each token, each two that follow each other, each two with one between, and each part of four letters
    of a word, which slips of the keyboard and endings leave. names: of the buffer, by which a name that it has is told from a new one.
    """
    tokens = [*_tokens(text, names)]
    beside = (f"{a} {b}" for a, b in pairwise(tokens))
    around = (f"{a} _ {b}" for a, b in zip(tokens, tokens[2:], strict=False))
    parts = (
        f"{word[n : n + _PART]}*"
        for word in tokens
        if not word.startswith("<")
        for n in range(max(1, len(word) - _PART + 1))
    )
    return frozenset(chain(tokens, beside, around, parts))


def _tokens(text: str, names: Collection[str]) -> Iterator[str]:
    """Yield the stems and marks of a sentence, and signs for numbers, calls, quoted texts, code, known and new names."""
    bare = _QUOTED.sub(" <quoted> ", _CITED.sub(" <code> ", text))
    for found in _TOKEN.findall(bare):
        word = found.removesuffix("()")
        if len(found) > 1 and found[0] == "<":
            yield found
        elif found[0].isdigit():
            yield "<number>"
        elif word != found:
            yield "<call>"
        elif _LIKE_CODE.search(word):
            yield "<name>" if word in names else "<new>"
        else:
            yield _stem(word.lower())


def _stem(word: str) -> str:
    """A word without its ending, if at least three letters are left."""
    ending = next((x for x in _ENDINGS if word.endswith(x)), "")
    return word.removesuffix(ending) if len(word) - len(ending) >= _SHORTEST else word
