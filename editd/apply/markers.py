"""Which lines of a sketch are markers for text that stays, such as ``# ... existing code ...``.

Knows single lines and the lines of the buffer. Phrases without dots are those of ``checks.elision``, so
that a marker here is a placeholder there.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from editd.checks.elision import is_placeholder

_ANY_COMMENT = r"(?:#+|//+|/\*+|<!--|--+|;+|%+|\{\s*/\*+|\(\*|'+|\"+|!+|::|rem\b|dnl\b|\.\.(?=\s))"
_DOTS = re.compile(
    rf"(?:{_ANY_COMMENT}\s*)?[\[(<{{]?\s*(?:\.{{3,}}|…|⋮)\s*[\])>}}]?\s*(?:\*+/\s*\}}?|-->|\*\)|\.{{3,}}|…)?",
    re.IGNORECASE,
)
_WORDED = re.compile(
    rf"(?:{_ANY_COMMENT}\s*)?[\[(<{{]?\s*(?:\.{{3,}}|…)?[\s\[(<{{:-]*"
    r"(?P<words>[^\[\](){}<>=;\"']*?)"
    r"[\s\])>}.:-]*(?:\.{3,}|…)?\s*[\])>}]?\s*(?:\*+/\s*\}?|-->|\*\))?",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:existing|unchanged|untouched|not changed|rest of|remaining|remains?|omitted|same as before|"
    r"as before|as is|elided|truncated|other (?:code|methods?|functions?|fields?|imports?|cases?|tests?)|"
    r"more (?:code|lines|methods?|functions?)|previous code|original code|keep|no changes?|snip|"
    r"skipp?ed|continues?|code here|lines? \d+)\b",
    re.IGNORECASE,
)
_BETWEEN_DOTS = re.compile(r"\W+(?:\.{3}|…) ?[\w ,'/&-]+? ?(?:\.{3}|…)\W*")  # # ... docstring ...
_HAS_DOTS = re.compile(r"\.{3}|…|⋮")
_INSIDE = re.compile(
    r"(?:\.{3}|…)\s*(?:the )?(?:existing|rest of|remaining|unchanged|other)\b[^'\"]*(?:\.{3}|…|$)",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"\W*(?:(?:\w+ )?unchanged|snip|same as (?:before|above|original)|no changes?(?: here)?)\W*|"
    r"\W*[\w ,'&/-]+ [(\[](?:unchanged|no changes?|(?:the )?same as before|as before|omitted)[)\]]\W*"
)


def is_marker(line: str, known: Collection[str] = ()) -> bool:
    """Whether ``line`` is a marker. known: the buffer's lines, stripped; none of them is a marker.

    A marker is a comment of dots, a comment with dots and words for what stays, or a phrase without
    dots that only assistants write. For bare dots see ``is_bare``.
    """
    bare = line.strip()
    if not bare or bare in known:
        return False
    commented = re.match(_ANY_COMMENT, bare, re.IGNORECASE) is not None
    dots = _HAS_DOTS.search(bare) is not None
    if commented and dots and _DOTS.fullmatch(bare):
        return True
    worded = _WORDED.fullmatch(bare) if dots else None
    if worded is not None and (commented or not bare[0].isalnum()):
        between = commented and _BETWEEN_DOTS.fullmatch(bare) is not None
        return between or bool(_STAYS.search(worded["words"]))
    if dots:
        return commented and is_placeholder(bare)
    return is_placeholder(bare) and not _SHORT.fullmatch(bare.lower())


def is_bare(line: str) -> bool:
    """Whether the line is nothing but dots: a marker, except in languages that have such lines."""
    return line.strip() in ("...", "…", "....", "⋮", "[...]", "(...)")


def holds_marker(line: str) -> bool:
    """Whether a line of code contains a marker, which no rule covers."""
    return _INSIDE.search(line) is not None


def says_stays(line: str) -> bool:
    """Whether a comment says without dots that something stays: ``// existing imports``.

    It may be a comment of the code, too, so a sketch that needs this is never certain.
    """
    return is_note(line) or _SAYS.fullmatch(line.strip()) is not None


def is_note(line: str) -> bool:
    """Whether a comment ends in a word for what stays: ``# (unchanged)``, ``// snip``, ``# Helpers (unchanged)``."""
    bare = line.strip().lower()
    return bare[:1] in _NOTES and _SHORT.fullmatch(bare) is not None


_THINGS = (
    r"(?:code|methods?|functions?|imports?|fields?|properties|constructors?|package|class(?:es)?|tests?|"
    r"members?|logic|implementation|content|lines?|body|definitions?|variables?|constants?|types?)"
)
_NOTES = tuple("#/-;%<({[*'\"!")
_SAYS = re.compile(
    rf"(?:{_ANY_COMMENT}[\s<(\[*=-]*|[\[(<])(?:"
    rf"(?:the )?(?:existing|other|remaining|previous|rest of(?: the| your)?|all other|unchanged)\b[\w ,'&/]*{_THINGS}\b[^=;{{}}]*|"
    r"[\w ,'&/()]+ (?:stays?|remains?|are|is|continues?) (?:the same|unchanged|as (?:is|before|it was)|untouched)\W*|"
    r"(?:unchanged|snip|no changes?(?: here| needed)?|same as (?:before|above)|continues? (?:here|as before))\W*|"
    r"keep (?:the|all|your|everything)\b[\w ,'&/()]* (?:as (?:is|before|it was)|unchanged|the same)[. ]*"
    r")[\])>]?(?:\*/|-->)?",
    re.IGNORECASE,
)
