"""Where the prose above a code block says that new lines belong: below a function, before a line, in a class, at the end.

Only for a block with no line of the file, whose place nothing else shows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.apply.align import Change
from editd.apply.lines import Lines, indent_of, reindented, stripped
from editd.apply.named import LIKELY, usual_gap
from editd.diff.matching import is_weak
from editd.prompts.outline import outline

_BESIDE = re.compile(
    r"\b(?P<side>above|before|below|after|beneath|under(?:neath)?)\b[^`:.]*`(?P<what>[^`]+)`",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:to|in|inside|into)\s+(?:the\s+|your\s+)?(?:class\s+)?`(?P<what>\w+)`", re.IGNORECASE
)
_AT_END = re.compile(r"\b(?:end|bottom) of (?:the|your) (?:file|module|script)\b", re.IGNORECASE)
_TOLD = "This is where the text above the code says; look whether it belongs here."


def told_place(above: str, block: Sequence[str], lines: Lines, language: str) -> Change | None:
    """The new lines, where the prose ``above`` their block says; ``None`` if it does not, or not clearly."""
    new = stripped(block)
    if not new or any(not is_weak(x) and x.strip() in lines.where_bare for x in new):
        return None
    defines = any(x.is_block for x in outline([f"{x}\n" for x in new], language))
    place = _place(above, lines, language)
    if place is None:
        return None
    at, depth, before = place
    own = min((indent_of(x) for x in new if x.strip()), key=len)
    new = tuple(reindented(new, own, depth, lines.keys))
    gap = ("",) * (usual_gap(lines, language, depth) if defines or _AT_END.search(above) else 0)
    while not before and at and not lines.keys[at - 1]:
        at -= 1
    return Change(at, at, (*new, *gap) if before else (*gap, *new), LIKELY, why=_TOLD)


def _place(above: str, lines: Lines, language: str) -> tuple[int, str, bool] | None:
    """The line, the indentation there, and whether the new lines are above what the prose names."""
    file, definitions = lines.keys, lines.definitions(language)
    if beside := _BESIDE.search(above):
        what = beside["what"].strip()
        before = beside["side"].lower() in ("above", "before")
        name = re.sub(r"\(.*", "", what).rpartition(".")[2]
        named = [(x.start, x.end) for x in definitions if x.name == name]
        found = named or [(n, n + 1) for n, line in enumerate(file) if what in line]
        if len(found) != 1:
            return None
        start, end = found[0]
        return start if before else end, indent_of(file[start]), before
    if within := _WITHIN.search(above):
        members = [x for x in definitions if x.owner == within["what"]]
        if not members:
            return None
        return members[-1].end, indent_of(file[members[0].start]), False
    return (len(file), "", False) if _AT_END.search(above) else None
