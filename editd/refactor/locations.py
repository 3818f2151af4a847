"""Where "in load" is, and what of a change lies there.

A place is the one definition of the buffer that is called so (``syntax.scopes``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.diff.matching import changes
from editd.refactor.candidates import Candidates, Mentions
from editd.syntax.definition import Definition
from editd.syntax.lines import split
from editd.syntax.outline import outline
from editd.syntax.scopes import Place, holds, place_of
from editd.syntax.words import as_word


def full_name(
    said: str, text: str, language: str, selected: tuple[int, int] | None = None
) -> tuple[str, str]:
    """The name with which a place is the only one, and why there is none, in a sentence; one of both may be empty.

    selected: lines by which one of several is chosen.
    """
    name = re.sub("::|#", ".", said)
    named = [
        one
        for one in outline(split(text), language)
        if one.is_block and name in (one.name, one.qualified)
    ]
    if len(named) < _SEVERAL or place_of(said, text, language):
        return said, ""
    if selected is not None:
        around = [one for one in named if one.start <= selected[0] and selected[1] <= one.end]
        if len(around) == 1:
            named = around
    qualified = dict.fromkeys(one.qualified for one in named)
    if len(named) == 1 and place_of(named[0].qualified, text, language):
        return named[0].qualified, ""
    lines = " and ".join(str(_head_of(one, text) + 1) for one in named[:_SEVERAL])
    more = f" and {len(named) - _SEVERAL} more" if named[_SEVERAL:] else ""
    which = next((one for one in qualified if one != name and len(qualified) > 1), "")
    example = f", such as “{which}”" if which else ""
    return "", f"Several definitions are called “{said}” (lines {lines}{more}); say which{example}."


_SEVERAL = 2


def _head_of(one: Definition, text: str) -> int:
    """The line of a definition that has its name, below decorators and comments."""
    lines = split(text)
    word = as_word(one.name)
    return next((n for n in range(one.start, one.end) if word.search(lines[n])), one.start)


def definitions_around(selected: tuple[int, int], text: str, language: str) -> list[str]:
    """The definitions around selected lines, from the inside out, or that are all of them, as they are called alone."""
    blocks = [one for one in outline(split(text), language) if one.is_block]
    outer = [one for one in blocks if one.start <= selected[0] and selected[1] <= one.end]
    inner = [one for one in blocks if selected[0] <= one.start and one.end <= selected[1]]
    whole = [one for one in inner if all(holds(one, other) for other in inner)]
    found = [*whole, *sorted(outer, key=lambda one: one.end - one.start)]
    return [one.qualified for one in found if place_of(one.qualified, text, language)]


def only_within(place: Place, found: Candidates, text: str) -> Candidates | None:
    """What of it lies there, with an import that it needs; ``None`` where a change goes over the border."""
    lines = split(text)
    texts = [_only_in(place, lines, split(reading)) for reading in found.texts]
    if texts[0] is None:
        return None

    def here(told: Mentions) -> Mentions:
        there = ((what, tuple(n for n in at if place.start <= n < place.end)) for what, at in told)
        return tuple((what, at) for what, at in there if at)

    return Candidates(
        tuple(dict.fromkeys(one for one in texts if one is not None)),
        found.is_certain,
        here(found.left_alone),
        assumptions=here(found.assumptions),
    )


def _only_in(place: Place, lines: Sequence[str], new: Sequence[str]) -> str | None:
    spans: list[tuple[int, int, Sequence[str]]] = []
    is_changed = False
    for change in changes(lines, new):
        written = new[change.new_start : change.new_end]
        is_inside = place.start <= change.old_start and change.old_end <= place.end
        is_import = change.old_start == change.old_end and all(map(_IMPORT.match, written))
        if change.old_end > place.start and change.old_start < place.end and not is_inside:
            return None
        is_changed |= is_inside
        if is_inside or is_import:
            spans.append((change.old_start, change.old_end, written))
    kept, done = [], 0
    for start, end, written in spans if is_changed else ():
        kept += [*lines[done:start], *written]
        done = end
    return "".join([*kept, *lines[done:]])


_IMPORT = re.compile(r"(?:import \w+)?$")  # or the blank line below it
