"""Replaces a number."""

from __future__ import annotations

import re

from editd.intent.intents import Replace
from editd.refactor.candidates import (
    Literal,
    one_of_several,
    that_stays,
    with_spans,
)
from editd.refactor.replace_text import replace_only_in
from editd.syntax.code import read_code


def renumbered(meaning: Replace, text: str, language: str) -> Literal | None:
    """Another number, where it stands as one."""
    old, new = meaning.old, meaning.new
    if meaning.only not in ("", "code"):
        word = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
        return replace_only_in(meaning.only, word, new, text, language)
    pattern = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
    everywhere = pattern.sub(lambda _: new, text)
    tokens = read_code(text, language).tokens
    if tokens is None or old.startswith(("-", "+")):
        return Literal((everywhere,))
    spans = [(t.start, t.end, new) for t in tokens if t.kind == "number" and t.text == old]
    others = [(at.start(), at.end(), new) for at in pattern.finditer(text)]
    known = set(spans)
    others = [span for span in others if span not in known]
    stays = that_stays(text, ("strings or comments", others))
    readings = tuple(dict.fromkeys((with_spans(text, spans), everywhere)))
    if meaning.is_one and len(spans) > 1:
        return one_of_several(spans, readings, text)
    return Literal(readings, bool(spans), stays, everywhere if stays else None)
