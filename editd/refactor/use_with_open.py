"""Opens files in a ``with`` where one block opens and closes them, or a statement opens one and uses it up.

a.py, "use with open"::

    f = open(path)
    text = f.read()
    f.close()

becomes::

    with open(path) as f:
        text = f.read()

a.py, "use a with statement"::

    def load(path):
        f = open(path)
        try:
            return f.read()
        finally:
            f.close()

becomes::

    def load(path):
        with open(path) as f:
            return f.read()

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

from editd.intent.intents import UseWithOpen
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, with_spans
from editd.syntax.code import Code
from editd.syntax.places import place_of
from editd.syntax.python_text import Function, PythonText

_Parents = Mapping[ast.AST, ast.AST]

_OPENER = re.compile(
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


def use_with_open(intent: UseWithOpen, code: Code) -> Candidates | None:
    """The text with each file that one block opens and closes in a ``with``, as a certain candidate, or only the one
    that ``intent.name`` names, if that is not empty; where it closes none, each statement that opens a file and uses it up. Other
    calls of ``open`` are named and stay, and a text without any is unchanged.

    ``None`` if the text does not parse, it opens files and none can be put in a ``with``, or the intent's name is not
    exactly that of one that can.
    """
    text = code.text
    python = code.python
    if python is None:
        return None
    place = place_of(intent.location, text, code.language) if intent.location else None
    first, last = (place.first, place.last) if place else (0, len(text))
    spans = [x for x in _closed_opens(python, intent.name) if first <= x[0] < last]
    if not intent.name and not spans:
        spans = _inline_opens(python, first, last)
    inside = {
        id(item.context_expr)
        for node in ast.walk(python.tree)
        if isinstance(node, ast.With | ast.AsyncWith)
        for item in node.items
    }
    others = [
        (*python.span(node), "")
        for node in ast.walk(python.tree)
        if isinstance(node, ast.Call)
        and _OPENER.fullmatch(ast.unparse(node.func))
        and id(node) not in inside
    ]
    stays = [call for call in others if not any(start <= call[0] < end for start, end, _ in spans)]
    if (stays and not spans) or (
        intent.name and sum(new.startswith("with ") for *_, new in spans) != 1
    ):
        return None
    what = mentions_by_kind(text, ("calls of open that are closed elsewhere", stays))
    return Candidates((with_spans(text, spans),), is_certain=True, left_alone=what)


def _closed_opens(python: PythonText, name: str) -> Spans:
    """The spans that put each file which a block opens and closes in a ``with``; only those of ``name``, if that is not empty."""
    spans: Spans = []
    for body in python.bodies():
        done = -1
        for at in range(len(body)):
            end = _closing(body, at) if at > done and _is_named(body[at], name) else None
            if end is not None and (found := _in_with(python, body, at, end)) is not None:
                spans += found
                done = end
            elif at > done and _is_named(body[at], name):
                spans += _for_finally(python, body, at)
    return spans


def _is_named(node: ast.stmt, name: str) -> bool:
    """Whether a statement opens what ``name`` says: it assigns a call to the variable of that name, or the call's
    function or a part of its dotted name is that; any statement for an empty name.
    """
    match node:
        case ast.Assign(targets=[ast.Name(id=variable)], value=ast.Call(func=opener)):
            opener_name = ast.unparse(opener)
            return not name or name in (variable, opener_name, *opener_name.split("."))
    return not name


def _closing(body: list[ast.stmt], at: int) -> int | None:
    """The index in ``body`` of the statement ``f.close()`` for the file that the statement at ``at`` opens by ``f =
    open(…)`` or the like.

    ``None`` if none is opened there, the file is never closed in ``body``, is given away or rebound before, may be used
    after that (its name, a nested function), or nothing stands between.
    """
    match body[at]:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(func=opener), type_comment=None
        ) if _OPENER.fullmatch(ast.unparse(opener)):
            pass
        case _:
            return None
    end = None
    for number, node in enumerate(body[at + 1 :], start=at + 1):
        match node:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=closed), attr="close"), args=[])
            ) if closed == name and end is None:
                end = number
                continue
        if end is not None and any(
            isinstance(x, ast.Name) and x.id == name for x in ast.walk(node)
        ):
            return None
        if end is None and any(_changes(x, name) for x in ast.walk(node)):
            return None
    return end if end is not None and end > at + 1 else None


def _changes(node: ast.AST, name: str) -> bool:
    """Whether a node itself, not those below it, makes a ``with`` around the use of ``name`` unsafe.

    That is: it rebinds or deletes ``name``, names its ``close``, declares it global or nonlocal, returns or yields it alone,
    or is a function, lambda or class with ``name`` anywhere inside.
    """
    match node:
        case ast.Name(id=named, ctx=ast.Store() | ast.Del()):
            return named == name
        case ast.Attribute(value=ast.Name(id=named), attr="close"):
            return named == name
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
            return any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(node))
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return name in names
        case ast.Return(value=ast.Name(id=named)) | ast.Yield(value=ast.Name(id=named)):
            return named == name
        case ast.Break() | ast.Continue():
            return False
    return False


def _in_with(python: PythonText, body: list[ast.stmt], at: int, end: int) -> Spans | None:
    """The spans that put the statements between ``at`` and ``end`` of ``body`` in a ``with`` and
    delete the second; ``None`` if a comment, a long string or another statement on their lines is
    in the way.
    """
    opened, closed = body[at], body[end]
    if not isinstance(opened, ast.Assign):
        return None
    first, last = python.last(opened) + 1, python.first(closed)
    lines = python.lines
    if not (python.is_alone(opened) and python.is_alone(closed)):
        return None
    if (
        "#" in lines[last]
        or "#" in lines[python.last(opened)]
        or python.has_long_strings(first, last)
    ):
        return None
    start, stop = python.span(opened)
    head = f"with {python.code(opened.value)} as {python.code(opened.targets[0])}:"
    filled = [at for at in range(first, last) if lines[at].strip()]
    while last > first and not lines[last - 1].strip():
        last -= 1
    unit = _unit(python)
    spans: Spans = [(start, stop, head)]
    spans += [(python.line_start(at), python.line_start(at), unit) for at in filled]
    return [*spans, (python.line_start(last), python.line_start(python.last(closed) + 1), "")]


def _for_finally(python: PythonText, body: list[ast.stmt], at: int) -> Spans:
    """The spans that turn the file which the statement at ``at`` of ``body`` opens, and the ``try`` right below it whose
    ``finally`` only closes the file, into a ``with``.

    Empty if the statements are no such, the ``try`` has handlers or an ``else``, a comment or another statement stands on
    one of the lines that go, the file is given away or rebound in it, or its name stands in a statement after it.
    """
    match body[at : at + 2]:
        case [
            ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=opener)) as opened,
            ast.Try(
                body=inner,
                handlers=[],
                orelse=[],
                finalbody=[
                    ast.Expr(
                        value=ast.Call(
                            func=ast.Attribute(value=ast.Name(id=closed), attr="close"), args=[]
                        )
                    ) as last
                ],
            ) as guarded,
        ] if closed == name and _OPENER.fullmatch(ast.unparse(opener)):
            pass
        case _:
            return []
    after = [x for node in body[at + 2 :] for x in ast.walk(node)]
    is_used = any(isinstance(x, ast.Name) and x.id == name for x in after)
    if is_used or any(_changes(x, name) for node in inner for x in ast.walk(node)):
        return []
    lines, head, end = python.lines, python.first(guarded), python.first(last)
    is_plain = lines[head].strip() == "try:" and lines[end - 1].strip() == "finally:"
    is_alone = python.is_alone(opened) and lines[end].strip() == f"{name}.close()"
    if not (is_plain and is_alone) or "#" in lines[head - 1] or head != python.last(opened) + 1:
        return []
    start, stop = python.span(opened)
    return [
        (start, stop, f"with {python.code(opened.value)} as {name}:"),
        (python.line_start(head), python.line_start(head + 1), ""),
        (python.line_start(end - 1), python.line_start(end + 1), ""),
    ]


def _unit(python: PythonText) -> str:
    """The text's unit of indentation, by the first block that is indented: a tab, or two to four
    spaces; four spaces if it has none or another.
    """
    for body in python.bodies():
        if body is not python.tree.body and (indent := python.indent(python.first(body[0]))):
            if indent.startswith("\t"):
                return "\t"
            if body[0].col_offset == len(indent) and len(indent) < 8:
                return indent if len(indent) in (2, 3, 4) else "    "
    return "    "


def _inline_opens(python: PythonText, first: int, last: int) -> Spans:
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
                spans += _with_around(node, python, parents)
    return spans


def _with_around(node: ast.stmt, python: PythonText, parents: _Parents) -> Spans:
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
    return isinstance(node, ast.Call) and _OPENER.fullmatch(ast.unparse(node.func)) is not None


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
