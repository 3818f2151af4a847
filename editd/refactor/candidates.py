"""What the words of an instruction make of a text, and the text with some of it changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from editd.syntax.lines import line_starts, split
from editd.syntax.tokens import Token
from editd.syntax.words import mentions_of

Mentions = tuple[tuple[str, tuple[int, ...]], ...]
"""Things in words, each with its lines (0-based)."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the words say of one text.

    texts: new texts, the most usual first. is_certain: that one is certainly meant. stays: what
    resembles what is changed and is not, in words, with its lines (0-based). resembling: the text
    with that changed, too. assumes: what is taken for granted, as ``stays``. problem: why it must not be done as
    the words say, in a sentence for the user; then nothing is computed. absent: the name for whose lack nothing changes.
    """

    texts: tuple[str, ...]
    is_certain: bool = False
    left_alone: Mentions = ()
    wider: str | None = None
    assumptions: Mentions = ()
    problem: str = ""
    missing_name: str = ""


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


def whole_lines(text: str, start: int, end: int) -> tuple[int, int, str] | None:
    """The lines of what stands alone on them, a comment behind it included; ``None`` if it does not."""
    line = text.rfind("\n", 0, start) + 1
    after = re.compile(r"[ \t]*;?[ \t]*(?://.*|/\*[^\n]*?\*/[ \t]*)?(?:\n|$)").match(text, end)
    return None if text[line:start].strip() or after is None else (line, after.end(), "")


def mentions_in(tokens: Iterable[Token], old: str, new: str) -> Spans:
    """Each mention of ``old`` inside these tokens."""
    return [(start, end, new) for start, end in mentions_of(old, tokens)]


def _lines_of(text: str, spans: Iterable[tuple[int, int, str]]) -> tuple[int, ...]:
    starts = line_starts(split(text))
    return tuple(dict.fromkeys(bisect_right(starts, start) - 1 for start, _, _ in sorted(spans)))


def mentions_by_kind(text: str, *kinds: tuple[str, Spans]) -> Mentions:
    """Of each kind of what stays, its lines; kinds of which there is nothing are left out."""
    return tuple((what, _lines_of(text, spans)) for what, spans in kinds if spans)


_MOST_PLACES = 20  # of which each is a reading


def one_of_several(spans: Spans, texts: tuple[str, ...], text: str) -> Candidates:
    """Which of several places is meant by "the port 80" is not for the words to say."""
    each = (with_spans(text, [span]) for span in spans[:_MOST_PLACES])
    return Candidates(tuple(dict.fromkeys((*texts, *each))))
