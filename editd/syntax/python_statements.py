"""Lines that are statements of Python, told from prose; and where the head of a Python file ends."""

from __future__ import annotations

import ast
from textwrap import dedent

from editd.syntax.python_text import PythonText

_NOTES = ("TODO", "FIXME", "NOTE", "XXX", "HACK", "BUG")


def is_statement(line: str) -> bool:
    """Whether a line is a statement of Python, or a comment, and no bare name or constant."""
    try:
        body = ast.parse(line).body
    except (SyntaxError, ValueError):
        return False
    is_bare = (
        body
        and isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Name | ast.Constant)
    )
    return not is_bare


def head_end(python: PythonText) -> int:
    """The number (0-based) of the line below the docstring of a module and its imports from ``__future__``; 0 without both."""
    end = 0
    for number, node in enumerate(python.tree.body):
        is_text = (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        )
        if (is_text and not number) or (
            isinstance(node, ast.ImportFrom) and node.module == "__future__"
        ):
            end = python.last(node) + 1
    return end


def are_statements(texts: list[str]) -> bool:
    """Whether lines are statements of Python, the first and the last of which cannot be prose."""
    source = dedent("\n".join(texts))
    if not texts[0].strip() or not texts[-1].strip():
        return False
    if source.rstrip().endswith(":"):
        last = texts[-1]
        source += (
            f"\n{last[: len(last) - len(last.lstrip())]}    pass"
            if len(texts) == 1
            else f"\n{' ' * (len(last) - len(last.lstrip()) + 4)}pass"
        )
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return False
    strong = [_is_strong(node) for node in body]
    return (
        bool(body)
        and strong[0]
        and (strong[-1] or isinstance(body[-1], ast.Return | ast.Pass | ast.Break | ast.Continue))
        and all(
            ok or isinstance(node, ast.Return | ast.Pass | ast.Break | ast.Continue | ast.Import)
            for ok, node in zip(strong, body, strict=True)
        )
    )


def _is_strong(node: ast.stmt) -> bool:
    """Whether a statement can be no prose."""
    match node:
        case ast.Expr(value=ast.Call(func=function)):
            return ast.unparse(function).split(".")[0] not in _NOTES
        case ast.Expr(value=ast.Await()):
            return True
        case ast.AnnAssign(value=value):
            return value is not None
        case ast.Expr() | ast.Pass() | ast.Break() | ast.Continue():
            return False
        case ast.Return(value=value):
            return isinstance(
                value,
                ast.Call
                | ast.BinOp
                | ast.Attribute
                | ast.Subscript
                | ast.Dict
                | ast.List
                | ast.Constant,
            )
        case ast.Import():
            return False
        case ast.Raise(exc=exc):
            return isinstance(exc, ast.Call)
        case ast.Delete(targets=targets):
            return not isinstance(targets[0], ast.Name)
        case ast.Assert(test=test):
            return not isinstance(test, ast.Name)
    return True
