"""Code in a request: calls with their arguments, text in backticks, ``name = value``. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

HIDDEN = "\x00"
"""The character in the place of each character of code that is hidden."""

_HEAD = re.compile(
    r"(?<![\w.$])(?:(?:await|new) )?[^\W\d][\w$]*(?:(?:\.|::|->|\?\.)[^\W\d][\w$]*)*!?\("
)
_MEMBER = re.compile(r"\??\.[^\W\d][\w$]*\(")
_TICKED = re.compile(r"`([^`\n]+)`")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Snippet:
    """Code in a request, from ``start`` to ``end``, and the code without backticks around it and a semicolon behind it."""

    start: int
    end: int
    code: str


def end_of_brackets(text: str, start: int) -> int:
    """The offset behind the bracket that closes the one at ``start``, strings passed over; ``-1`` if none does."""
    waiting: list[str] = []
    quote = ""
    at = start
    while at < len(text):
        sign = text[at]
        if quote:
            at += sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'`":
            # An apostrophe inside a word is none.
            is_apostrophe = (
                sign == "'" and text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()
            )
            quote = "" if is_apostrophe else sign
        elif sign in _CLOSING:
            waiting.append(_CLOSING[sign])
        elif sign in ")]}":
            if not waiting or waiting.pop() != sign:
                return -1
            if not waiting:
                return at + 1
        at += 1
    return -1


def calls_in(text: str) -> list[Snippet]:
    """The calls in a request, in its order: ``log.info("a, b")``, ``res.status(500).end()``, each with the backticks and the
    semicolon around it; a call inside another is no call of its own.
    """
    return list(_calls(text))


def _calls(text: str) -> Iterator[Snippet]:
    at = 0
    while head := _HEAD.search(text, at):
        end = end_of_brackets(text, head.end() - 1)
        if end < 0:
            at = head.end()
            continue
        while member := _MEMBER.match(text, end):
            further = end_of_brackets(text, member.end() - 1)
            if further < 0:
                break
            end = further
        code = text[head.start() : end]
        start = head.start()
        end += text.startswith(";", end)
        if text[start - 1 : start] == "`" and text.startswith("`", end):
            start, end = start - 1, end + 1
        at = end
        yield Snippet(start, end, code)


def ticked_in(text: str) -> list[Snippet]:
    """The code in backticks, in the order of the request."""
    return [
        Snippet(at.start(), at.end(), at[1].strip().rstrip(";")) for at in _TICKED.finditer(text)
    ]


def hidden(text: str, snippets: list[Snippet]) -> str:
    """The text with ``HIDDEN`` for each character of the snippets, so that offsets stay."""
    for snippet in snippets:
        length = snippet.end - snippet.start
        text = f"{text[: snippet.start]}{HIDDEN * length}{text[snippet.end :]}"
    return text
