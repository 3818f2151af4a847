"""Characters that nobody sees, which chats and web pages leave in what is copied from them: gone where code has none.

No programming language has a no-break space or a zero-width character outside of strings and comments. In text they
may be meant, so there only those go that indent a line or stand at its ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_BLANKS, _ZERO_WIDTH = "\u00a0\u2007\u202f", "\u200b\u200e\u200f\u2060\ufeff"
_ANY = re.compile(f"[{_BLANKS}{_ZERO_WIDTH}]")
_TEXTS = ("", "html", "latex", "markdown", "rst", "svg", "text", "xml")
_TABLE = str.maketrans(dict.fromkeys(_BLANKS, " ") | dict.fromkeys(_ZERO_WIDTH))
_EDGES = re.compile(rf"^[\s{_BLANKS}{_ZERO_WIDTH}]+|[{_ZERO_WIDTH}]+(?=\s*$)")
_APART = re.compile(
    r"(?P<literal>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`|(?://|#\s|--\s).*|/\*.*?\*/)|"
    rf"[{_BLANKS}{_ZERO_WIDTH}]"
)


def without_invisible(paste: str, known: Collection[str], language: str) -> str:
    """The paste with plain blanks for no-break ones and without zero-width characters, where they come from copying.

    known: the file's lines, stripped; lines that equal one stay as they are. In code all go, within strings too, if one
    stands in a line's indentation, a zero-width one ends a line, or they are all that parts a line from one of the
    file's; else those outside of strings and comments. In text, markup and unknown languages only those in a line's
    indentation go, and zero-width ones at its end.
    """
    if not _ANY.search(paste):
        return paste
    lines = paste.split("\n")
    in_file = [line.strip(" \t") in known for line in lines]
    at_edges = [
        line if own else _EDGES.sub(_plain, line) for line, own in zip(lines, in_file, strict=True)
    ]
    if language in _TEXTS:
        return "\n".join(at_edges)
    copied = at_edges != lines or any(
        not own and line.translate(_TABLE).strip() in known and _ANY.search(line)
        for line, own in zip(lines, in_file, strict=True)
    )
    return "\n".join(
        line if own else line.translate(_TABLE) if copied else _APART.sub(_plain, line)
        for line, own in zip(lines, in_file, strict=True)
    )


def _plain(found: re.Match[str]) -> str:
    """The text of a match with plain blanks for no-break ones and without zero-width characters; as it is if the match
    has a group ``literal`` (a string or a comment).
    """
    if found.groupdict().get("literal") is not None:
        return found[0]
    return found[0].translate(_TABLE)
