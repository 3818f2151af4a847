"""Definitions by their names, and whose a name is: a scope's own, or one that is used elsewhere, too.

A scope is the one definition of a text that is called so. Of Python by ``symtable``, of other languages by tree-sitter.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.syntax.code import read_code
from editd.syntax.definition import Definition
from editd.syntax.lines import line_starts, split
from editd.syntax.python_text import Function, symbols_of
from editd.syntax.tokens import Token
from editd.syntax.trees import Node

_OF_OBJECTS = ("member", "key")
_DECLARATIONS = frozenset(
    """
    variable_declarator required_parameter optional_parameter formal_parameters formal_parameter parameter
    parameter_declaration short_var_declaration var_spec range_clause let_declaration init_declarator declaration
    catch_clause for_in_statement enhanced_for_statement for_expression
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a definition stands: its lines ``start .. end`` and its characters ``first .. last``, both ends exclusive."""

    name: str
    start: int
    end: int
    first: int
    last: int


def place_of(qualified: str, text: str, language: str) -> Place | None:
    """The place of the one definition of this name, which may be qualified.

    ``None`` if no definition has the name, or several of which none holds all others, as a class its constructor.
    """
    code = read_code(text, language)
    name = re.sub("::|#", ".", qualified)
    named = [x for x in code.definitions if x.is_block and name in (x.name, x.qualified)]
    outer = [x for x in named if all(holds(x, other) for other in named)]
    if not outer:
        return None
    found, starts = outer[0], code.line_starts
    return Place(found.name, found.start, found.end, starts[found.start], starts[found.end])


def defined_in(text: str, language: str) -> frozenset[str]:
    """The names of the functions, classes and constants that a text defines."""
    return frozenset(x.name for x in read_code(text, language).definitions)


def holds(outer: Definition, inner: Definition) -> bool:
    """Whether all lines of ``inner`` are lines of ``outer``, too."""
    return outer.start <= inner.start and inner.end <= outer.end


# Whose a name is


def is_own(
    name: str,
    place: Place,
    tokens: Sequence[Token],
    text: str,
    language: str,
    *,
    is_member: bool,
) -> bool:
    """Whether every mention of ``name`` in the place is the place's own, as of a local variable.

    tokens: all of the text. is_member: members of objects that are called so count, too.
    """
    inside = [x for x in tokens if x.text == name and place.first <= x.start < place.last]
    outside = [x for x in tokens if x.text == name and not place.first <= x.start < place.last]
    members = [x.start for x in (*inside, *outside) if x.kind in _OF_OBJECTS]
    if is_member and members:
        is_apart = all(place.first <= start < place.last for start in members)
        names = [x for x in inside if x.kind == "name" and x.of != "declared"]
        if not (is_apart and names):
            return is_apart
    if language == "python":
        return _is_bound(name, place, text)
    lines = split(text)
    others = [
        x
        for x in read_code(text, language).definitions
        if x.is_block and not (x.start <= place.start and place.end <= x.end)
    ]
    starts = line_starts(lines)
    is_around = any(
        token.kind == "name"
        and not any(starts[x.start] <= token.start < starts[x.end] for x in others)
        for token in outside
    )
    return not is_around or is_declared(name, text, language, place)


def _is_bound(name: str, place: Place, text: str) -> bool:
    """Whether a Python name is local to the place: each scope in there that uses it has it from a scope in there."""
    python = read_code(text, "python").python
    if python is None or python.is_part:
        return False

    def is_here(line: int) -> bool:
        return place.start < line <= place.end

    def uses(table: symtable.SymbolTable, *, is_inner: bool) -> Iterator[symtable.Symbol]:
        is_inner = is_inner or (table.get_type() != "module" and is_here(table.get_lineno()))
        if is_inner and name in table.get_identifiers():
            yield table.lookup(name)
        for child in table.get_children():
            yield from uses(child, is_inner=is_inner)

    module = symbols_of(text)
    used = list(uses(module, is_inner=False)) if module is not None else []
    if not any(x.is_local() for x in used) or any(x.is_global() for x in used):
        return False
    heads = [
        part
        for node in python.definitions(place.name)
        if python.last(node) + 1 == place.end
        for part in _head(node)
    ]
    return not any(
        isinstance(x, ast.Name) and x.id == name for part in heads for x in ast.walk(part)
    )


def _head(node: Function | ast.ClassDef) -> list[ast.AST]:
    """The parts of a definition that are evaluated in the scope around it: decorators, defaults, bases."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    arguments = node.args
    defaults = [x for x in (*arguments.defaults, *arguments.kw_defaults) if x is not None]
    return [*node.decorator_list, *defaults]


def is_declared(name: str, text: str, language: str, place: Place | None = None) -> bool:
    """Whether a text declares a variable or a parameter of that name; only in the place, if it is given. Never in Python."""
    tree = read_code(text, language).tree
    nodes = tree.nodes("identifier") if tree is not None else ()
    return tree is not None and any(
        tree.code(node) == name
        and (place is None or place.first <= tree.offset(node.start_byte) < place.last)
        and _declares(node)
        for node in nodes
    )


def _declares(node: Node) -> bool:
    """Whether an identifier is the name that a declaration or a parameter introduces."""
    parent = node.parent
    if parent is not None and parent.type == "expression_list":
        node, parent = parent, parent.parent
    if parent is None or parent.type not in _DECLARATIONS:
        return False
    fields = ("name", "pattern", "left", "declarator", "parameter")
    named = [parent.child_by_field_name(field) for field in fields]
    return node in named or parent.type == "formal_parameters"
