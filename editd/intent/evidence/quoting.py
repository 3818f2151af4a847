"""Quotes what a request cites from the strings of a buffer: "the not found error" becomes "the 'not found' error". Standard library only."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.filler import FILLER

_WORD = re.compile(r"[^\W_]\w*")
_SAYING = re.compile(
    r"(?P<before>\b(?:saying|that (?:says|said|reads|prints)) )(?P<word>[^\W_][\w-]*)",
    re.IGNORECASE,
)
_LONGEST = 6  # words
_NEGATIONS = frozenset(["not", "no", "last", "first", "only"])


def with_citations_quoted(text: str, facts: BufferFacts) -> str:
    """``text`` with quotes around each longest run of two words or more that a string of the buffer has, if one of them is no
    filler, or says "not" or "last", which would narrow a request; and around a word behind "that says". Quoted texts stay.
    """
    text = _SAYING.sub(lambda x: f'{x["before"]}"{x["word"]}"', text)
    strings = [" ".join(_WORD.findall(x.lower())) for x in facts.strings]
    joined = "\n".join(f" {x} " for x in strings if " " in x)
    quoted = [x.span() for x in re.finditer(QUOTED, text)]
    words = [x for x in _WORD.finditer(text) if not any(a <= x.start() < b for a, b in quoted)]
    pieces, done, at = [], 0, 0
    while at < len(words):
        end = _end_of_citation(words, at, text, joined)
        if end - at > 1:
            start, stop = words[at].start(), words[end - 1].end()
            pieces += [text[done:start], f'"{text[start:stop]}"']
            done = stop
        at = max(end, at + 1)
    return "".join([*pieces, text[done:]])


def _end_of_citation(words: list[re.Match[str]], at: int, text: str, joined: str) -> int:
    """The number behind the last word of the longest citation that begins at ``at``; ``at`` for none."""
    for end in range(min(len(words), at + _LONGEST), at + 1, -1):
        run = [x[0].lower() for x in words[at:end]]
        gaps = (
            text[a.end() : b.start()]
            for a, b in zip(words[at:end], words[at + 1 : end], strict=False)
        )
        if any(gap != " " for gap in gaps):
            continue
        says_more = any(word not in FILLER or word in _NEGATIONS for word in run)
        if says_more and f" {' '.join(run)} " in joined:
            return end
    return at
