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
from editd.syntax.outline import outline
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
    """Lines ``start .. end`` of the definition ``name``, and ``first .. last``, its characters."""

    name: str
    start: int
    end: int
    first: int
    last: int


def place_of(said: str, text: str, language: str) -> Place | None:
    """The one definition that is called so, a class before its constructor; ``None`` if none or several are."""
    lines = split(text)
    name = re.sub("::|#", ".", said)
    named = [
        one
        for one in outline(lines, language)
        if one.is_block and name in (one.name, one.qualified)
    ]
    outer = [one for one in named if all(holds(one, other) for other in named)]
    if not outer:
        return None
    starts = line_starts(lines)
    one = outer[0]
    return Place(one.name, one.start, one.end, starts[one.start], starts[one.end])


def defined_in(text: str, language: str) -> frozenset[str]:
    """The names of what the text defines."""
    return frozenset(one.name for one in outline(split(text), language))


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
    """Whether ``name`` is the place's own, such as a local variable, so that nothing else is called so by it.

    is_member: whether members are meant, too.
    """
    inside = [one for one in tokens if one.text == name and place.first <= one.start < place.last]
    outside = [
        one for one in tokens if one.text == name and not place.first <= one.start < place.last
    ]
    members = [one.start for one in (*inside, *outside) if one.kind in _OF_OBJECTS]
    if is_member and members:
        is_apart = all(place.first <= start < place.last for start in members)
        names = [one for one in inside if one.kind == "name" and one.of != "declared"]
        if not (is_apart and names):
            return is_apart
    if language == "python":
        return _is_bound(name, place, text)
    lines = split(text)
    others = [
        one
        for one in outline(lines, language)
        if one.is_block and not (one.start <= place.start and place.end <= one.end)
    ]
    starts = line_starts(lines)
    is_around = any(
        token.kind == "name"
        and not any(starts[one.start] <= token.start < starts[one.end] for one in others)
        for token in outside
    )
    return not is_around or is_declared(name, text, language, place)


def _is_bound(name: str, place: Place, text: str) -> bool:
    """Whether every scope in the place that uses the name has it from itself or from one around it in there."""
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
    if not any(one.is_local() for one in used) or any(one.is_global() for one in used):
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
    """What of a definition is read where it stands."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    given = node.args
    defaults = [one for one in (*given.defaults, *given.kw_defaults) if one is not None]
    return [*node.decorator_list, *defaults]


def is_declared(name: str, text: str, language: str, place: Place | None = None) -> bool:
    """Whether a variable or a parameter of that name is declared, in the place if one is given."""
    tree = read_code(text, language).tree
    nodes = tree.nodes("identifier") if tree is not None else ()
    return tree is not None and any(
        tree.code(node) == name
        and (place is None or place.first <= tree.offset(node.start_byte) < place.last)
        and _declares(node)
        for node in nodes
    )


def _declares(node: Node) -> bool:
    """Whether it is what a declaration or a parameter gives a name."""
    parent = node.parent
    if parent is not None and parent.type == "expression_list":
        node, parent = parent, parent.parent
    if parent is None or parent.type not in _DECLARATIONS:
        return False
    fields = ("name", "pattern", "left", "declarator", "parameter")
    named = [parent.child_by_field_name(field) for field in fields]
    return node in named or parent.type == "formal_parameters"
