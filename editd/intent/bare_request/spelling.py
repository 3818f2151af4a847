"""Corrects slips of the keyboard in the words of a request that name an act or a thing: "delte", "uncoment", "modul".

Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from editd.intent.bare_request.clause_roles import ACTS

_THINGS = frozenset(
    """
    module modules import imports comment comments print prints string strings function functions method methods variable variables quotes quote parameter parameters
    argument arguments unused logging statement statements docstring docstrings constant constants everywhere annotation annotations setting settings dependency alphabetically please
    """.split()  # noqa: SIM905
)
_BEFORE_VALUES = frozenset(
    [
        "to",
        "as",
        "into",
        "called",
        "named",
        "be",
        "is",
        "with",
        "by",
        "say",
        "says",
        "something",
        "anything",
    ]
)
_LEAST = 5  # letters of a word that is looked at
_WORD = re.compile(r"(?<![\w.¤'’`/-])[a-z]+(?![\w.¤'’`/-])")


def corrected(text: str, known: Collection[str]) -> str:
    """The text with each word that is one slip away from exactly one word for an act or a thing replaced by it: a letter
    missing or too many, or two in the wrong order. Words of five letters or more, in small letters, that are not
    ``known``, and not behind a word that a new name or text follows ("rename f to delte").
    """

    def mended(found: re.Match[str]) -> str:
        word = found[0]
        above = text[: found.start()].split()[-1:]
        if above and above[0].lower() in _BEFORE_VALUES:
            return word
        if len(word) < _LEAST or word in known or word in ACTS or word in _THINGS:
            return word
        near = [x for x in (*ACTS, *_THINGS) if x[0] == word[0] and _is_one_slip(word, x)]
        return near[0] if len(near) == 1 else word

    return _WORD.sub(mended, text)


def _is_one_slip(word: str, target: str) -> bool:
    """Whether one word has a letter more than the other, which has five or more, or two in another order. Another letter in
    the place of one may be another word: "remote", "remove".
    """
    if (
        len(target) < _LEAST
        or abs(len(word) - len(target)) > 1
        or word in (f"{target}s", f"{target}d")
    ):
        return False
    size = min(len(word), len(target))
    at = next((n for n in range(size) if word[n] != target[n]), size)
    if len(word) == len(target):
        is_swap = word[at : at + 2] == target[at : at + 2][::-1]
        return is_swap and word[at + 2 :] == target[at + 2 :]
    short, long = sorted((word[at:], target[at:]), key=len)
    return short == long[1:]
