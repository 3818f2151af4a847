"""Replaces a number where it stands as one in code.

a.py, "replace 30 with 60"::

    TIMEOUT = 30
    NOTE = "30 seconds, 300 at most"

becomes::

    TIMEOUT = 60
    NOTE = "30 seconds, 300 at most"

Dockerfile, "replace 8000 by 8080"::

    EXPOSE 8000
    HEALTHCHECK CMD curl http://localhost:8000/ok

becomes::

    EXPOSE 8080
    HEALTHCHECK CMD curl http://localhost:8080/ok
"""

from __future__ import annotations

import re

from editd.intent.intents import ReplaceNumber
from editd.refactor.candidates import (
    Candidates,
    mentions_by_kind,
    one_of_several,
    with_spans,
)
from editd.refactor.replace_text import replace_only_in
from editd.syntax.code import Code

_SETTINGS = frozenset(["dockerfile", "yaml", "toml", "ini", "properties", "dotenv", "env"])
_TELLING = 3  # digits of a number that is hardly a part of something else


def replace_number(intent: ReplaceNumber, code: Code) -> Candidates | None:
    """Candidates: the number replaced in code, then everywhere; or only in the comments, docstrings or strings that the
    intent names. What stands in strings or comments is named as left alone.

    Certain if code has the number as written (not as a member after a dot); if several places have it, but the intent
    speaks of one (``is_of_one``), each of the first 20 places alone is a candidate, too, and none is certain. Never
    certain for a number with a sign or where tokens are unknown. Unchanged if the number is nowhere. ``None`` only if
    the intent names a kind of text and tokens are unknown. In a Dockerfile or a file of settings (no JSON or CSS) whose code
    has no such number by itself, one of three digits or more that stands outside of comments is replaced everywhere, for
    certain unless the intent speaks of one and several places have it.
    """
    text = code.text
    old, new = intent.old, intent.new
    if intent.only not in ("", "code"):
        word = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
        return replace_only_in(intent.only, word, new, code)
    pattern = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
    everywhere = pattern.sub(lambda _: new, text)
    tokens = code.tokens
    is_setting = code.language in _SETTINGS and not intent.only
    if is_setting and len(old) >= _TELLING and old.isdigit():
        found = len(pattern.findall(re.sub(r"(?m)(?:^|\s)#.*", "", text)))
        if found and not any(t.kind == "number" and t.text == old for t in tokens or ()):
            return Candidates((everywhere,), is_certain=found == 1 or not intent.is_of_one)
    if tokens is None or old.startswith(("-", "+")):
        return Candidates((everywhere,))
    spans = [
        (t.start, t.end, new)
        for t in tokens
        if t.kind == "number" and t.text == old and text[t.start - 1 : t.start] != "."
    ]
    others = [(at.start(), at.end(), new) for at in pattern.finditer(text)]
    known = set(spans)
    others = [span for span in others if span not in known]
    stays = mentions_by_kind(text, ("strings or comments", others))
    texts = tuple(dict.fromkeys((with_spans(text, spans), everywhere)))
    if intent.is_of_one and len(spans) > 1:
        return one_of_several(spans, texts, text)
    return Candidates(texts, bool(spans), stays, everywhere if stays else None)
