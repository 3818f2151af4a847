"""Whether lines are indented as the file's are: deeper below an opening line, and nowhere else.

A sketch may be indented differently (in another unit, or moved to the margin unevenly) and still show
lines of the file, since lines at the margin are the same in any unit. So new lines are checked. Below an
opening line they must be deeper, by a step that is usual in the file. Below most other lines they must
not be deeper. Knows lines, not grammars: a piece is a fragment, which would not parse.
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
_RARE = 0.1  # share of the file's steps; rarer ones are slips or strings


def is_shaped(place: Place, lines: Lines) -> bool:
    """Whether the depth of each new line fits the line above it, and that of the line below fits it."""
    for above, line in _pairs(place.lines, place.above, len(place.lines) - place.below):
        if (above, line) in lines.neighbours:
            continue
        if not _may_follow(above, line) or _is_rare(above, line, lines):
            return False
    return True


def are_shaped(lines: Sequence[str]) -> bool:
    """The same for all lines, without a file to compare with."""
    return all(_may_follow(above, line) for above, line in _pairs(lines))


def _pairs(
    lines: Sequence[str], start: int = 0, end: int | None = None
) -> Iterator[tuple[str, str]]:
    """Pairs of neighbours among the lines that are not blank; one of each pair is in ``start .. end``."""
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
    """Whether the line below it is deeper in nearly all code."""
    closed = line.lstrip()[:1] in tuple(")]}")
    goes_on = min(nesting([line])) < 0 and not closed  # the last line of a head that takes several
    if _OF_SWITCH.match(line) or _COMMENT.match(line) or goes_on:
        return False
    bare = line.lstrip()
    if _OPENS_BY_ITSELF.match(bare) and not any(nesting([bare])):
        return True
    return bool(_OPENS.search(bare) or _OPENS_BY_COLON.match(bare))


def _is_rare(above: str, line: str, lines: Lines) -> bool:
    """Whether the file rarely indents by this step below an opening line: the line has another unit."""
    step, usual = step_between(above, line), lines.steps
    return bool(step and usual and usual[step] < _RARE * usual.total())
