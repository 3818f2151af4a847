"""Replaces a word in prose."""

from __future__ import annotations

from editd.intent.intents import ReplaceWord
from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import read_code
from editd.syntax.words import as_word

PROSE = ("text", "markdown", "rst", "latex")


def replace_word(intent: ReplaceWord, text: str, language: str) -> Candidates | None:
    """A word in prose, or in strings or comments alone; ``None`` where the program calls something so."""
    old, new = intent.old, intent.new
    word = as_word(old)
    spans: Spans = [(at.start(), at.end(), new) for at in word.finditer(text)]
    tokens = read_code(text, language).tokens
    if not spans or (tokens is None and language not in PROSE):
        return None
    if tokens is not None:
        texts = [one for one in tokens if one.kind in ("string", "comment", "docstring")]
        kinds = {one.kind for start, _, _ in spans for one in texts if one.start <= start < one.end}
        is_in_text = all(
            any(one.start <= start < one.end for one in texts) for start, _, _ in spans
        )
        if not is_in_text or len(kinds) > 1:
            return None
    return Candidates((with_spans(text, spans),), is_certain=True)
