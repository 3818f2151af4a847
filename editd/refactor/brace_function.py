"""The functions of languages with braces, by their names or by what they handle."""

from __future__ import annotations

from collections.abc import Iterator

from editd.syntax.code import Code
from editd.syntax.handlers import handler_node, is_for_handler
from editd.syntax.trees import Node
from editd.syntax.words import as_word

FUNCTIONS = (
    "function_declaration", "function_definition", "function_item", "method_declaration",
    "method_definition", "generator_function_declaration",
)  # fmt: skip
_VALUES = ("function_expression", "arrow_function")


def functions_of(name: str, code: Code) -> Iterator[Node]:
    """Yield the functions in braces of a name, or all for an empty one; for words for a handler the one that they mean."""
    if code.tree is None:
        return
    if is_for_handler(name):
        handler = handler_node(name, code)
        yield from [handler] if handler is not None else []
        return
    word = as_word(name.rpartition(".")[2])
    for node in code.tree.nodes(*FUNCTIONS, *_VALUES):
        label = _label_of(node)
        if not name or (label is not None and word.search(code.tree.code(label))):
            yield node


def _label_of(function: Node) -> Node | None:
    """The node that names a function: its own name, or what a function that is a value is given to (``go`` of
    ``A.prototype.go = function``); ``None`` for one without a name.
    """
    if function.type not in _VALUES:
        return function.child_by_field_name("name") or function.child_by_field_name("declarator")
    parent = function.parent
    if parent is None or parent.type not in (
        "assignment_expression",
        "variable_declarator",
        "pair",
    ):
        return None
    label = next(filter(None, map(parent.child_by_field_name, ("left", "name", "key"))), None)
    return label and (label.child_by_field_name("property") or label)
