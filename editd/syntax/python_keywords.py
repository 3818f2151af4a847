"""Constants that calls of a Python text get by name, and where a constructor keeps its arguments. Changes no text."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from editd.syntax.python_text import Function, PythonText


@dataclass(frozen=True, slots=True)
class ConstantKeyword:
    """A constant at ``start .. end``, which a call gets as the keyword ``name``; empty for another place. function: the innermost around it, with its class; empty outside of functions.
    owner: the class of that method; empty for a function.
    """

    start: int
    end: int
    function: str
    owner: str = ""
    name: str = ""


def constant_keywords(name: str, python: PythonText) -> list[ConstantKeyword]:
    """The constants that calls get as the keyword ``name``, any if that is empty, in order."""
    return [x for x in _constants(python) if x.name and name in ("", x.name)]


def constants_in_functions(python: PythonText) -> list[ConstantKeyword]:
    """The constants in the bodies of functions, in order."""
    return [x for x in _constants(python) if x.function]


def _constants(python: PythonText) -> list[ConstantKeyword]:
    """The constants of a text, docstrings among them, in order."""
    found: list[ConstantKeyword] = []

    def visit(node: ast.AST, function: str, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                inner = f"{owner}.{child.name}" if isinstance(node, ast.ClassDef) else child.name
                is_method = isinstance(node, ast.ClassDef) and not child.decorator_list
                visit(child, inner, owner if is_method else "")
                continue
            if isinstance(child, ast.Constant) and not isinstance(node, ast.JoinedStr):
                name = node.arg or "" if isinstance(node, ast.keyword) else ""
                found.append(ConstantKeyword(*python.span(child), function, owner, name))
            visit(child, function, child.name if isinstance(child, ast.ClassDef) else owner)

    visit(python.tree, "", "")
    return found


def last_own_assignment(owner: str, python: PythonText) -> int | None:
    """The number (0-based) of the line of the last ``self.a = a`` in the constructor of a class; ``None`` without one."""
    lines = [
        python.last(node)
        for definition in python.definitions(f"{owner}.__init__")
        if isinstance(definition, Function)
        for node in definition.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.targets[0].attr == node.value.id
    ]
    return max(lines) if lines else None
