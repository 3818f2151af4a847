"""A Python text that parses, with its tree and lines, and the place of each node in them.

Lines are those of the text, from 0, and offsets code points, whatever ``ast`` counts in. A part of a file may be
indented.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator, Sequence
from functools import cached_property

from editd.syntax.lines import line_starts, split
from editd.syntax.python_tokens import python_tokens
from editd.syntax.tokens import Token

Function = ast.FunctionDef | ast.AsyncFunctionDef
FunctionOrClass = Function | ast.ClassDef
Placed = ast.expr | ast.stmt | ast.arg | ast.alias
Statement = ast.stmt
Alias = ast.alias


class PythonText:
    """A text with its tree, as ``Code.python`` gives it; the tree is shared and must not be changed."""

    def __init__(self, text: str, tree: ast.Module, shift: int) -> None:
        self.text = text
        self.tree = tree
        self.lines = split(text)
        self.is_part = bool(shift)
        self._shift = shift
        self._starts = line_starts(self.lines)

    @cached_property
    def tokens(self) -> list[Token] | None:
        """The tokens in order; ``None`` if the tokenizer refuses what the parser takes."""
        return python_tokens(self.text)

    def line_start(self, line: int) -> int:
        """The offset of a line; the text's length for a line behind the last."""
        return self._starts[min(line, len(self._starts) - 1)]

    def first(self, node: Placed) -> int:
        """The line on which a node begins, decorators included."""
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        return min(node.lineno, *(x.lineno for x in decorators), node.lineno) - 1 - self._shift

    def last(self, node: Placed) -> int:
        """The line on which a node ends."""
        return (node.end_lineno or node.lineno) - 1 - self._shift

    def span(self, node: Placed) -> tuple[int, int]:
        """The offsets of a node, the second exclusive."""
        return self._offset(node.lineno, node.col_offset), self._offset(
            node.end_lineno or node.lineno, node.end_col_offset or 0
        )

    def code(self, node: Placed) -> str:
        """A node's own characters."""
        start, end = self.span(node)
        return self.text[start:end]

    def indent(self, line: int) -> str:
        """The white space that a line begins with."""
        return self.lines[line][: len(self.lines[line]) - len(self.lines[line].lstrip())]

    def bodies(self) -> Iterator[list[ast.stmt]]:
        """Yield the lists of statements in one block: bodies, ``else`` and ``finally`` of the
        module and all in it, outer ones first.
        """
        for node in ast.walk(self.tree):
            for field in ("body", "orelse", "finalbody"):
                body = getattr(node, field, None)
                if isinstance(body, list) and body:
                    yield body

    def definitions(self, name: str = "") -> list[Function | ast.ClassDef]:
        """The functions, methods and classes of this name, outer ones first; all if it is empty.

        ``Owner.name``: only in the body itself of a class of this name; nothing for a name with two dots.
        """
        owner, _, last = name.rpartition(".")
        nodes = list(ast.walk(self.tree))
        if owner:
            classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
            nodes = [x for node in classes if node.name == owner for x in node.body]
        found = [node for node in nodes if isinstance(node, Function | ast.ClassDef)]
        return [node for node in found if last in ("", node.name)]

    def check_of(self, body: Sequence[ast.stmt]) -> ast.If | None:
        """The ``if`` without ``else`` whose body this is; ``None`` if it is written as ``elif``, or is all of a block."""
        for other in self.bodies():
            for node in other:
                if isinstance(node, ast.If) and node.body == list(body) and not node.orelse:
                    is_all = len(other) == 1 or self.code(node).startswith("elif")
                    return None if is_all else node
        return None

    def is_alone(self, node: ast.stmt) -> bool:
        """Whether nothing but a comment behind it stands on a statement's lines beside it; an ``@``
        before it does not count.
        """
        start, end = self.span(node)
        before = self.text[self.line_start(self.first(node)) : start]
        after = self.text[end : self.line_start(self.last(node) + 1)].strip()
        return not before.strip().rstrip("@") and (not after or after.startswith("#"))

    def has_long_strings(self, start: int, end: int) -> bool:
        """Whether a string in lines ``start .. end`` (0-based, end exclusive) goes over line ends, so that
        indenting would change it. True also if the text's tokens are unknown.
        """
        if self.tokens is None:
            return True
        first, last = self.line_start(start), self.line_start(end)
        return any(
            "\n" in token.text and first < token.end and token.start < last
            for token in self.tokens
            if token.kind in ("string", "docstring")
        )

    def _offset(self, line: int, column: int) -> int:
        """The offset in code points of a place that ``ast`` gives: a 1-based line of its tree, a
        column in UTF-8 bytes.
        """
        number = line - 1 - self._shift
        text = self.lines[number] if number < len(self.lines) else ""
        if not text.isascii():
            column = len(text.encode("utf-8", "replace")[:column].decode(errors="ignore"))
        return self.line_start(number) + column


def symbols_of(text: str) -> symtable.SymbolTable | None:
    """The scopes of a text, as ``symtable`` sees them; ``None`` for a text with a syntax error, null bytes, too
    deep nesting, or an error of scopes, such as two parameters of one name.
    """
    try:
        return symtable.symtable(text, "a.py", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return None


def docstring_of(node: ast.AST) -> ast.Expr | None:
    """The statement that is the docstring of a module, class or function; ``None`` if its body
    begins with anything else or it has none.
    """
    match getattr(node, "body", None):
        case [ast.Expr() as first, *_] if is_text(first):
            return first
    return None


def first_constant(tree: ast.Module) -> ast.Expr | None:
    """The first statement of a file, if it is nothing but a constant of any type, as a docstring
    is; else ``None``.
    """
    match tree.body:
        case [ast.Expr(value=ast.Constant()) as first, *_]:
            return first
    return None


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a string."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def is_try(node: ast.stmt) -> bool:
    """Whether a statement is a ``try``."""
    return isinstance(node, ast.Try)


def written(node: ast.AST) -> str:
    """A node as the parser writes it: without comments, in the parser's quotes and spacing."""
    return ast.unparse(node)


def call_of(name: str, node: ast.stmt) -> ast.Call | None:
    """The call that a statement is, if it is one of the function ``name`` without a dot; ``None``
    if it is anything else.
    """
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=called)) as call) if called == name:
            return call
    return None


def statements_tried(tree: ast.Module) -> set[ast.stmt]:
    """The statements directly in a ``try`` or in one of its handlers."""
    return {
        statement
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        for body in (node.body, *(handler.body for handler in node.handlers))
        for statement in body
    }
