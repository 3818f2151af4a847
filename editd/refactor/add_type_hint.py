"""Adds a type to a parameter of a Python function, or to its result, and the import from ``typing`` that it needs.

a.py, "annotate size of load as Optional[int]"::

    def load(path, size=None):
        return path

becomes::

    from typing import Optional

    def load(path, size: Optional[int] = None):
        return path
"""

from __future__ import annotations

import ast
import builtins
import re
import typing

from editd.intent.intents import AddImport, AddTypeHint
from editd.refactor.add_import import add_import
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.python_function import header_colon, only_function
from editd.syntax.code import Code, read_code
from editd.syntax.python_text import Function, PythonText


def add_type_hint(intent: AddTypeHint, code: Code) -> Candidates | None:
    """The text with the type, and the import from ``typing`` that it needs.

    ``None`` if not exactly one function has the name, it has no such parameter or that has a type, or the hint is no type
    whose names are known.
    """
    text = code.text
    only = only_function(intent.function, code)
    if only is None or not _is_type(intent.hint):
        return None
    python, function = only
    if not intent.parameter:
        colon = header_colon(python, function)
        if function.returns is not None or colon is None:
            return None
        return _with_typing(
            only, intent.hint, with_spans(text, [(colon, colon, f" -> {intent.hint}")])
        )
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    found = [argument for argument in named if argument.arg == intent.parameter.lstrip("*")]
    if len(found) != 1 or found[0].annotation is not None:
        return None
    end = python.span(found[0])[1]
    # A bare default stands close (``a=1``), that of a parameter with a type does not (``a: int = 1``).
    default = re.compile(r"[ \t]*=[ \t]*").match(text, end)
    span = (end, default.end() if default else end, f": {intent.hint}" + " = " * bool(default))
    return _with_typing(only, intent.hint, with_spans(text, [span]))


def _with_typing(only: tuple[PythonText, Function], hint: str, new: str) -> Candidates | None:
    """``new`` with imports of the names of ``hint`` that are from ``typing``; ``None`` if another name of it is unknown."""
    python, function = only
    is_late = "from __future__ import annotations" in python.text
    known = set(dir(builtins))
    for node in ast.walk(python.tree):
        if isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
        elif isinstance(node, ast.ClassDef):  # inside of itself a class is not known yet
            end = node.end_lineno or node.lineno
            known |= {node.name} if is_late or end < function.lineno else set()
    for node in ast.walk(ast.parse(hint)):
        if isinstance(node, ast.Name) and not {node.id, "*"} & known:
            found = (
                add_import(AddImport("typing", node.id), read_code(new, "python"))
                if node.id in typing.__all__
                else None
            )
            if found is None:
                return None
            known.add(node.id)
            new = found.texts[0]
    return Candidates((new,), is_certain=True)


def _is_type(hint: str) -> bool:
    """Whether ``hint`` is an expression that can be a type: a name, a subscript, a union, or ``None``."""
    try:
        node = ast.parse(hint, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp) or hint == "None"
