"""Where the definitions (functions, types, constants) of a text are that tree-sitter has parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.syntax.definition import Definition
from editd.syntax.trees import Node

# Nodes that define something, and whether more definitions may stand inside them.
_FUNCTIONS = frozenset(
    """
    function_definition function_declaration generator_function_declaration function_item
    function_signature_item method_declaration method_definition method_signature
    abstract_method_signature constructor_declaration macro_definition preproc_function_def
    """.split()  # noqa: SIM905 - read as a list of words
)
_TYPES = frozenset(
    """
    class_declaration abstract_class_declaration interface_declaration enum_declaration
    record_declaration annotation_type_declaration struct_specifier union_specifier enum_specifier
    struct_item enum_item union_item trait_item impl_item mod_item type_spec
    type_alias_declaration type_definition internal_module module
    """.split()  # noqa: SIM905
)
_CONSTANTS = frozenset(
    """
    variable_declarator const_item static_item type_item const_spec var_spec preproc_def
    type_alias field_declaration field_definition public_field_definition
    """.split()  # noqa: SIM905
)
_WRAPPERS = frozenset(
    """
    program source_file translation_unit export_statement declaration_list class_body
    interface_body enum_body enum_body_declarations lexical_declaration variable_declaration
    type_declaration const_declaration var_declaration var_spec_list ambient_declaration
    statement_block expression_statement linkage_specification preproc_if preproc_ifdef preproc_else
    declaration ERROR
    """.split()  # noqa: SIM905
)
_AROUND = frozenset(
    """
    export_statement lexical_declaration variable_declaration type_declaration const_declaration
    var_declaration ambient_declaration
    """.split()  # noqa: SIM905
)
_DEEPEST = 100  # levels of nesting in which definitions are looked for


def tree_definitions(root: Node) -> list[Definition] | None:
    """The definitions of a tree, outer ones before inner; ``None`` if it has errors and no
    definition.
    """
    found = list(_tree_definitions([root], ""))
    if root.has_error and not found:
        return None
    return found


def _tree_definitions(path: list[Node], owner: str) -> Iterator[Definition]:
    """Yield definitions below the last node of ``path``, which leads there from the root:
    functions, types with their members, constants, but nothing inside functions.

    owner: the type around them, or empty. Nothing below ``_DEEPEST`` nodes.
    """
    for child in path[-1].named_children if len(path) < _DEEPEST else ():
        kind = child.type
        if kind in _FUNCTIONS or kind in _TYPES or kind in _CONSTANTS:
            name = _node_name(child)
            outer = _with_wrapper([*path, child])
            start, end = outer.start_point[0], outer.end_point[0] + (outer.end_point[1] > 0)
            arrow = kind == "variable_declarator" and _is_function(child)
            if name:
                is_block = arrow or kind not in _CONSTANTS
                yield Definition(name, start, end, owner or _receiver(child), is_block)
            if kind in _TYPES:
                body = child.child_by_field_name("body")
                if body is not None:
                    yield from _tree_definitions([*path, child, body], name or owner)
        elif kind in _WRAPPERS:
            yield from _tree_definitions([*path, child], owner)


def _node_name(node: Node) -> str:
    """The name that a definition gives: its ``name`` field, or the innermost declarator's, of an
    ``impl`` its type's; without type parameters. Empty if it has none.
    """
    if node.type == "impl_item":
        named = node.child_by_field_name("type")
    else:
        fields = ("name", "declarator", "property")
        named = next(filter(None, map(node.child_by_field_name, fields)), None)
    while named is not None:
        inner = named.child_by_field_name("declarator") or named.child_by_field_name("name")
        if inner is None:
            break
        named = inner
    text = named.text if named is not None else None
    return text.decode("utf-8", "replace").split("<")[0].strip() if text else ""


def _with_wrapper(path: list[Node]) -> Node:
    """The last node of ``path`` or, if its parent is an "export", a "const" or the like that holds
    nothing else, that one, over any number of steps.

    A node does not know its parent: tree-sitter would look for it from the root.
    """
    at = len(path) - 1
    while at and path[at - 1].type in _AROUND and path[at - 1].named_child_count == 1:
        at -= 1
    return path[at]


def _is_function(declarator: Node) -> bool:
    """Whether the value of a variable is a function or a class."""
    value = declarator.child_by_field_name("value")
    return value is not None and value.type in (
        "arrow_function",
        "function_expression",
        "generator_function",
        "class",
    )


def _receiver(node: Node) -> str:
    """``T`` of Go's ``func (r *T) name()``; empty for all else."""
    receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
    if receiver is None or receiver.text is None:
        return ""
    words: list[str] = re.findall(r"[^\W\d]\w*", receiver.text.decode("utf-8").split("[")[0])
    return words[-1] if words else ""
