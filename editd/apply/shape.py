"""Whether lines are indented as the file's are: deeper below what opens something, and nowhere else.

A sketch whose lines are indented otherwise (in another unit, moved to the margin unevenly) shows lines
that stand in the file all the same: those at the margin are at the margin in any unit. So what is new is
looked at: as deep as the file's own lines are below such a line, never deeper below one that opens nothing,
and where it ends something as deep as a line above it. Knows lines; a language's grammar would know less,
since a piece is a fragment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from editd.apply.lines import Lines, indent_of, nesting, step_between
from editd.apply.places import Place

_OPENS = re.compile(r"(?:[{(\[]|\b(?:then|do|else|repeat|try))$")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;|%)")
_HEAD = (
    r"^\W*(?:if|else|elif|elsif|elseif|for|foreach|while|until|unless|do|case|when|default|switch|with|"
    r"try|except|catch|finally|local|function|func|fn|def|class|module|struct|enum|impl|begin|async)\b"
)
_OPENS_BY_COLON = re.compile(_HEAD + r".*:$")
_OPENS_BY_ITSELF = re.compile(r"(?:\}\s*)?(?:else\s+)?(?:if|for|foreach)\b.*\)$")
_MAY_OPEN = re.compile(r"(?:[-+*/%=<>&|?,.\\:]|\b(?:and|or|in|not))$|^(?:\.\. |:\w)|" + _HEAD)
_OF_SWITCH = re.compile(r"\s*(?:case|default)\b")
_GOES_ON = re.compile(r"\s*(?:[-+*/%=<>&|?.,:]|and\b|or\b)")
_RARE = 0.1  # of the file's steps of a kind: they are slips, or strings


def is_shaped(place: Place, lines: Lines) -> bool:
    """Whether each line that is new there is as deep as the line above it lets it be, and the one below it."""
    for above, line in _pairs(place.lines, place.above, len(place.lines) - place.below):
        if (above, line) in lines.neighbours:
            continue
        if not _may_follow(above, line) or _is_rare(above, line, lines):
            return False
    return True


def are_shaped(lines: Sequence[str]) -> bool:
    """The same of all lines, without a file."""
    return all(_may_follow(above, line) for above, line in _pairs(lines))


def _pairs(
    lines: Sequence[str], start: int = 0, end: int | None = None
) -> Iterator[tuple[str, str]]:
    """Each line that says something and the next one, where one of them is in ``start .. end``."""
    told = [(number, line.rstrip()) for number, line in enumerate(lines) if line.strip()]
    for (first, above), (second, line) in pairwise(told):
        if second >= start and (end is None or first < end):
            yield above, line


def _may_follow(above: str, line: str) -> bool:
    deeper = len(indent_of(line)) > len(indent_of(above))
    closes = line.lstrip()[:1] in tuple(")]}")
    if _opens(above):
        return deeper or closes
    if above.lstrip().startswith("/*") and line.lstrip().startswith("*"):
        return deeper
    if closes and len(indent_of(line)) == len(indent_of(above)):
        return False
    return not deeper or bool(
        _MAY_OPEN.search(above.lstrip())
        or _GOES_ON.match(line)
        or any(depth > 0 for depth in nesting([above]))
    )


def _opens(line: str) -> bool:
    """Whether what is below it is deeper, in nearly all that people write."""
    closed = line.lstrip()[:1] in tuple(")]}")
    goes_on = min(nesting([line])) < 0 and not closed  # the last line of a head that takes several
    if _OF_SWITCH.match(line) or _COMMENT.match(line) or goes_on:
        return False
    bare = line.lstrip()
    if _OPENS_BY_ITSELF.match(bare) and not any(nesting([bare])):
        return True
    return bool(_OPENS.search(bare) or _OPENS_BY_COLON.match(bare))


def _is_rare(above: str, line: str, lines: Lines) -> bool:
    """Whether the file's lines are otherwise deep below those that open something: another unit."""
    step, usual = step_between(above, line), lines.steps
    return bool(step and usual and usual[step] < _RARE * usual.total())
