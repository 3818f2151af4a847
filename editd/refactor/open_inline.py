"""Opens files in a ``with`` where a statement opens one and uses it up at once, for ``use_with_open``.

a.py, "use with in load"::

    def load(path):
        return json.load(open(path))

becomes::

    def load(path):
        with open(path) as f:
            return json.load(f)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TypeGuard

from editd.refactor.candidates import Spans
from editd.syntax.python_text import Function, PythonText

_Parents = Mapping[ast.AST, ast.AST]

OPENER = re.compile(
    r"(?:\w+\.)*(?:open|fdopen|ZipFile|TarFile|GzipFile|urlopen|NamedTemporaryFile|TemporaryFile)"
)
"""Calls whose result is closed by ``with`` as by its method."""
_READING = frozenset(
    ["read", "readline", "readlines", "write", "writelines", "read_text", "readall"]
)
_USING_UP = re.compile(
    r"(?:list|tuple|set|frozenset|dict|sorted|sum|min|max|any|all|len|str|Counter|deque|\"[^\"]*\"\.join|'[^']*'\.join|(?:\w+\.)+(?:load|safe_load|full_load|dump|safe_dump|Counter|deque|copyfileobj))"
)
_LAZY = re.compile(
    r"(?:enumerate|map|zip|filter|iter|reversed|(?:csv\.)?(?:reader|DictReader)|(?:itertools\.)?islice)"
)
_NAMES = ("f", "file", "handle", "opened")


def inline_opens(python: PythonText, first: int, last: int) -> Spans:
    """The spans that put each statement between two offsets which opens one file and uses it up at once in a ``with``, with a name that its
    function does not have; empty if there is none.
    """
    parents = {
        child: node for node in ast.walk(python.tree) for child in ast.iter_child_nodes(node)
    }
    spans: Spans = []
    for body in python.bodies():
        for node in body:
            start, end = python.span(node)
            if first <= start and end <= last:
                spans += _in_with(node, python, parents)
    return spans


def _in_with(node: ast.stmt, python: PythonText, parents: _Parents) -> Spans:
    """The spans that put a statement in a ``with``; empty if it has not exactly one call that opens a file, keeps the file, shares its
    lines, or has a string over several lines.
    """
    if isinstance(node, ast.For):
        opened = [x for x in ast.walk(node.iter) if _opens(x)]
    elif isinstance(node, ast.Return | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
        opened = [x for x in ast.walk(node) if _opens(x)]
    else:
        return []
    if len(opened) != 1 or not python.is_alone(node) or not _is_used_up(opened[0], parents):
        return []
    line, end = python.first(node), python.last(node) + 1
    start, stop = python.span(opened[0])
    call = python.text[start:stop]
    name = _free_name(node, parents)
    if "\n" in call or not name or python.has_long_strings(line, end):
        return []
    indent = python.indent(line)
    unit = "\t" if indent.startswith("\t") else "    "
    at = python.line_start(line)
    rest = [n for n in range(line + 1, end) if python.lines[n].strip()]
    return [
        (at, at, f"{indent}with {call} as {name}:\n{unit}"),
        (start, stop, name),
        *((python.line_start(n), python.line_start(n), unit) for n in rest),
    ]


def _opens(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a node is a call that opens a file."""
    return isinstance(node, ast.Call) and OPENER.fullmatch(ast.unparse(node.func)) is not None


def _is_used_up(node: ast.AST, parents: _Parents) -> bool:
    """Whether nothing reads the file, or the iterator over it, after the statement."""
    parent = parents[node]
    match parent:
        case ast.Attribute(attr=name):
            return name in _READING and isinstance(parents[parent], ast.Call)
        case ast.For(iter=iterated):
            return iterated is node
        case ast.Call(func=function):
            called = ast.unparse(function)
            if _USING_UP.fullmatch(called):
                return True
            return _LAZY.fullmatch(called) is not None and _is_used_up(parent, parents)
        case ast.comprehension():
            whole = parents[parent]
            is_first = getattr(whole, "generators", [None])[0] is parent
            is_lazy = isinstance(whole, ast.GeneratorExp)
            return is_first and (not is_lazy or _is_used_up(whole, parents))
    return False


def _free_name(node: ast.AST, parents: _Parents) -> str:
    """A usual name for a file that the function around ``node`` (or the module) does not have; empty if it has them all."""
    around = node
    while around in parents and not isinstance(around, Function):
        around = parents[around]
    used = {x.id for x in ast.walk(around) if isinstance(x, ast.Name)}
    used |= {x.arg for x in ast.walk(around) if isinstance(x, ast.arg)}
    return next((name for name in _NAMES if name not in used), "")
