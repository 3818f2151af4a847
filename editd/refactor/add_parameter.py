"""Adds a parameter with a default to a Python function, and passes it on in its calls of another one.

a.py, "add a parameter timeout=30 to fetch and pass it on to get"::

    def fetch(url):
        return get(url)

becomes::

    def fetch(url, timeout=30):
        return get(url, timeout=timeout)
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Sequence

from editd.intent.intents import AddParameter
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.python_function import only_function
from editd.syntax.code import Code
from editd.syntax.python_text import Placed, PythonText
from editd.syntax.python_tree import parse_expression, parse_python


def _is_known(default: str, code: Code) -> bool:
    """Whether a default that is no single name has only names that the text or Python has."""
    tree = parse_expression(default)
    if tree is None or not isinstance(tree, ast.BinOp):
        return True
    names = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)}
    return all(name in code.names or hasattr(builtins, name) for name in names)


def add_parameter(intent: AddParameter, code: Code) -> Candidates | None:
    """The text of Python with the parameter after the others, as a certain candidate, with its type if the intent has
    one; calls of ``intent.callee`` in the function's body get ``name=name``.

    ``None`` if not exactly one function has the name; if the default is a sum of names that the text does not have ("utf-8"); if the
    parameter's name is a keyword or used in the function; if
    the function has ``*args``, ``**kwargs``, or parameters by position or keyword alone; if the callee is never called,
    or a call may pass the name already (also by ``**``); if the type is no expression; or if the new text does not
    parse to the old tree with these additions alone.
    """
    text = code.text
    # Its tree is changed below: nobody else may have it.
    only = only_function(intent.function, Code(text, "python"))
    if only is None or keyword.iskeyword(intent.name) or not _is_known(intent.default, code):
        return None
    python, function = only
    inside = list(ast.walk(function))
    names = {part.id for part in inside if isinstance(part, ast.Name)}
    names |= {part.arg for part in inside if isinstance(part, ast.arg)}
    arguments = function.args
    is_plain = not (
        arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs
    )
    if intent.name in names or not is_plain:
        return None
    calls = [
        part
        for node in function.body
        for part in ast.walk(node)
        if isinstance(part, ast.Call) and _is_called(part.func, intent.callee)
    ]
    if any(part.arg in (None, intent.name) for call in calls for part in call.keywords):
        return None  # it is passed already, or may be
    if intent.callee and not calls:
        return None
    head = re.compile(r"(?:async\s+)?def\s+\w+\s*\(").match(text, python.span(function)[0])
    if head is None:
        return None
    parameters: list[Placed] = [*arguments.args[-1:], *arguments.defaults[-1:]]
    written = f"{intent.name}={intent.default}"
    if intent.hint:
        written = f"{intent.name}: {intent.hint} = {intent.default}"
    spans = [with_item(python, parameters, head.end(), written)]
    for call in calls:
        values = [*call.args, *(part.value for part in call.keywords)]
        passed = f"{intent.name}={intent.name}"
        spans.append(with_item(python, values, python.span(call)[1] - 1, passed))
    new = with_spans(text, spans)
    # What brackets and line ends make of it is held beside the tree that is meant.
    hint = parse_expression(intent.hint) if intent.hint else None
    if intent.hint and hint is None:
        return None
    arguments.args.append(ast.arg(intent.name, hint))
    arguments.defaults.append(ast.parse(intent.default, mode="eval").body)
    for call in calls:
        call.keywords.append(ast.keyword(intent.name, ast.Name(intent.name, ast.Load())))
    parsed = parse_python(new)
    is_meant = parsed is not None and ast.dump(parsed[0]) == ast.dump(python.tree)
    return Candidates((new,), is_certain=True) if is_meant else None


def _is_called(function: ast.expr, name: str) -> bool:
    """Whether the function of a call is ``name``, or a member of that name; never for an empty
    name.
    """
    called = ast.unparse(function)
    is_member = isinstance(function, ast.Attribute) and called.endswith(f".{name}")
    return bool(name) and (called == name or is_member)


def with_item(
    python: PythonText, before: Sequence[Placed], empty: int, written: str
) -> tuple[int, int, str]:
    """The span that writes one more item behind the last of ``before``, on a line of its own if
    that has one.

    empty: the offset for the first item, if there is none before. written: the item's code.
    """
    if not before:
        return empty, empty, written
    text = python.text
    start, end = max((python.span(node) for node in before), key=lambda span: span[1])
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
