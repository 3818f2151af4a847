"""Where the definition of a name stands in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from editd.syntax.code import Code, read_code
from editd.syntax.definition import Definition
from editd.syntax.handlers import handler_name, handler_node, is_for_handler
from editd.syntax.text_outline import comment_above


@dataclass(frozen=True, slots=True)
class Place:
    """Where a definition stands: its lines ``start .. end`` and its characters ``first .. last``, both ends exclusive."""

    name: str
    start: int
    end: int
    first: int
    last: int


def place_of(qualified: str, text: str, language: str) -> Place | None:
    """The place of the one function or class of this name, which may be qualified with ``.``, ``::`` or ``#``, with
    the comment above; in bash and zsh also of ``name() {``. Words for a handler ("the delete route") mean that function.

    If several have the name, the one that holds all others, as a class its constructor. ``None`` if none has it, or
    none of several holds the others.
    """
    code = read_code(text, language)
    if is_for_handler(qualified):
        if name := handler_name(qualified, code):
            return place_of(name, text, language)
        return _place_of_handler(qualified, code)
    name = re.sub("::|#", ".", qualified)
    named = [x for x in code.definitions if x.is_block and name in (x.name, x.qualified)]
    outer = [x for x in named if all(holds(x, other) for other in named)]
    if not outer:
        return _place_in_shell(name, text) if language in ("bash", "zsh") and not named else None
    found, starts = outer[0], code.line_starts
    return Place(found.name, found.start, found.end, starts[found.start], starts[found.end])


def _place_of_handler(words: str, code: Code) -> Place | None:
    """The lines of the one function without a name that the words for a handler mean; ``None`` for none or several."""
    node = handler_node(words, code)
    if node is None:
        return None
    start, end, starts = node.start_point[0], node.end_point[0] + 1, code.line_starts
    return Place(words, start, end, starts[start], starts[end])


def _place_in_shell(name: str, text: str) -> Place | None:
    """The place of the one function of a shell that is written ``name() {`` and ends with a bracket at its depth.

    The comment directly above belongs to it. ``None`` if none or several are.
    """
    found = list(
        re.finditer(
            rf"(?m)^(?P<depth>[ \t]*){re.escape(name)}[ \t]*\(\)[ \t]*\{{[ \t]*\n(?:.*\n)*?(?P=depth)\}}[ \t]*(?:\n|\Z)",
            text,
        )
    )
    if len(found) != 1:
        return None
    code = read_code(text, "bash")
    first, last = found[0].span()
    start = comment_above(code.lines, text.count("\n", 0, first))
    end = text.count("\n", 0, last) + (not text[:last].endswith("\n"))
    return Place(name, start, end, code.line_starts[start], last)


def defined_in(text: str, language: str) -> frozenset[str]:
    """The names of the functions, classes and constants that a text defines."""
    return frozenset(x.name for x in read_code(text, language).definitions)


def holds(outer: Definition, inner: Definition) -> bool:
    """Whether all lines of ``inner`` are lines of ``outer``, too."""
    return outer.start <= inner.start and inner.end <= outer.end
