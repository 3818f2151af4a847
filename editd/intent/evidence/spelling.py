"""Mends the spelling of a request by the words for edits and the names of a buffer: "deletd", "the log level" for ``LOG_LEVEL``. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Collection

from editd.intent.english import QUOTED

_WORD = re.compile(r"(?<![\w.'’`\"/-])[a-z]{5,}(?![\w'’`\"(/-]|\.\w)")
_RUN = re.compile(r"(?<![\w.'’`\"/-])[A-Za-z]{2,}(?: [A-Za-z]{2,}){1,3}(?![\w'’`\"(/-]|\.\w)")
_ACTS = frozenset(
    "delete deleted remove removed comment commented comments uncomment uncommented enable disable please again unused function method option statement message print".split()  # noqa: SIM905
)
_BEFORE_VALUES = ("to", "as", "into", "called", "named", "with", "by", "say", "says", "something")
_SHORTEST = 7  # letters of a name that is written as several words
_SHORTENED = re.compile(
    rf"(?P<quoted>{QUOTED})|(?<![\w.])(?P<verb>do|does|did|is|are|was|were|has|have|had|should|must|could|would|ca)nt(?![\w(.])",
    re.IGNORECASE,
)


def with_apostrophes(text: str) -> str:
    """``text`` with the apostrophes that are left out of "dont" and "isnt"; quoted texts stay."""
    return _SHORTENED.sub(lambda x: x["quoted"] or f"{x['verb']}n't", text)


def with_typos_mended(text: str, known: Collection[str], words: frozenset[str] = _ACTS) -> str:
    """``text`` with each small word of five letters or more that differs from one of ``words`` by one letter more or less, or by the order of two,
    replaced by that; those that are ``known`` stay, and those behind a word that a new name or text follows ("rename f to delte").

    Another letter in the place of one may be another word: "remote", "remove".
    """

    def mended(found: re.Match[str]) -> str:
        word = found[0]
        above = text[: found.start()].split()[-1:]
        if word in known or word in words or (above and above[0].lower() in _BEFORE_VALUES):
            return word
        near = [x for x in words if _is_typo(word, x) and word not in (f"{x}s", f"{x}d")]
        return near[0] if len(near) == 1 else word

    return _WORD.sub(mended, text)


def with_names_joined(text: str, known: Collection[str]) -> str:
    """``text`` with each run of words that, joined by ``_`` or ``-``, are one of the words of a buffer, replaced by that in quotes."""
    names = {re.sub(r"[_-]", " ", x): x for x in known if re.search(r"[a-z][_-][a-z]", x)}

    def joined(found: re.Match[str]) -> str:
        words = found[0].split()
        for size in range(len(words), 1, -1):
            for at in range(len(words) - size + 1):
                name = names.get(" ".join(words[at : at + size]).lower(), "")
                if len(name) >= _SHORTEST:
                    return " ".join((*words[:at], f"`{name}`", *words[at + size :]))
        return found[0]

    return _RUN.sub(joined, text)


def _is_typo(word: str, right: str) -> bool:
    """Whether a word is another with one letter more or less, or with two of them in the wrong order."""
    if abs(len(word) - len(right)) > 1 or word[0] != right[0]:
        return False
    at = next(
        (n for n, (a, b) in enumerate(zip(word, right, strict=False)) if a != b),
        min(len(word), len(right)),
    )
    rest, other = word[at:], right[at:]
    is_swapped = rest[:2] == other[:2][::-1] and rest[2:] == other[2:]
    if len(word) == len(right):
        return is_swapped
    return rest[1:] == other if len(word) > len(right) else rest == other[1:]
