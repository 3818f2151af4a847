"""Whether lines are indented as code is: deeper below what opens something, and nowhere else.

Who moves a piece to the margin may cut its lines unevenly: those that stood less deep lose less, and
moved back they are too deep. Knows the lines of a piece; a language's grammar would know less, since
a piece is a fragment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from editd.apply.lines import indent_of, nesting
from editd.apply.places import Place

_OPENS = re.compile(r"(?:[{(\[:]|\b(?:then|do|else|repeat|try))$")
_MAY_OPEN = re.compile(
    r"(?:[-+*/%=<>&|?,.\\:]|\b(?:and|or|in|not))$|^(?:\.\. |:\w)|"
    r"^\W*(?:if|else|elif|elsif|elseif|for|foreach|while|until|unless|do|case|when|default|switch|with|"
    r"try|except|catch|finally|local|function|func|fn|def|class|module|struct|enum|impl|begin)\b"
)
_OF_SWITCH = re.compile(r"\s*(?:case|default)\b")
_GOES_ON = re.compile(r"\s*(?:[-+*/%=<>&|?.,:]|and\b|or\b)")


def is_shaped(place: Place) -> bool:
    """Whether each line that is new there is as deep as the line above it lets it be, and the one below it."""
    return are_shaped(place.lines, place.above, len(place.lines) - place.below)


def are_shaped(lines: Sequence[str], start: int = 0, end: int | None = None) -> bool:
    """The same of the lines ``start .. end``."""
    told = [(number, line) for number, line in enumerate(lines) if line.strip()]
    return all(
        _may_follow(above.rstrip(), line)
        for (first, above), (second, line) in pairwise(told)
        if second >= start and (end is None or first < end)
    )


def _may_follow(above: str, line: str) -> bool:
    deeper = len(indent_of(line)) > len(indent_of(above))
    closes, closed = (one.lstrip()[:1] in tuple(")]}") for one in (line, above))
    goes_on = min(nesting([above])) < 0 and not closed  # the last line of a head that takes several
    if _OPENS.search(above) and not _OF_SWITCH.match(above) and not goes_on:
        return deeper or closes
    if closes and len(indent_of(line)) == len(indent_of(above)):
        return False
    return not deeper or bool(
        _MAY_OPEN.search(above.lstrip())
        or _GOES_ON.match(line)
        or any(depth > 0 for depth in nesting([above]))
    )
