"""Candidates: the new texts that words may mean, certain if the first needs no model; and helpers to make them of spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from editd.diff.matching import changes
from editd.syntax.lines import line_starts, split
from editd.syntax.tokens import Token
from editd.syntax.words import mentions_of

Mentions = tuple[tuple[str, tuple[int, ...]], ...]
"""Kinds of mentions in words for the user, each with the numbers (0-based) of its lines."""
Lines = tuple[int, int]
"""Numbers ``start .. end`` (0-based) of lines, end exclusive."""
Spans = list[tuple[int, int, str]]
"""Characters ``start .. end`` of a text, and what replaces them."""
_MOST_PLACES = 20  # of which each is a candidate


@dataclass(frozen=True, slots=True)
class Candidates:
    """New texts that an instruction may ask for, the most usual first.

    is_certain: the first text is certainly meant. left_alone: mentions that resemble the change and stay. wider: the text
    with these changed, too. assumptions: what is taken for granted, and where. problem: why it must not be done, in a
    sentence for the user; then nothing is computed. asks_which: that sentence asks which of several things is meant.
    missing_name: the name for whose lack nothing changes.
    is_one_of_many: other texts may be as right, because the words leave a wording or an order open.
    nothing_to_do: why nothing changes, in a clause for the user ("“a” is already in HOSTS"); empty if the text changes.
    """

    texts: tuple[str, ...]
    is_certain: bool = False
    left_alone: Mentions = ()
    wider: str | None = None
    assumptions: Mentions = ()
    problem: str = ""
    asks_which: bool = False
    missing_name: str = ""
    is_one_of_many: bool = False
    nothing_to_do: str = ""


def with_spans(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """``text`` with each of the spans (in any order) replaced. Of equal spans one counts; one that begins inside
    another which is sorted before it is left out; insertions at the same place follow each other in alphabetical order.
    """
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(set(spans)):
        if start >= done:
            pieces += (text[done:start], new)
            done = end
    return "".join((*pieces, text[done:]))


def whole_lines(text: str, start: int, end: int) -> tuple[int, int, str] | None:
    """The span that deletes the whole lines on which the code ``start .. end`` (offsets) stands, with a semicolon and a
    comment (``//`` or ``/* */``) behind it; ``None`` if anything else stands on them, as a comment with ``#``.
    """
    line = text.rfind("\n", 0, start) + 1
    after = re.compile(r"[ \t]*;?[ \t]*(?://.*|/\*[^\n]*?\*/[ \t]*)?(?:\n|$)").match(text, end)
    return None if text[line:start].strip() or after is None else (line, after.end(), "")


def mentions_in(tokens: Iterable[Token], old: str, new: str) -> Spans:
    """A span with ``new`` for each mention of ``old`` in these tokens."""
    return [(start, end, new) for start, end in mentions_of(old, tokens)]


def _lines_of(text: str, spans: Iterable[tuple[int, int, str]]) -> tuple[int, ...]:
    """The numbers (0-based) of the lines in which spans begin."""
    starts = line_starts(split(text))
    return tuple(dict.fromkeys(bisect_right(starts, start) - 1 for start, _, _ in sorted(spans)))


def mentions_by_kind(text: str, *kinds: tuple[str, Spans]) -> Mentions:
    """The lines of each kind of mention; kinds without spans are left out."""
    return tuple((what, _lines_of(text, spans)) for what, spans in kinds if spans)


def on_earlier_lines(mentions: Mentions, text: str, earlier: str) -> Mentions:
    """``mentions`` of ``text`` with the numbers that their lines have in ``earlier``; lines that are not there, and kinds
    without any, are left out. A line that changed is there if as many lines changed into as many.
    """
    lines, old = split(text), split(earlier)
    numbers: dict[int, int] = {}
    shift, done = 0, 0
    for change in (*changes(old, lines), None):
        end = len(lines) if change is None else change.new_start
        numbers |= {number: number - shift for number in range(done, end)}
        if change is not None:
            if change.new_end - change.new_start == change.old_end - change.old_start:
                moved = change.new_start - change.old_start
                numbers |= {n: n - moved for n in range(change.new_start, change.new_end)}
            shift = change.new_end - change.old_end
            done = change.new_end
    found = ((what, tuple(numbers[n] for n in at if n in numbers)) for what, at in mentions)
    return tuple((what, at) for what, at in found if at)


def one_of_several(spans: Spans, texts: tuple[str, ...], text: str) -> Candidates:
    """Candidates for a request that means one of several places ("the port 80"), none of them certain: all ``texts``,
    then ``text`` with each of the first 20 spans replaced alone.
    """
    each = (with_spans(text, [span]) for span in spans[:_MOST_PLACES])
    return Candidates(tuple(dict.fromkeys((*texts, *each))))
