"""The definition that words like "in load" name, and the part of a change that lies in it.

A place is the one definition of the buffer that is called so (``syntax.scopes``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.diff.matching import changes
from editd.refactor.candidates import Candidates, Mentions
from editd.syntax.code import Code
from editd.syntax.definition import Definition
from editd.syntax.handlers import handler_name
from editd.syntax.lines import split
from editd.syntax.places import Place, holds, place_of
from editd.syntax.words import as_word

_SEVERAL = 2
_ADDED_IMPORT = re.compile(
    r"(?:import \w+)?$"
)  # as ``add_import`` writes it, or the blank line below it


def full_name(
    name_in_words: str, code: Code, selected: tuple[int, int] | None = None
) -> tuple[str, str]:
    """The name by which a definition is the only one, and the problem, a sentence for the user; one
    of both is empty.

    A name that no or one definition has is returned as it is, for words for a handler the name of that function, if it has one. A problem is that several have it and
    none can be chosen. selected: lines by which one of several definitions is chosen: the only one
    around them.
    """
    text, language = code.text, code.language
    name_in_words = handler_name(name_in_words, code) or name_in_words
    name = re.sub("::|#", ".", name_in_words)
    named = [
        definition
        for definition in code.definitions
        if definition.is_block and name in (definition.name, definition.qualified)
    ]
    if len(named) < _SEVERAL or place_of(name_in_words, text, language):
        return name_in_words, ""
    if selected is not None:
        around = [
            definition
            for definition in named
            if definition.start <= selected[0] and selected[1] <= definition.end
        ]
        if len(around) == 1:
            named = around
    qualified = dict.fromkeys(definition.qualified for definition in named)
    if len(named) == 1 and place_of(named[0].qualified, text, language):
        return named[0].qualified, ""
    lines = " and ".join(str(_head_of(definition, code) + 1) for definition in named[:_SEVERAL])
    more = f" and {len(named) - _SEVERAL} more" if named[_SEVERAL:] else ""
    which = next(
        (definition for definition in qualified if definition != name and len(qualified) > 1), ""
    )
    example = f", such as “{which}”" if which else ""
    return (
        "",
        f"Several definitions are called “{name_in_words}” (lines {lines}{more}); say which{example}.",
    )


def _head_of(definition: Definition, code: Code) -> int:
    """The first line of a definition that has its name as a word, below decorators and comments
    unless these name it; its first line if none has it.
    """
    lines = code.lines
    word = as_word(definition.name)
    return next(
        (n for n in range(definition.start, definition.end) if word.search(lines[n])),
        definition.start,
    )


def definitions_around(selected: tuple[int, int], code: Code) -> list[str]:
    """Full names of the definitions that are selected whole (the outermost, if all others are in
    it), then of those around the selection, innermost first.

    selected: lines, end exclusive. A name that several definitions have is left out.
    """
    text, language = code.text, code.language
    blocks = [block for block in code.definitions if block.is_block]
    outer = [block for block in blocks if block.start <= selected[0] and selected[1] <= block.end]
    inner = [block for block in blocks if selected[0] <= block.start and block.end <= selected[1]]
    whole = [block for block in inner if all(holds(block, other) for other in inner)]
    found = [*whole, *sorted(outer, key=lambda block: block.end - block.start)]
    return [block.qualified for block in found if place_of(block.qualified, text, language)]


def only_within(place: Place, found: Candidates, code: Code) -> Candidates | None:
    """A copy of the candidates with only those of their changes that lie in ``place``, and with plain imports that they
    add elsewhere; lines outside of it are left out of what is named as left alone or assumed, and ``wider``,
    ``problem`` and ``missing_name`` are empty.

    ``None`` if a change of the first candidate crosses the border of ``place``; other candidates that do are dropped. A
    candidate that changes nothing in ``place`` is the old text.
    """
    lines = code.lines
    texts = [_only_in(place, lines, split(reading)) for reading in found.texts]
    if texts[0] is None:
        return None

    def in_place(mentions: Mentions) -> Mentions:
        found_lines = (
            (what, tuple(n for n in at if place.start <= n < place.end)) for what, at in mentions
        )
        return tuple((what, at) for what, at in found_lines if at)

    return Candidates(
        tuple(dict.fromkeys(new for new in texts if new is not None)),
        found.is_certain,
        in_place(found.left_alone),
        assumptions=in_place(found.assumptions),
    )


def _only_in(place: Place, lines: Sequence[str], new: Sequence[str]) -> str | None:
    """``lines`` with those changes to ``new`` that lie in the place, and plain imports that are
    added elsewhere; unchanged if none lies in it.

    ``None`` where a change crosses its border.
    """
    spans: list[tuple[int, int, Sequence[str]]] = []
    is_changed = False
    for change in changes(lines, new):
        written = new[change.new_start : change.new_end]
        is_inside = place.start <= change.old_start and change.old_end <= place.end
        is_import = change.old_start == change.old_end and all(map(_ADDED_IMPORT.match, written))
        if change.old_end > place.start and change.old_start < place.end and not is_inside:
            return None
        is_changed |= is_inside
        if is_inside or is_import:
            spans.append((change.old_start, change.old_end, written))
    result, done = [], 0
    for start, end, written in spans if is_changed else ():
        result += [*lines[done:start], *written]
        done = end
    return "".join([*result, *lines[done:]])
