"""The place of a new field in a Python class: behind the others, or before those with a default where these have to come last."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass

from editd.syntax.python_text import PythonText


@dataclass(frozen=True, slots=True)
class NewField:
    """A field called ``name`` that goes above the line ``line`` (0-based) with ``indent``.

    unknown: names in its type or value that the text neither imports nor defines. exists: the class has such a field.
    """

    name: str
    line: int
    indent: str
    unknown: tuple[str, ...]
    exists: bool = False


def field_in(owner: str, declaration: str, python: PythonText) -> NewField | None:
    """The place of a field in the one class called ``owner``: of ``name: type`` among those with types, of ``name = call()``
    among those of calls.

    ``None`` if none or several classes have the name, or it has no such fields; if the declaration is another statement; or
    if it gives a dataclass a list, dict or set that all objects would share.
    """
    classes = [x for x in python.definitions(owner) if isinstance(x, ast.ClassDef)]
    try:
        body = ast.parse(declaration).body
    except (SyntaxError, ValueError):
        return None
    if len(classes) != 1 or len(body) != 1:
        return None
    node, parent = body[0], classes[0]
    fields: list[ast.AnnAssign | ast.Assign]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        name = node.target.id
        fields = [x for x in parent.body if isinstance(x, ast.AnnAssign)]
        if isinstance(node.value, ast.List | ast.Dict | ast.Set) and _is_dataclass(parent):
            return None
    elif (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
    ):
        name = node.targets[0].id
        fields = [
            x for x in parent.body if isinstance(x, ast.Assign) and isinstance(x.value, ast.Call)
        ]
    else:
        return None
    if not fields or not python.is_alone(fields[-1]):
        return None
    targets = [y for x in fields for y in (x.targets if isinstance(x, ast.Assign) else [x.target])]
    exists = any(isinstance(x, ast.Name) and x.id == name for x in targets)
    at = len(fields)
    if isinstance(node, ast.AnnAssign) and node.value is None and _needs_order(parent):
        at = next(
            (
                n
                for n, x in enumerate(fields)
                if isinstance(x, ast.AnnAssign) and x.value is not None
            ),
            at,
        )
    line = python.last(fields[-1]) + 1 if at == len(fields) else python.first(fields[at])
    used = {x.id for x in ast.walk(node) if isinstance(x, ast.Name)} - {name}
    unknown = tuple(x for x in sorted(used - _names(python)) if not hasattr(builtins, x))
    return NewField(name, line, python.indent(python.first(fields[0])), unknown, exists)


def _names(python: PythonText) -> set[str]:
    """The names that a text imports, defines or gives a value."""
    found = set()
    for node in ast.walk(python.tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            case ast.ClassDef() | ast.FunctionDef():
                found.add(node.name)
            case ast.Name(ctx=ast.Store()):
                found.add(node.id)
    return found


def _is_dataclass(owner: ast.ClassDef) -> bool:
    """Whether a class has a decorator of dataclasses or attrs."""
    return any(
        re.search(r"dataclass|define|attrs?\b|frozen|mutable", ast.unparse(x))
        for x in owner.decorator_list
    )


def _needs_order(owner: ast.ClassDef) -> bool:
    """Whether fields without a default have to stand before those with one."""
    if any("kw_only=True" in ast.unparse(x) for x in owner.decorator_list):
        return False
    return _is_dataclass(owner) or any(ast.unparse(x).endswith("NamedTuple") for x in owner.bases)
