"""Replaces a text: whole strings if there are such, else text in strings, else anywhere.

a.py, "replace 'left' with 'right'"::

    side = "left"  # the left one
    note = "left over"

becomes::

    side = "right"  # the left one
    note = "left over"
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.intents import ReplaceText
from editd.refactor.candidates import (
    Candidates,
    Spans,
    mentions_by_kind,
    one_of_several,
    with_spans,
)
from editd.syntax.code import Code, read_code
from editd.syntax.tokens import Token
from editd.syntax.words import as_word

_DELIMITED = re.compile(r"(?s)([a-zA-Z]{0,2}#*)(\"\"\"|'''|\"|'|`)(.*)\2#*")


def replace_text(intent: ReplaceText, code: Code) -> Candidates | None:
    """Candidates: the whole strings that are the text, then the text in all strings, then everywhere (as a part of
    words, too). If no string has it: everywhere, certain if it stands in code alone, is more than a name with dots, and
    the result parses.

    Else certain if some string is the text, or it stands in strings only and as whole words; never if old or new text
    has a quote, a backslash, a brace, ``$`` or a line end, for a path with which longer ones begin, or for several
    strings if the intent means one. Uncertain, and unchanged, if the text is nowhere; everywhere, uncertain, where
    tokens are unknown.

    If the intent names a kind of text (comments, docstrings, strings), only there, as one certain candidate; ``None``
    where tokens are unknown, or if it names code.
    """
    text, language = code.text, code.language
    old, new = intent.old, intent.new
    if intent.only:
        return replace_only_in(intent.only, re.compile(re.escape(old)), new, code)
    everywhere = text.replace(old, new)
    tokens = code.tokens
    if tokens is None or everywhere == text:
        return Candidates((everywhere,))
    strings = [token for token in tokens if token.kind in ("string", "docstring")]
    exact: Spans = []
    for token in strings:
        cut = _DELIMITED.fullmatch(token.text)
        if cut and cut[3] == old:
            exact.append((token.start + cut.start(3), token.start + cut.end(3), new))
    inside = [
        (token.start + at.start(), token.start + at.end(), new)
        for token in strings
        for at in re.finditer(re.escape(old), token.text)
    ]
    whole = set(exact)
    others = [span for span in inside if span not in whole]
    is_plain = not re.search(r"[\\\"'`\n{}$]", old + new)
    outside = everywhere.count(new) - with_spans(text, inside).count(new)
    texts = (with_spans(text, exact or inside), with_spans(text, inside), everywhere)
    stays = mentions_by_kind(text, ("longer strings", others if exact else []))
    if old.startswith("/") and exact and others:
        return Candidates(texts)  # the beginning of longer paths, too
    if intent.is_of_one and len(exact) > 1:
        return one_of_several(exact, texts, text)
    if not inside and _is_code(old, new, tokens, text) and read_code(everywhere, language).parses:
        return Candidates((everywhere,), is_certain=True)
    # Words inside of longer strings, and nowhere else.
    is_inside = not outside and len(as_word(old).findall(text)) == len(inside)
    return Candidates(
        tuple(dict.fromkeys(candidate for candidate in texts if candidate != text)) or (text,),
        bool(exact or (inside and is_inside)) and is_plain and not (outside and not inside),
        stays,
        with_spans(text, inside) if stays else None,
    )


def _is_code(old: str, new: str, tokens: Sequence[Token], text: str) -> bool:
    """Whether ``old`` stands in code alone (not in comments), is more than a name with dots, and is
    never a part of something longer; and ``new`` is not blank.
    """
    comments = [token for token in tokens if token.kind in ("comment", "docstring")]
    places = [at.start() for at in re.finditer(re.escape(old), text)]
    return (
        not re.fullmatch(r"\w+(?:\.\w+)*", old)
        and bool(new.strip())
        and len(places) == len(as_word(old).findall(text))
        and not any(token.start <= start < token.end for token in comments for start in places)
    )


def replace_only_in(kind: str, old: re.Pattern[str], new: str, code: Code) -> Candidates | None:
    """``old`` replaced in one kind of text alone, as a certain candidate, unchanged if it is not
    there; ``None`` where tokens are unknown, or for ``code``.

    kind: ``comments``, ``docstrings`` or ``strings``.
    """
    text = code.text
    tokens = code.tokens
    if tokens is None or kind == "code":
        return None
    spans = [
        (token.start + at.start(), token.start + at.end(), new)
        for token in tokens
        if f"{token.kind}s" == kind
        for at in old.finditer(token.text)
    ]
    return Candidates((with_spans(text, spans),), is_certain=True)
