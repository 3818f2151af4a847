"""Replaces a word in prose, or in the strings or the comments of code.

a.md, "replace cat with dog"::

    The cat sat. Concatenate.

becomes::

    The dog sat. Concatenate.
"""

from __future__ import annotations

from editd.intent.intents import ReplaceWord
from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import Code
from editd.syntax.language import PROSE
from editd.syntax.words import as_word


def replace_word(intent: ReplaceWord, code: Code) -> Candidates | None:
    """The text with the word replaced wherever it stands whole, as a certain candidate.

    ``None`` if the text does not have the word; in code also if the word stands outside strings, comments and
    docstrings, or in two kinds of these, or tokens are unknown.
    """
    text, language = code.text, code.language
    old, new = intent.old, intent.new
    word = as_word(old)
    spans: Spans = [(at.start(), at.end(), new) for at in word.finditer(text)]
    tokens = code.tokens
    if not spans or (tokens is None and language not in PROSE):
        return None
    if tokens is not None:
        texts = [token for token in tokens if token.kind in ("string", "comment", "docstring")]
        kinds = {
            token.kind
            for start, _, _ in spans
            for token in texts
            if token.start <= start < token.end
        }
        is_in_text = all(
            any(token.start <= start < token.end for token in texts) for start, _, _ in spans
        )
        if not is_in_text or len(kinds) > 1:
            return None
    return Candidates((with_spans(text, spans),), is_certain=True)
