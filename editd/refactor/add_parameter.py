"""Adds a parameter with a default to a Python function, and passes it on in its calls."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Sequence

from editd.intent.intents import AddParameter
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.python_function import only_function
from editd.syntax.code import Code
from editd.syntax.python_text import Placed, PythonText
from editd.syntax.python_tree import parse_python


def add_parameter(intent: AddParameter, text: str) -> Candidates | None:
    """A parameter with a default behind the others; ``None`` where its name is taken or its place is not sure.

    ``*args`` and parameters by name alone leave more than one place, and ``**kwargs`` may have held it.
    """
    # Its tree is changed below: nobody else may have it.
    only = only_function(intent.function, Code(text, "python"))
    if only is None or keyword.iskeyword(intent.name):
        return None
    python, function = only
    inside = list(ast.walk(function))
    names = {one.id for one in inside if isinstance(one, ast.Name)}
    names |= {one.arg for one in inside if isinstance(one, ast.arg)}
    given = function.args
    is_plain = not (given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs)
    if intent.name in names or not is_plain:
        return None
    calls = [
        one
        for node in function.body
        for one in ast.walk(node)
        if isinstance(one, ast.Call) and _is_called(one.func, intent.callee)
    ]
    if any(one.arg in (None, intent.name) for call in calls for one in call.keywords):
        return None  # it is passed already, or may be
    if intent.callee and not calls:
        return None
    head = re.compile(r"(?:async\s+)?def\s+\w+\s*\(").match(text, python.span(function)[0])
    if head is None:
        return None
    parameters: list[Placed] = [*given.args[-1:], *given.defaults[-1:]]
    spans = [_appended(python, parameters, head.end(), f"{intent.name}={intent.default}")]
    for call in calls:
        values = [*call.args, *(one.value for one in call.keywords)]
        passed = f"{intent.name}={intent.name}"
        spans.append(_appended(python, values, python.span(call)[1] - 1, passed))
    new = with_spans(text, spans)
    # What brackets and line ends make of it is held beside the tree that is meant.
    given.args.append(ast.arg(intent.name))
    given.defaults.append(ast.parse(intent.default, mode="eval").body)
    for call in calls:
        call.keywords.append(ast.keyword(intent.name, ast.Name(intent.name, ast.Load())))
    parsed = parse_python(new)
    is_meant = parsed is not None and ast.dump(parsed[0]) == ast.dump(python.tree)
    return Candidates((new,), is_certain=True) if is_meant else None


def _is_called(function: ast.expr, name: str) -> bool:
    said = ast.unparse(function)
    is_member = isinstance(function, ast.Attribute) and said.endswith(f".{name}")
    return bool(name) and (said == name or is_member)


def _appended(
    python: PythonText, before: Sequence[Placed], empty: int, written: str
) -> tuple[int, int, str]:
    """One more behind the last of these, in a line of its own if that has one; at ``empty`` if there is none."""
    if not before:
        return empty, empty, written
    text = python.text
    start, end = max((python.span(one) for one in before), key=lambda span: span[1])
    line = text.rfind("\n", 0, start) + 1
    lead = re.compile(r"([ \t]*)(?:\w+(?:[ \t]*:[^=\n()]*)?[ \t]*=[ \t]*)?").fullmatch(
        text, line, start
    )
    comma = re.compile(r",?[ \t]*(#[^\n]*)?\n").match(text, end)
    if lead is None or comma is None:
        return end, end, f", {written}"
    if comma[1] and comma[0].startswith(","):  # the comment stays with its own line
        return comma.end(), comma.end(), f"{lead[1]}{written},\n"
    return end, end, f",\n{lead[1]}{written}"
