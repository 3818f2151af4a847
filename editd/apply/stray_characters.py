"""Characters that a chat or a web page puts into code that is copied from it, and that code has none of.

Spaces that no line may be broken at, and characters without a width. Inside strings and comments they may be meant, and in
prose; where a line of the buffer has none and is the same without them, they are not.
"""

from __future__ import annotations

import re

_SPACES = "\u00a0\u2007\u202f"
_WITHOUT_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_PROSE = frozenset(
    ["", "markdown", "text", "rst", "latex", "asciidoc", "html", "xml", "vue", "svelte"]
)


def without_strays(answer: str, buffer: str, language: str) -> str:
    """``answer`` with usual spaces, and without what has no width, where code stands; as it is for a language of prose.

    A character that the buffer has is left alone.
    """
    known = set(buffer)
    spaces = [one for one in _SPACES if one in answer and one not in known]
    others = [one for one in _WITHOUT_WIDTH if one in answer and one not in known]
    if language in _PROSE or not (spaces or others):
        return answer
    table = str.maketrans({**dict.fromkeys(spaces, " "), **dict.fromkeys(others, "")})
    lines = {line.strip() for line in buffer.splitlines()}
    return "".join(_cleaned(line, table, lines) for line in answer.splitlines(keepends=True))


def _cleaned(line: str, table: dict[int, str], known: set[str]) -> str:
    if line.isascii():
        return line
    whole = line.translate(table)
    if whole.strip() in known:
        return whole
    pieces: list[str] = []
    done = 0
    for text in _TEXTS.finditer(line):
        pieces += (line[done : text.start()].translate(table), text[0])
        done = text.end()
    end = line[done:].translate(table)
    return "".join([*pieces, end])


# Strings that end on their line, and comments up to what has no width at its end.
_TEXTS = re.compile(
    rf"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`"
    rf"|(?:(?<![^\s{_SPACES}])#|//|--(?=\s)|/\*)[^\n]*?(?=[{_SPACES}{_WITHOUT_WIDTH}\s]*$)"
)
