"""Renames a class, an id or a custom property of a style sheet wherever it stands.

a.css, "the class .card is too generic, .bread-card please"::

    .card { margin: 0; }
    .card:hover, .card-title { color: red; }

becomes::

    .bread-card { margin: 0; }
    .bread-card:hover, .card-title { color: red; }
"""

from __future__ import annotations

import re

from editd.intent.intents import RenameSelector
from editd.refactor.candidates import Candidates, with_spans
from editd.syntax.code import Code

STYLES = ("css", "scss", "less")
_SELECTOR = re.compile(r"(?<![\w-])(?:\.|#|--)[A-Za-z_][\w-]*(?=[^;{}]*(?:\{|:))")
_COLOUR = re.compile(r"#(?:[\da-fA-F]{3,4}|[\da-fA-F]{6}|[\da-fA-F]{8})")


def rename_selector(intent: RenameSelector, code: Code) -> Candidates | None:
    """The text with the new name, comments aside, as a certain candidate; ``None`` in other languages, if the text lacks the old name, or
    has the new one.
    """
    if code.language not in STYLES or not re.match(r"\.|#|--", intent.old):
        return None
    comments = code.tokens_of("comment")
    whole = re.compile(rf"(?<![\w-]){re.escape(intent.old)}(?![\w-])")
    if re.search(rf"(?<![\w-]){re.escape(intent.new)}(?![\w-])", code.text):
        return None
    places = [
        at.span()
        for at in whole.finditer(code.text)
        if not any(token.start <= at.start() < token.end for token in comments)
    ]
    spans = [(*place, intent.new) for place in places]
    return Candidates((with_spans(code.text, spans),), is_certain=True) if spans else None


def selectors_in(code: Code) -> frozenset[str]:
    """The classes, ids and custom properties of a style sheet, with their sign; empty in other languages."""
    if code.language not in STYLES:
        return frozenset()
    return frozenset(x for x in _SELECTOR.findall(code.text) if not _COLOUR.fullmatch(x))
