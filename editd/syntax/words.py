"""A word or a name in any text: a pattern for it as a whole, where tokens mention it, and the words in a name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from editd.syntax.tokens import Token

_IN_A_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def as_word(text: str) -> re.Pattern[str]:
    """A pattern for ``text`` as a whole word: with borders where it begins and ends with a letter, a digit or ``_``."""
    before = r"(?<!\w)" if re.match(r"\w", text) else ""
    after = r"(?!\w)" if re.search(r"\w$", text) else ""
    return re.compile(f"{before}{re.escape(text)}{after}")


def mentions_of(word: str, tokens: Iterable[Token]) -> list[tuple[int, int]]:
    """Start and end of each mention of ``word`` inside these tokens."""
    pattern = as_word(word)
    return [
        (token.start + match.start(), token.start + match.end())
        for token in tokens
        for match in pattern.finditer(token.text)
        if not token.text[: match.start()].endswith("\\")  # the n of "\\n"
    ]


def words_in_name(name: str) -> list[str]:
    """The words and numbers of a name in any style, in lower case: ``max``, ``size`` and ``2`` of ``maxSize_2``."""
    return [word.lower() for word in _IN_A_NAME.findall(name)]


def without_plural(word: str) -> str:
    """A word without the ``s`` at its end, if at least three characters are before that."""
    return re.sub(r"(?<=\w{3})s$", "", word)
