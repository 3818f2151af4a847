"""Markers of a sketch (pasted code), such as ``# ... existing code ...``: lines that stand for text of the file that stays.

Phrases without dots are those of ``checks.elision``, so that a marker here is a placeholder there. Comments in other
languages than English are left to ``readers.placeholders``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from editd.apply.text.file_lines import FileLines
from editd.checks.elision import is_placeholder

_MOST_MARKED = 500  # characters of a marker

_WITH_DOTS = ("markdown", "rst", "text", "yaml")
_ANY_COMMENT = r"(?:#+|//+|/\*+|<!--|--+|;+|%+|\{\s*/\*+|\(\*|'+|\"+|!+|::|rem\b|dnl\b|\.\.(?=\s))"
_DOTS = re.compile(
    rf"(?:{_ANY_COMMENT}\s*)?[\[(<{{]?\s*(?:\.{{3,}}|…|⋮)\s*[\])>}}]?\s*(?:\*+/\s*\}}?|-->|\*\)|\.{{3,}}|…|'''|\"\"\")?",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"(?:#+|//+|/\*+|<!--|--+|;+|%+|\{\s*/\*+|\(\*|rem\b)\s*[\[(<{]?\s*(?:\.{3,}|…|⋮)",
    re.IGNORECASE,
)  # a comment that begins with dots
_WORDED = re.compile(
    rf"(?:{_ANY_COMMENT}\s*)?[\[(<{{]?\s*(?:\.{{3,}}|…)?[\s\[(<{{:-]*"
    r"(?P<words>[^\[\](){}<>=;\"']*?)"
    r"[\s\])>}.:-]*(?:\.{3,}|…)?\s*[\])>}]?\s*(?:\*+/\s*\}?|-->|\*\))?",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:existing|unchanged|untouched|not changed|rest of|remaining|remains?|omitted|same as before|"
    r"as before|as is|stays? the same|elided|truncated|other \w+|"
    r"more (?:code|lines|methods?|functions?)|previous code|original code|keep|no changes?|snip|"
    r"skipp?ed|continues?|code here|imports|lines? \d+)\b",
    re.IGNORECASE,
)
_HAS_DOTS = re.compile(r"\.{3}|…|⋮")
_INSIDE = re.compile(
    r"(?:\.{3}|…)\s*(?:the )?(?:existing|rest of|remaining|unchanged|other)\b[^'\"]*(?:\.{3}|…|$)",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"\W*(?:(?:\w+ )?unchanged|snip|same as (?:before|above|original)|no changes?(?: here)?)\W*|"
    r"\W*[\w ,'&/-]+ [(\[](?:unchanged|no changes?|(?:the )?same as before|as before|omitted)[)\]]\W*"
)
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


class Markers:
    """The test for markers in a sketch of one file: a line of the file is none."""

    def __init__(self, lines: FileLines) -> None:
        self.known, self.language = lines.where_bare, lines.language

    def __call__(self, line: str) -> bool:
        """Whether a line is a marker: dots, a comment with dots, or a comment that says that something stays."""
        if line.strip() in self.known:
            return False
        return is_marker(line, self.known) or is_bare(line) or says_stays(line)

    def doubt(self, lines: Sequence[str]) -> str:
        """A sentence about the first line that may be a marker or none; empty if all are clear. lines: of one code
        block.

        Doubtful are a marker beside code, bare dots where they can be code (below a ``:`` or docstring of Python, and
        in YAML and prose), the same marker twice with only blank lines between, and words without dots.
        """
        last = None
        for number, line in enumerate(lines):
            at = number + 1
            bare = line.strip()
            if not self(line):
                if holds_marker(line) and bare not in self.known:
                    return f"Line {at} of the sketch has a marker beside code; give the marker a line of its own."
                last = last if not bare else None
                continue
            above = next((x.strip() for x in reversed(lines[:number]) if x.strip()), "")
            body = self.language == "python" and above.endswith((":", '"""', "'''"))
            if is_bare(line) and (body or self.language in _WITH_DOTS):
                return (
                    f"Line {at} of the sketch is “{bare}”, which may be a marker or a line of the file; write "
                    "the marker as a comment."
                )
            if last == bare:
                return (
                    f"The marker at line {at} of the sketch has nothing beside it but the same marker, and "
                    "something that goes may stand there; leave one of them out, or show the lines around it."
                )
            if not is_bare(line) and not is_marker(line, self.known):
                return f"Line {at} of the sketch may be a marker or a comment; write “...” into the marker."
            last = bare
        return ""


def is_marker(line: str, known: Collection[str] = ()) -> bool:
    """Whether a line is a marker by itself; false for bare dots (``is_bare``), blank lines, and lines of more than 500
    characters. known: the buffer's lines, stripped; none of them is a marker.

    A marker is a comment that begins with dots, a line with dots and words for what stays (in a comment or in signs),
    or a phrase without dots that only assistants write.
    """
    bare = line.strip()
    if not bare or len(bare) > _MOST_MARKED or bare in known:
        return False
    if _OPENED.match(bare):
        return True
    commented = re.match(_ANY_COMMENT, bare, re.IGNORECASE) is not None
    if not _HAS_DOTS.search(bare):
        return is_placeholder(bare) and not _SHORT.fullmatch(bare.lower())
    if commented and _DOTS.fullmatch(bare):
        return True
    worded = _WORDED.fullmatch(bare) if commented or not bare[0].isalnum() else None
    if worded is not None:
        return bool(_STAYS.search(worded["words"]))
    return commented and is_placeholder(bare)


def is_bare(line: str) -> bool:
    """Whether a line is nothing but dots: a marker, except in languages that have such lines."""
    return line.strip() in ("...", "…", "....", "⋮", "[...]", "(...)")


def holds_marker(line: str) -> bool:
    """Whether a line of code contains a marker beside the code."""
    return _INSIDE.search(line) is not None


def says_stays(line: str) -> bool:
    """Whether a comment says without dots that something stays: ``// existing imports``.

    A comment of the code may say so, too: a sketch that needs this is never certain.
    """
    return ends_unchanged(line) or _SAYS.fullmatch(line.strip()) is not None


def ends_unchanged(line: str) -> bool:
    """Whether a comment ends in a word for what stays: ``# (unchanged)``, ``// snip``, ``# Helpers (unchanged)``."""
    bare = line.strip().lower()
    return bare[:1] in _NOTES and _SHORT.fullmatch(bare) is not None
