"""Wraps the body of a Python function in ``try``, docstring excepted.

a.py, "load should return None on OSError"::

    def load(path):
        return open(path).read()

becomes::

    def load(path):
        try:
            return open(path).read()
        except OSError:
            return None
"""

from __future__ import annotations

from editd.intent.intents import WrapTry
from editd.refactor.candidates import Candidates
from editd.refactor.python_function import body_start, only_function
from editd.syntax.code import Code
from editd.syntax.python_text import docstring_of, is_try
from editd.syntax.python_tree import parse_expression


def wrap_try(intent: WrapTry, code: Code) -> Candidates | None:
    """The text with the function's body, but not its docstring, in ``try``, and the intent's
    ``except error: return value``, as a certain candidate.

    ``None`` if not exactly one function has the name, or the value is no Python expression; if the
    body begins on the line of its header, is empty or one ``try`` already, or has a string over
    several lines; or if the text has no final line end.
    """
    only = only_function(intent.function, code)
    if only is None or body_start(*only) is None or parse_expression(intent.value) is None:
        return None
    python, function = only
    body = function.body[1:] if docstring_of(function) else function.body
    if not body or (len(body) == 1 and is_try(body[0])):
        return None
    first, last = python.last(function.body[0]) + 1, python.last(function) + 1
    if body is function.body:
        first = body_start(python, function)[0]  # type: ignore[index]  # asked above
    if python.has_long_strings(first, last) or not python.text.endswith("\n"):
        return None
    while not python.lines[first].strip():
        first += 1
    indent = python.indent(python.first(body[0]))
    unit = "\t" if indent.startswith("\t") else "    "
    new = [f"{indent}try:\n"]
    new += [unit + line if line.strip() else line for line in python.lines[first:last]]
    new += [f"{indent}except {intent.error}:\n", f"{indent}{unit}return {intent.value}\n"]
    return Candidates(
        ("".join([*python.lines[:first], *new, *python.lines[last:]]),), is_certain=True
    )
