"""Sorts functions, or the methods of a class, by name; constructors stay first.

Only where they stand together, with nothing but blank lines between, and none is needed to define another. C is left to
a model: what it defines has to stand above its uses.

a.py, "sort the functions"::

    def b():
        return 1


    def a():
        return b()

becomes::

    def a():
        return b()


    def b():
        return 1
"""

from __future__ import annotations

import re
from itertools import pairwise

from editd.intent.intents import SortFunctions
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code, read_code
from editd.syntax.definition import Definition
from editd.syntax.places import place_of
from editd.syntax.python_scopes import names_in_header
from editd.syntax.python_text import Function

_A_TYPE = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|static|final|abstract|pub(?:\(\w+\))?|unsafe) )*"
    r"(?:class|struct|enum|interface|trait|impl|type|mod|module|union|record|namespace)\b"
)
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|@)")
_CONSTRUCTORS = ("__new__", "__init__", "constructor")


def sort_functions(intent: SortFunctions, code: Code) -> Candidates | None:
    """The text with the functions in order, as a certain candidate: the methods of one class, or the functions at top
    level (the methods, if all functions are methods of one class).

    ``None`` in C, if the text does not parse, methods are asked for and no class is named and not exactly one has any
    (or the class named is not there), there are fewer than two functions, anything but blank lines stands between them,
    or (in Python) a decorator, default or annotation of one names another.
    """
    text, language = code.text, code.language
    if language == "c" or not code.parses:
        return None
    lines = code.lines
    found = [
        function
        for function in code.definitions
        if function.is_block and not _is_type(function, lines)
    ]
    owners = {function.owner for function in found}
    if intent.are_methods:
        owners -= {""}
    owner = intent.owner or (owners.pop() if len(owners) == 1 else "")
    if intent.are_methods and (not owner or place_of(owner, text, language) is None):
        return None
    found = [function for function in found if function.owner == owner]
    gaps = [lines[function.end : after.start] for function, after in pairwise(found)]
    if len(found) < 2 or any(line.strip() for gap in gaps for line in gap):
        return None
    if language == "python" and _are_needed(found, text):
        return None
    bodies = [
        "".join(lines[function.start : function.end]) for function in sorted(found, key=_rank)
    ]
    if not lines[-1].endswith("\n"):  # the last one may be another now
        bodies = [f"{body.rstrip(chr(10))}\n" for body in bodies]
        bodies[-1] = bodies[-1][:-1]
    pieces = [
        piece for body, gap in zip(bodies, [*gaps, []], strict=True) for piece in (body, *gap)
    ]
    new = "".join([*lines[: found[0].start], *pieces, *lines[found[-1].end :]])
    return Candidates((new,), is_certain=True)


def _is_type(definition: Definition, lines: list[str]) -> bool:
    """Whether a definition is a class, a type or a module."""
    head = next(
        (line for line in lines[definition.start : definition.end] if not _COMMENT.match(line)), ""
    )
    return bool(_A_TYPE.match(head))


def _rank(definition: Definition) -> tuple[int, str, str]:
    """The sort key of a function: constructors first, then by name without regard to case."""
    first = (*_CONSTRUCTORS, definition.owner)
    at = first.index(definition.name) if definition.name in first else len(first)
    return at, definition.name.casefold(), definition.name


def _are_needed(found: list[Definition], text: str) -> bool:
    """Whether a decorator, a default or an annotation of one of the functions names another of
    them; also if the text does not parse.
    """
    python = read_code(text, "python").python
    names = {function.name for function in found}
    starts = {function.end for function in found}
    return python is None or any(
        names_in_header(node) & (names - {node.name})
        for node in python.definitions()
        if isinstance(node, Function) and python.last(node) + 1 in starts
    )
