"""A text without the contents of its strings and comments, at the same offsets, in which signs can be counted."""

from __future__ import annotations

import re

from editd.syntax.code import Code

_SQL_TEXT = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:''|[^'])*'", re.DOTALL)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def masked(code: Code) -> str:
    """The text, each character of a comment a blank, of a string ``_`` between its quotes; line ends stay."""
    if code.language == "sql":
        spans = [(at.start(), at.end(), at[0][0] != "'") for at in _SQL_TEXT.finditer(code.text)]
    else:
        spans = [
            (token.start, token.end, token.kind == "comment")
            for token in code.tokens_of("comment", "string", "docstring")
        ]
    pieces: list[str] = []
    done = 0
    for start, end, is_comment in spans:
        if start < done:
            continue
        inside = code.text[start:end]
        if is_comment:
            inside = re.sub(r"[^\n]", " ", inside)
        elif len(inside) > 1 and not inside[0].isalnum():
            inside = inside[0] + re.sub(r"[^\n]", "_", inside[1:-1]) + inside[-1]
        pieces += (code.text[done:start], inside)
        done = end
    return "".join((*pieces, code.text[done:]))


def closing_of(start: int, text: str) -> int:
    """The offset of the bracket that closes the one at ``start`` of a masked text; ``-1`` if none does."""
    waiting: list[str] = []
    for at in range(start, len(text)):
        sign = text[at]
        if sign in _CLOSING:
            waiting.append(_CLOSING[sign])
        elif sign in ")]}":
            if not waiting or waiting.pop() != sign:
                return -1
            if not waiting:
                return at
    return -1


def parts_between(start: int, end: int, text: str, separator: str = ",") -> list[tuple[int, int]]:
    """The spans of the parts of ``start .. end`` of a masked text that ``separator`` divides outside of brackets, without
    the blanks around them; a blank one at the end is left out. separator: one sign, or a blank for any white space.
    """
    spans, first, at = [], start, start
    while at <= end:
        if at < end and text[at] in _CLOSING:
            closing = closing_of(at, text)
            at = closing if at < closing < end else at
        is_border = at == end or (text[at].isspace() if separator == " " else text[at] == separator)
        if is_border:
            inside = text[first:at]
            lead = len(inside) - len(inside.lstrip())
            if inside.strip():
                spans.append((first + lead, first + lead + len(inside.strip())))
            elif separator != " " and at < end:
                spans.append((first, first))
            first = at + 1
        at += 1
    return spans
