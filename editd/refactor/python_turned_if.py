"""Finds an ``if`` of Python that can be turned around, for ``return_early``, and those nested in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from editd.intent.intents import ReturnEarly
from editd.refactor.turned_if import TurnedIf, leaves, without_indent
from editd.syntax.conditions import python_contrary
from editd.syntax.python_text import Function, PythonText


def python_turned_ifs(python: PythonText, intent: ReturnEarly) -> Iterator[TurnedIf]:
    """Yield what can be turned around in the Python functions of the intent's name (all if it is empty): the last
    ``if`` of the function, or of the ``with`` that ends it; those that end its loops if the intent speaks of loops, or
    if the function has none, is named, and has a single ``if``.
    """
    name = intent.name or intent.location
    functions = [x for x in python.definitions(name) if isinstance(x, Function)]
    for function in functions:
        body = function.body
        while isinstance(body[-1], ast.With | ast.AsyncWith):
            body = body[-1].body
        is_own = any(isinstance(x, ast.Yield | ast.YieldFrom) for x in ast.walk(function))
        inside = list(ast.walk(function))
        turn = None
        if not intent.in_loop:
            is_plain = not is_own and body is function.body
            may_repeat = bool(intent.described or intent.test or intent.returned)
            turn = _python_turned_if(
                python, body, "return" if is_plain else "", may_repeat=may_repeat
            )
        tests = sum(isinstance(x, ast.If) for x in inside)
        if turn is not None:
            yield turn
        elif intent.in_loop or (name and tests == 1):
            loops = [x for x in inside if isinstance(x, ast.For | ast.AsyncFor | ast.While)]
            for loop in loops:
                if turn := _python_turned_if(python, loop.body, "continue"):
                    yield turn


def python_num_nested(python: PythonText, line: int) -> int:
    """The number of the ``if`` on a line (0-based) and those that each end the body of the one before, with ``else`` or
    without; 0 if not exactly one ``if`` is on that line.
    """
    nodes = [x for x in ast.walk(python.tree) if isinstance(x, ast.If) and x.lineno == line + 1]
    node = nodes[0] if len(nodes) == 1 else None
    number = 0
    while node is not None:
        number += 1
        last = node.body[-1]
        node = last if isinstance(last, ast.If) else None
    return number


def python_nested_ifs(python: PythonText, line: int) -> list[int]:
    """The lines (0-based) below the bodies of the ``if`` on ``line`` and of those that each end the body of the one
    before, the outermost first, up to one with ``else`` or ``elif``. Empty if no other ``if`` is on that line.
    """
    nodes = [x for x in ast.walk(python.tree) if isinstance(x, ast.If) and x.lineno == line + 1]
    node = nodes[0] if nodes else None
    below = []
    while node is not None and not node.orelse:
        last = node.body[-1]
        below.append(python.last(last) + 1)
        node = last if isinstance(last, ast.If) else None
    return below


def python_last_if(python: PythonText, function: Function) -> tuple[int, int] | None:
    """The lines (0-based) of the last ``if`` at the top of a function's body, and of the one statement of one line behind
    it; the first twice if nothing follows, or a statement of several lines. ``None`` without an ``if`` there, and if
    several statements follow.
    """
    body = function.body
    at = next((n for n in range(len(body) - 1, -1, -1) if isinstance(body[n], ast.If)), -1)
    if at < 0 or len(body) - at > 2:
        return None
    first, last = python.first(body[at]), python.first(body[-1])
    is_line = at < len(body) - 1 and python.last(body[-1]) == last
    return (first, last) if is_line else (first, first)


def _python_turned_if(
    python: PythonText, body: list[ast.stmt], leaving: str, *, may_repeat: bool = False
) -> TurnedIf | None:
    """The last ``if`` of a block, with the condition turned around; ``None`` if that cannot be done: its condition is
    an assignment or goes over several lines, it shares its line, a string goes over several lines, or what comes first
    would do something else.

    leaving: the statement that comes first where nothing follows the ``if``; empty where no such one would do the same.
    may_repeat: a line that leaves and follows a body that does not may stand twice.
    """
    at = next((n for n in range(len(body) - 1, -1, -1) if isinstance(body[n], ast.If)), -1)
    node = body[at] if at >= 0 else None
    if not isinstance(node, ast.If) or isinstance(node.test, ast.NamedExpr):
        return None
    lines = [line.rstrip("\n") for line in python.lines]
    head, last = python.first(node), python.last(node.body[-1])
    after = re.fullmatch(
        r"\s*:\s*", python.text[python.span(node.test)[1] : python.line_start(head + 1)]
    )
    outer = python.indent(head)
    unit = python.indent(python.first(node.body[0])).removeprefix(outer)
    if python.last(node.test) != head or not after or not unit or lines[head].strip()[:3] != "if ":
        return None
    moved = without_indent(lines[head + 1 : last + 1], outer, unit)
    end = python.last(body[-1]) + 1
    first = _python_first(python, node, body[at + 1 :], leaving, may_repeat=may_repeat)
    if moved is None or first is None or python.has_long_strings(head, end):
        return None
    opening = f"{outer}if {python_contrary(python, node.test)}:"
    if body[at + 1 :] and not leaves(python.code(node.body[-1])):
        if not may_repeat:
            return None
        moved = (*moved, f"{outer}{first[0].strip()}")  # what follows the body, too
    return TurnedIf(head, end, python.code(node.test), opening, first, "", moved)


def _python_first(
    python: PythonText, node: ast.If, rest: list[ast.stmt], leaving: str, *, may_repeat: bool
) -> tuple[str, ...] | None:
    """The lines that come first once ``node`` is turned around, indented: those of its ``else``, those after it, or
    else ``leaving``.

    ``None`` if that would do something else: an ``else`` has to be the last thing in the block, and to leave it at its end or
    (may_repeat) get ``leaving`` there;
    lines after the ``if`` have to be fewer than its own, and both have to leave at their ends, or a single line that
    leaves follows; ``leaving`` may not be empty. rest: the statements after ``node``.
    """
    lines = [line.rstrip("\n") for line in python.lines]
    outer = python.indent(python.first(node))
    unit = python.indent(python.first(node.body[0])).removeprefix(outer)
    last = python.last(node.body[-1])
    leave = f"{outer}{unit}{leaving}"
    if node.orelse:
        begin = python.first(node.orelse[0])
        is_block = lines[last + 1 : last + 2] == [f"{outer}else:"] and begin > last + 1
        if rest or not is_block or lines[begin].strip()[:5] == "elif ":
            return None
        first = tuple(lines[last + 2 : python.last(node.orelse[-1]) + 1])
        if leaves(python.code(node.orelse[-1])):
            return first
        return (*first, leave) if leaving and may_repeat else None
    if not rest:
        return (leave,) if leaving else None
    between = lines[last + 1 : python.last(rest[-1]) + 1]
    while between and not between[0].strip():
        between = between[1:]
    falls_through = not leaves(python.code(node.body[-1]))
    size = last - python.first(node) + may_repeat  # what is described may be as long
    is_short = len(between) < size and not (falls_through and len(between) > 1)
    if not leaves(python.code(rest[-1])) or not is_short:
        return None
    return tuple(unit + line if line.strip() else "" for line in between)
