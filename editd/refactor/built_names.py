"""Texts of which a program builds names at run time, such as ``getattr(self, "handle_" + kind)``: who renames or deletes
``handle_open`` has to look at them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from editd.refactor.candidates import Spans
from editd.syntax.code import Code

TITLE = "texts of which names are built"
_TEXT = re.compile(r"(?P<mark>[\"'`])(?P<body>(?:\\.|(?!(?P=mark))[^\\\n])*)(?P=mark)")
_FILLED = re.compile(r"\$?\{[^{}\n]*\}|#\{[^{}\n]*\}|%[sdv]|\$\w+")
_JOINED_AFTER = re.compile(r"\s*(?:\+|\.\.?|<>|\|\||&)\s*(?:[\w$(]|concat\()")
_JOINED_BEFORE = re.compile(r"[\w)\]]\s*(?:\+|\.\.?|<>|\|\||&)\s*$")
_NEAR = 80  # characters
_SHORTEST = 2


def texts_building(name: str, code: Code) -> Spans:
    """The places of texts that may become ``name``: they begin, or end, as it does, and a value is put in or joined to
    them; a beginning has to end at the end of one of the name's words, and an end to begin so. Not in comments.

    Empty if the text does not define the name.
    """
    if all(x.name != name for x in code.definitions):
        return []
    found = [
        at
        for at in _TEXT.finditer(code.text)
        if any(_is_of(name, first, last) for first, last in _ends_of(at, code.text))
    ]
    prose = code.tokens_of("comment", "docstring") if found else []
    starts = [t.start for t in prose]

    def is_prose(offset: int) -> bool:
        before = bisect_right(starts, offset) - 1
        return before >= 0 and offset < prose[before].end

    return [(*at.span(), "") for at in found if not is_prose(at.start())]


def _ends_of(at: re.Match[str], text: str) -> Iterator[tuple[str, str]]:
    """Yield what a text begins and ends with around a value; nothing if it has none and is joined to none."""
    parts = _FILLED.split(at["body"])
    if len(parts) > 1:
        yield parts[0], parts[-1]
        return
    if _JOINED_AFTER.match(text, at.end()):
        yield at["body"], ""
    if _JOINED_BEFORE.search(text[max(0, at.start() - _NEAR) : at.start()]):
        yield "", at["body"]


def _is_of(name: str, first: str, last: str) -> bool:
    """Whether a name is these ends with something between, each border being one of its words."""
    if len(first) + len(last) < _SHORTEST or len(name) <= len(first) + len(last):
        return False
    if not (name.startswith(first) and name.endswith(last)):
        return False
    rest = name[len(first) : len(name) - len(last)]
    begins = not first or first.endswith("_") or rest[0].isupper() or rest[0] == "_"
    return begins and (not last or last[0] == "_" or last[0].isupper() or rest[-1] == "_")
