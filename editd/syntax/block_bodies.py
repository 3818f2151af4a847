"""The lines of a block that words name by its kind: what the loop repeats, what the ``catch`` or the ``else`` does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from editd.syntax.code import Code
from editd.syntax.places import Place
from editd.syntax.python_text import PythonText
from editd.syntax.statements import StatementLines
from editd.syntax.trees import Node, Tree

_ENDLESS = re.compile(r"endless|infinite|main")
_LOOPS = (
    "for_statement", "for_in_statement", "enhanced_for_statement", "while_statement", "for_expression", "while_expression",
    "loop_expression",
)  # fmt: skip
ENDLESS_HEAD = re.compile(
    r"(?:for|loop)\s*\{|for\s*\(\s*;\s*;\s*\)|while\s*\(?\s*(?:true|1|True)\b"
)
"""Begins a loop without a condition."""
_CLAUSES = {"catch": ("catch_clause",), "except": ("catch_clause",), "finally": ("finally_clause",)}


def block_body(kind: str, code: Code, place: Place | None) -> StatementLines | None:
    """The lines in the only block of a kind ("loop", "endless loop", "try", "catch", "except", "finally", "else") in ``place``, by default in the
    text; ``None`` if it has none or several, or the block shares its first line with its head.
    """
    first, last = (place.first, place.last) if place else (0, len(code.text))
    if code.python is not None:
        found = [*_python_bodies(kind, code.python, first, last)]
    elif code.tree is not None:
        found = [*_tree_bodies(kind, code.tree, code.lines, first, last)]
    else:
        return None
    return found[0] if len(found) == 1 else None


def _python_bodies(
    kind: str, python: PythonText, first: int, last: int
) -> Iterator[StatementLines]:
    """Yield the lines of the blocks of a kind between two offsets of a Python text."""
    for node in ast.walk(python.tree):
        body = _python_body(kind, node)
        if body and first <= python.span(body[0])[0] < last and python.is_alone(body[0]):
            start = python.first(body[0])
            yield StatementLines(start, python.last(body[-1]) + 1, python.indent(start))


def _python_body(kind: str, node: ast.AST) -> list[ast.stmt]:
    """The statements of a node's block of a kind; empty for another node."""
    match node:
        case ast.For() | ast.AsyncFor() | ast.While() if kind.endswith("loop"):
            is_endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
            is_of_word = {
                "for": not isinstance(node, ast.While),
                "while": isinstance(node, ast.While),
            }
            if _ENDLESS.match(kind):
                return node.body if is_endless else []
            return node.body if is_of_word.get(kind.split(maxsplit=1)[0], True) else []
        case ast.ExceptHandler() if kind in ("catch", "except"):
            return node.body
        case ast.Try() if kind in ("try", "finally"):
            return node.body if kind == "try" else node.finalbody
        case ast.If(orelse=[*rest]) if kind == "else":
            return [] if len(rest) == 1 and isinstance(rest[0], ast.If) else rest
    return []


def _tree_bodies(
    kind: str, tree: Tree, lines: list[str], first: int, last: int
) -> Iterator[StatementLines]:
    """Yield the lines of the blocks of a kind between two offsets of a text with braces."""
    for node in tree.nodes():
        body = _tree_body(kind, node, tree)
        if body is None or not first <= tree.span(body)[0] < last:
            continue
        start, end = body.start_point[0] + 1, body.end_point[0]
        if start < end and lines[start].strip() and lines[end].lstrip().startswith("}"):
            yield StatementLines(start, end, lines[start][: -len(lines[start].lstrip())])


def _tree_body(kind: str, node: Node, tree: Tree) -> Node | None:
    """The block of a kind that belongs to a node; ``None`` for another node."""
    if kind.endswith("loop") and node.type in _LOOPS:
        head = tree.code(node)
        if _ENDLESS.match(kind) and not ENDLESS_HEAD.match(head):
            return None
        word = kind.split(maxsplit=1)[0]
        return (
            node.child_by_field_name("body")
            if word not in ("for", "while") or head.startswith(word)
            else None
        )
    if kind == "try" and node.type == "try_statement":
        return node.child_by_field_name("body")
    if node.type in _CLAUSES.get(kind, ()):
        return node.child_by_field_name("body") or next(
            (x for x in node.named_children if "block" in x.type), None
        )
    if kind == "else" and node.type in ("if_statement", "if_expression"):
        other = node.child_by_field_name("alternative")
        if other is not None and other.type == "else_clause":
            other = other.named_children[-1]
        return other if other is not None and tree.code(other).startswith("{") else None
    return None
