"""Compares words of a sentence with words of names: by their stems, abbreviations, and groups of words that mean the same in
settings ("tries" and ``retries``, "wide" and ``width``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENDINGS = ("ies", "ing", "ed", "er", "es", "s", "e", "y")
_ALIKE = 5  # letters at the beginning of two forms of a word
_SHORTEST = 3  # letters of a stem, and of an abbreviation
_GROUPS = tuple(
    frozenset(group.split())
    for group in (
        "timeout wait hang patience",
        "retry retries try tries attempt attempts",
        "max maximum limit cap upper longest top",
        "min minimum least",
        "width wide wider",
        "height high tall higher",
        "length long len",
        "size big large",
        "port listen listens",
        "host server machine hostname",
        "interval every period frequency poll",
        "keep kept retain retained retention hold",
        "from sender",
        "dir directory folder",
        "path directory folder file",
        "ttl lifetime live lives expire expires expiry expiration valid validity",
        "weight bold",
        "color colour",
        "replica replicas instance instances pod pods",
        "level verbosity",
        "delay sleep pause wait",
        "step stride",
        "depth deep",
        "page pages",
        "damage dmg",
        "address addr",
        "message msg text",
        "number num count",
        "temperature temp",
        "quantity qty",
        "config cfg configuration",
        "database db postgres postgresql mysql sqlite mongo",
        "directory dir",
        "separator sep delimiter delim",
        "language lang locale",
        "url uri link endpoint address",
        "gain factor",
        "alpha opacity",
        "ssid wifi wlan",
        "tag version",
        "enabled enable active on",
        "weight weigh weighs",
        "batch once",
        "concurrency concurrent parallel simultaneous",
    )
)


def parts_of_names(name: str) -> list[str]:
    """The words of a name or a text, in lower case: ``["max", "http", "size"]`` of ``maxHTTP_size``."""
    return [word.lower() for word in _WORD.findall(name)]


def stem(word: str) -> str:
    """A word in lower case without its ending, if three letters stay: "keep" of "keeping", "tri" of "tries" and "try"."""
    word = word.lower()
    for ending in _ENDINGS:
        short = word.removesuffix(ending)
        if short != word and len(short) >= _SHORTEST:
            is_doubled = (
                ending in ("ing", "ed", "er") and short[-1] == short[-2] and short[-1] not in "sl"
            )
            short = short[:-1] if is_doubled else short
            return stem(short) if ending in ("s", "es", "ing", "ed", "er") else short
    return word


def means(word: str, others: Iterable[str]) -> bool:
    """Whether a word of a sentence (of one part, in lower case) means one of these words of names: it has the same stem, stands in
    one group with it, or one of both abbreviates the other.
    """
    return any(_same(word, other) for other in others)


def _same(word: str, other: str) -> bool:
    """Whether two words in lower case mean the same."""
    if stem(word) == stem(other):
        return True
    if any(_is_in(word, group) and _is_in(other, group) for group in _GROUPS):
        return True
    short, long = sorted((word, other), key=len)
    return _abbreviates(short, long) or _begin_alike(short, long)


def _begin_alike(short: str, long: str) -> bool:
    """Whether two words differ in their endings alone, as "titrate" and "titration" do."""
    shared = next(
        (n for n, letters in enumerate(zip(short, long, strict=False)) if letters[0] != letters[1]),
        len(short),
    )
    return shared >= max(_ALIKE, len(short) - 1) and len(long) - shared <= 3 + (
        shared == len(short)
    )


def _is_in(word: str, group: frozenset[str]) -> bool:
    """Whether a group has a word, or one of its stem."""
    return word in group or any(stem(word) == stem(x) for x in group if len(x) > _SHORTEST)


def _abbreviates(short: str, long: str) -> bool:
    """Whether a word of three to five letters abbreviates a longer one: its beginning (``sep``), or its consonants (``dmg``)."""
    if not _SHORTEST <= len(short) <= 5 or len(long) < len(short) + 2 or not short.isalpha():
        return False
    if long.startswith(short) and short not in WHOLE_WORDS:
        return True
    consonants = re.sub(r"[aeiou]", "", short)
    rest = iter(re.sub(r"[aeiou]", "", long))
    return consonants == short and short[0] == long[0] and all(letter in rest for letter in short)


WHOLE_WORDS = frozenset(
    "time page port line file name list item user work over under post test form part back side data date host pass rate read left right log all one day set get put add end per pre key tab row car the for out not can may has".split()  # noqa: SIM905
)
"""Words that are no abbreviations where a longer one begins so."""
