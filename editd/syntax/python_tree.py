"""The syntax tree that Python's own parser makes of a text, or of an indented part of a file."""

from __future__ import annotations

import ast
import warnings


def parse_python(text: str) -> tuple[ast.Module, int] | None:
    """The tree of a text, and how many lines were put before the text for it: an indented part of a file, which
    begins with white space, is read below ``if 1:`` or else ``class _:``.

    ``None`` if the text does not parse, is nested too deeply, or has null bytes.
    """
    for before in ("", "if 1:\n", "class _:\n"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(before + text), before.count("\n")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            if not text[:1].isspace():
                return None
    return None


def parse_expression(code: str) -> ast.expr | None:
    """The tree of a Python expression; ``None`` if ``code`` is none or has a syntax error. Raises
    ``RecursionError`` or ``MemoryError`` if it is nested too deeply.
    """
    try:
        return ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def is_type(code: str) -> bool:
    """Whether ``code`` is an expression that can be a type: a name, with dots or not, a subscript,
    a union (any binary operation), or ``None``.
    """
    node = parse_expression(code)
    is_of_kind = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp)
    return is_of_kind or (node is not None and code == "None")
