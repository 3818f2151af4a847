"""Where an expression or a variable's value stands in a Python text, and what is around it. Changes no text."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from editd.syntax.python_text import Function, PythonText
from editd.syntax.python_tree import parse_expression

Places = list[tuple[int, int, str]]
"""Start and end of each place, and the names of the calls, keywords and loops around it."""


def places_of(expression: str, function: Function, python: PythonText) -> Places:
    """The places in the body of a function, inner functions included, that have ``expression``, blanks and needless
    brackets aside: start, end, and the names around (the calls, keywords and ``loop`` that it stands in, outer ones
    first). Empty if ``expression`` is none, or stands nowhere.
    """
    parsed = parse_expression(expression)
    if parsed is None:
        return []
    shape, places = ast.dump(parsed), []
    around: dict[ast.AST, str] = {}
    for statement in function.body:
        for node in ast.walk(statement):
            for child in ast.iter_child_nodes(node):
                around[child] = _around(child, node, around.get(node, ""))
            if isinstance(node, ast.expr) and ast.dump(node) == shape:
                places.append((*python.span(node), around.get(node, "")))
    return places


def passed_to(
    called: str, name: str, function: Function, python: PythonText
) -> list[tuple[int, int]]:
    """Start and end of each value that the calls of ``called`` in a function pass as the keyword ``name``."""
    return [
        python.span(keyword.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and re.search(rf"(?:^|\.){re.escape(called)}$", ast.unparse(node.func))
        for keyword in node.keywords
        if keyword.arg == name
    ]


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A dictionary with texts as keys. names: of the variables and keyword arguments that it is given to. items: its keys and values, in pairs.
    start: the offset behind its bracket. quote: of its first key.
    """

    names: frozenset[str]
    keys: tuple[str, ...]
    items: tuple[tuple[ast.expr, ast.expr], ...]
    start: int
    quote: str


def dictionaries_in(function: Function, python: PythonText) -> list[Dictionary]:
    """The dictionaries of a function all of whose keys are texts."""
    names: dict[ast.Dict, set[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Dict):
            names.setdefault(node, set())
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            own = {x.id for x in node.targets if isinstance(x, ast.Name)}
            names.setdefault(node.value, set()).update(own)
        elif isinstance(node, ast.keyword) and isinstance(node.value, ast.Dict):
            names.setdefault(node.value, set()).add(node.arg or "")
    found = []
    for node, own in names.items():
        keys = [x for x in node.keys if isinstance(x, ast.Constant) and isinstance(x.value, str)]
        quote = python.code(keys[0])[0] if keys else '"'
        if len(keys) == len(node.keys) and quote in "\"'":
            items = tuple(zip(keys, node.values, strict=True))
            start = python.span(node)[0] + 1
            texts = tuple(str(x.value) for x in keys)
            found.append(Dictionary(frozenset(own), texts, items, start, quote))
    return found


def has_decorator_with(pattern: re.Pattern[str], function: Function | ast.ClassDef) -> bool:
    """Whether the code of a decorator of a function or class has a match of ``pattern``."""
    return any(pattern.search(ast.unparse(decorator)) for decorator in function.decorator_list)


def parameter_names(function: Function) -> list[str]:
    """The names of a function's parameters, without ``self``, ``cls``, ``*args`` and ``**kwargs``."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [argument.arg for argument in named if argument.arg not in ("self", "cls")]


def variables_named(name: str, python: PythonText) -> list[ast.Assign | ast.AnnAssign]:
    """The statements that give a variable of this name a value or a type."""
    return [
        node
        for node in ast.walk(python.tree)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and any(isinstance(target, ast.Name) and target.id == name for target in _targets(node))
    ]


def type_span(node: ast.Assign | ast.AnnAssign, python: PythonText) -> tuple[int, int] | None:
    """Start and end of a variable's type, or twice the offset behind its name, where the type would stand; ``None``
    for several targets (``a = b = 1``).
    """
    if isinstance(node, ast.AnnAssign):
        return python.span(node.annotation)
    end = python.span(node.targets[0])[1]
    return (end, end) if len(node.targets) == 1 else None


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _around(child: ast.AST, node: ast.AST, outer: str) -> str:
    """The names around ``child``: ``outer``, those around its parent ``node``, and behind them the function's code
    if ``node`` is a call, the name of a keyword argument, the key of a dictionary, or ``loop`` in the head of a loop; each after a blank.
    """
    if isinstance(node, ast.Call):
        return f"{outer} {ast.unparse(node.func)}"
    if isinstance(node, ast.keyword):
        return f"{outer} {node.arg}"
    if isinstance(node, ast.Dict) and child in node.values:
        key = node.keys[node.values.index(child)]
        is_text = isinstance(key, ast.Constant) and isinstance(key.value, str)
        return f"{outer} {key.value!s}" if is_text and isinstance(key, ast.Constant) else outer
    if isinstance(node, ast.For | ast.While) and child not in node.body:
        return f"{outer} loop"
    return outer
