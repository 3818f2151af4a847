"""Where a model was not sure of a word of its own: which of those places a person is told, and how.

Of copied text nothing is said: a forgotten rename is copied with confidence. Nothing either of prose,
where many words would have done: docstrings, comments, messages, documents. How often this is right is
in docs/explanation/answers.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from heapq import nsmallest
from typing import NamedTuple

from editd.diff.hunk import Span

LESS_THAN = 0.6
"""A token of the model's own that was less likely than that is told (``python -m benchmarks hesitation``)."""

_MOST = 3  # in one hunk, the least certain: a line under every word would say nothing


class Hesitation(NamedTuple):
    """At one token of the model's own: how likely it was, and the text of the likeliest other."""

    chance: float
    rival: str


class Hesitated(NamedTuple):
    """``Hesitation`` at ``text``, code points ``start .. end`` of a hunk's new line ``line``."""

    line: int
    start: int
    end: int
    text: str
    at: Hesitation


def may_be_told(instruction: str, language: str) -> bool:
    """Whether hesitation says anything of an answer to ``instruction`` in this language."""
    return language not in _PROSE and not _ASKS_FOR_PROSE.search(instruction)


def spans(found: Sequence[Hesitated], less_than: float = LESS_THAN) -> tuple[Span, ...]:
    """The notes on one hunk, in the order of its text."""
    unsure = [one for one in found if one.at.chance < less_than and _differ(one)]
    told = sorted(nsmallest(_MOST, unsure, key=lambda one: one.at.chance))
    return tuple(Span(one.line, one.start, one.end, _sentence(one)) for one in told)


def _differ(one: Hesitated) -> bool:
    """Whether a person sees a difference between what was written and what might have been."""
    words = (one.text.strip(), one.at.rival.strip())
    return bool(words[0]) and words[0] != words[1] and "\ufffd" not in "".join(words)


def _sentence(one: Hesitated) -> str:
    rival = one.at.rival
    if not rival.strip():
        return f"hesitated here: {_quoted(one.text)} or {_blank(rival)}"
    return f"hesitated here: {_quoted(one.text)} or {_quoted(rival)}"


def _blank(text: str) -> str:
    if not text:
        return "the end of the answer"
    return "a new line" if "\n" in text or "\r" in text else "white space"


def _quoted(text: str) -> str:
    text = text.strip()
    return f"“{text}”" if "`" in text else f"`{text}`"


_PROSE = frozenset(["", "markdown", "text", "rst", "latex", "asciidoc"])
_ASKS_FOR_PROSE = re.compile(
    r"^(?!.*\b(?:delet|remov|drop|strip)).*\b(?:doc-?strings?|document(?:s|ed|ing|ation)?|comment(?:s|ed|ing)?"
    r"|log(?:s|ged|ging|ger)?|prints?|messages?|explain\w*|describ\w*|translat\w*|text)\b",
    re.IGNORECASE | re.DOTALL,
)
