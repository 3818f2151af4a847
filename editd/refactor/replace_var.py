"""Replaces ``var`` of JavaScript and TypeScript: ``const`` where nothing is assigned later, else ``let``.

a.js, "use let and const instead of var"::

    var limit = 3;
    var total = 0;
    total += limit;

becomes::

    const limit = 3;
    let total = 0;
    total += limit;
"""

from __future__ import annotations

from editd.intent.intents import ReplaceVar
from editd.refactor.candidates import Candidates, Mentions, Spans, with_spans
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.trees import Node, Tree, nodes_in

_SCOPES = ("program", "statement_block", "for_statement", "for_in_statement", "switch_case", "switch_default", "class_static_block")  # fmt: skip
_FUNCTIONS = (
    "function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function",
    "generator_function_declaration", "program",
)  # fmt: skip


def replace_var(intent: ReplaceVar, code: Code) -> Candidates | None:
    """The text with ``const`` or ``let`` in place of each ``var`` that allows it, as a certain candidate; those that do
    not allow it stay, and are said to.

    What is declared twice, or used before or outside of its block, allows neither; what is assigned again, or has no
    value, no ``const``. ``None`` in other languages, and if no ``var`` can be replaced.
    """
    tree = code.tree
    if tree is None or code.language not in SCRIPTS:
        return None
    spans: Spans = []
    staying: list[tuple[str, tuple[int, ...]]] = []
    declared = list(tree.nodes("variable_declaration"))
    for node in declared:
        start, _ = tree.span(node)
        if not code.text.startswith("var", start):
            continue
        names = _names(node)
        line = code.text.count("\n", 0, start)
        shown = ", ".join(tree.code(name) for name in names)
        if any(not _may_be_local(name, node, tree) for name in names):
            staying.append((f"the var of {shown}, which is used outside of its block", (line,)))
            continue
        is_constant = _has_values(node) and not any(
            _is_assigned(name, node, tree) for name in names
        )
        if intent.only == "const" and not is_constant:
            staying.append((f"the var of {shown}, which is assigned again", (line,)))
            continue
        word = "const" if is_constant and intent.only != "let" else "let"
        spans.append((start, start + len("var"), word))
    if not spans:
        return None
    left: Mentions = tuple(staying)
    return Candidates((with_spans(code.text, spans),), is_certain=True, left_alone=left)


def _names(declaration: Node) -> list[Node]:
    """The names that a declaration makes, those in patterns too."""
    found = []
    for declarator in declaration.named_children:
        if declarator.type != "variable_declarator":
            continue
        target = declarator.child_by_field_name("name")
        if target is None:
            continue
        if target.type == "identifier":
            found.append(target)
        else:
            found += nodes_in(target, "identifier", "shorthand_property_identifier_pattern")
    if declaration.type == "for_in_statement" and (left := declaration.child_by_field_name("left")):
        found += nodes_in(left, "identifier")
    return found


def _has_values(declaration: Node) -> bool:
    """Whether each name of a declaration gets a value there."""
    declarators = [x for x in declaration.named_children if x.type == "variable_declarator"]
    return bool(declarators) and all(
        x.child_by_field_name("value") is not None for x in declarators
    )


def _around(node: Node, kinds: tuple[str, ...]) -> Node:
    """The innermost node of these kinds around a node; the program if there is no other."""
    parent = node.parent
    while parent is not None and parent.parent is not None and parent.type not in kinds:
        parent = parent.parent
    return parent or node


def _uses(name: Node, declaration: Node, tree: Tree) -> list[Node]:
    """The other places of a name in the function around its declaration."""
    text = tree.code(name)
    function = _around(declaration, _FUNCTIONS)
    kinds = ("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
    return [
        node
        for node in nodes_in(function, *kinds)
        if tree.code(node) == text and node.start_byte != name.start_byte
    ]


def _may_be_local(name: Node, declaration: Node, tree: Tree) -> bool:
    """Whether a name is declared once, and used only below its declaration in its block."""
    block = _around(declaration, _SCOPES)
    for use in _uses(name, declaration, tree):
        if use.start_byte < block.start_byte or use.end_byte > block.end_byte:
            return False
        is_redeclared = (
            use.parent is not None
            and use.parent.type == "variable_declarator"
            and use == use.parent.child_by_field_name("name")
        )
        if is_redeclared and _around(use, _FUNCTIONS) == _around(declaration, _FUNCTIONS):
            return False
        is_before = use.start_byte < declaration.start_byte
        if is_before and _around(use, _FUNCTIONS) == _around(declaration, _FUNCTIONS):
            return False
    return True


def _is_assigned(name: Node, declaration: Node, tree: Tree) -> bool:
    """Whether a name gets another value somewhere."""
    for use in _uses(name, declaration, tree):
        child: Node = use
        parent: Node | None = use.parent
        while parent is not None and parent.type in ("array_pattern", "object_pattern", "assignment_pattern", "rest_pattern", "pair_pattern", "parenthesized_expression"):  # fmt: skip
            child, parent = parent, parent.parent
        if parent is None:
            continue
        if parent.type == "update_expression":
            return True
        is_target = parent.child_by_field_name("left") == child
        if is_target and parent.type in (
            "assignment_expression",
            "augmented_assignment_expression",
            "for_in_statement",
        ):
            return True
    return False
