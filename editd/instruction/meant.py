"""The result of reading words literally, and the small steps by which one is computed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from editd.instruction.source import Token, split
from editd.prompts.outline import outline


@dataclass(frozen=True, slots=True)
class Literal:
    """What the words say of one text.

    readings: new texts, the most usual first. is_single: that one is certainly meant. stays: what
    resembles what is changed and is not, in words, with its lines (0-based). resembling: the text
    with that changed, too.
    """

    readings: tuple[str, ...]
    is_single: bool = False
    stays: tuple[tuple[str, tuple[int, ...]], ...] = ()
    resembling: str | None = None


def within(place: str, found: Literal, text: str, language: str) -> Literal | None:
    """What of it lies in the one definition called ``place``; ``None`` if there is none, or several."""
    lines = split(text)
    qualified = place.replace("::", ".").replace("#", ".")
    named = [
        one
        for one in outline(lines, language)
        if one.is_block and qualified in (one.name, one.qualified)
    ]
    if len(named) != 1:
        return None
    start, end = named[0].start, named[0].end
    readings = []
    for reading in found.readings:
        new = split(reading)
        if len(new) != len(lines):
            return None
        readings.append("".join([*lines[:start], *new[start:end], *lines[end:]]))
    stays = ((what, tuple(n for n in at if start <= n < end)) for what, at in found.stays)
    return Literal(
        tuple(dict.fromkeys(readings)), found.is_single, tuple((w, at) for w, at in stays if at)
    )


Spans = list[tuple[int, int, str]]


def with_spans(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """``text`` with each of the spans replaced; one that begins inside another is left out."""
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(set(spans)):
        if start >= done:
            pieces += (text[done:start], new)
            done = end
    return "".join((*pieces, text[done:]))


def as_word(text: str) -> re.Pattern[str]:
    """``text``, with word borders where it begins and ends as a word."""
    before = r"(?<!\w)" if re.match(r"\w", text) else ""
    after = r"(?!\w)" if re.search(r"\w$", text) else ""
    return re.compile(f"{before}{re.escape(text)}{after}")


def mentions_in(tokens: Iterable[Token], old: str, new: str) -> Spans:
    """Each mention of ``old`` inside these tokens."""
    word = as_word(old)
    return [
        (token.start + match.start(), token.start + match.end(), new)
        for token in tokens
        for match in word.finditer(token.text)
    ]


def _lines_of(text: str, spans: Iterable[tuple[int, int, str]]) -> tuple[int, ...]:
    starts = [0, *accumulate(map(len, split(text)))]
    return tuple(dict.fromkeys(bisect_right(starts, start) - 1 for start, _, _ in sorted(spans)))


def that_stays(text: str, *kinds: tuple[str, Spans]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Of each kind of what stays, its lines; kinds of which there is nothing are left out."""
    return tuple((what, _lines_of(text, spans)) for what, spans in kinds if spans)
