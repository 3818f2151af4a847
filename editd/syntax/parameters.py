"""The parameters of the functions of a text, in all languages with a parser. Changes no text."""

from __future__ import annotations

from collections.abc import Iterator

from editd.syntax.code import Code
from editd.syntax.python_places import parameter_names
from editd.syntax.python_text import Function
from editd.syntax.trees import Node, Tree

_FUNCTIONS = (
    "function_declaration", "method_definition", "method_declaration", "function_item", "function_definition",
    "constructor_declaration",
)  # fmt: skip
_NAMES = ("identifier", "shorthand_property_identifier_pattern", "variadic_parameter")
_FIELDS = ("pattern", "name", "declarator", "left")


def parameters_in(code: Code) -> dict[str, tuple[str, ...]]:
    """The names of the parameters of each function, without ``self``, by its name; of a name that several functions have, those of
    the first. Empty without a parser.
    """
    found: dict[str, tuple[str, ...]] = {}
    if code.python is not None:
        for function in code.python.definitions():
            if isinstance(function, Function):
                found.setdefault(function.name, tuple(parameter_names(function)))
    elif code.tree is not None:
        for node in code.tree.nodes(*_FUNCTIONS):
            if name := _name_of(node, code.tree):
                found.setdefault(name, tuple(_names_of(node, code.tree)))
    return found


def _name_of(function: Node, tree: Tree) -> str:
    """The name of a function; empty if it has none."""
    name = function.child_by_field_name("name")
    if name is None and (declarator := function.child_by_field_name("declarator")) is not None:
        name = declarator.child_by_field_name("declarator")
    return "" if name is None else tree.code(name)


def _names_of(function: Node, tree: Tree) -> Iterator[str]:
    """Yield the names of a function's parameters that are plain names."""
    parameters = function.child_by_field_name("parameters")
    if (
        parameters is None
        and (declarator := function.child_by_field_name("declarator")) is not None
    ):
        parameters = declarator.child_by_field_name("parameters")
    for child in parameters.named_children if parameters is not None else ():
        yield from _names_in(child, tree)


def _names_in(node: Node, tree: Tree) -> Iterator[str]:
    """Yield the names that one parameter declares."""
    if node.type in _NAMES:
        yield tree.code(node)
        return
    named = [child for field in _FIELDS for child in node.children_by_field_name(field)]
    for child in named:
        yield from _names_in(child, tree)
