"""What an instruction spells out and a Python text lacks: an import, a parameter, a type, a docstring, an error to catch.

Any usual place of an import is a reading. The name must be of one function, which lacks what it is to get.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import sys
import tokenize
import typing
from collections.abc import Sequence

from editd.intent.intents import AddImport, AddParameter, Annotate, Document, Guard
from editd.refactor.candidates import Literal, with_spans
from editd.syntax.python_text import Function, Placed, PythonText, docstring_of, read_python
from editd.syntax.tokens import parse_python, split


def imported(meaning: AddImport, text: str) -> Literal | None:
    """The text with the import; ``None`` if it is there, or the text is a part of a file."""
    line = f"import {meaning.module}\n"
    if meaning.item:
        line = f"from {meaning.module} import {meaning.item}\n"
    parsed = parse_python(text)
    if parsed is None or parsed[1]:
        return None
    body = parsed[0].body
    if any(ast.unparse(one) == line.strip() for one in body):
        return None
    lines = split(text)
    first = last = 0  # an import goes between these lines
    at = None
    above: list[ast.stmt] = []
    for number, node in enumerate(body):
        is_docstring = (
            not number and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or isinstance(node, ast.Import | ast.ImportFrom)):
            break
        last = node.end_lineno or node.lineno
        if is_docstring or is_future:
            first = last
        else:
            at = node.lineno - 1 if at is None else at
            above.append(node)
    if last and not lines[last - 1].endswith("\n"):
        return None
    header = 0
    while header < len(lines) and lines[header].startswith("#"):
        header += 1
    # A comment right above code may be about that, one that a blank line ends is about the file.
    head = header if header < len(lines) and not lines[header].strip() else _for_the_system(lines)
    place = max(first, head) if at is None else _in_order(line, above) or at
    places = dict.fromkeys((place, *range(first, last + 1), max(first, header)))
    if at is None:
        following = next((node.lineno - 1 for node in body if node.lineno > last), len(lines))
        places |= dict.fromkeys(range(first, following + 1))
    readings = ["".join([*lines[:place], line, *lines[place:]]) for place in places]
    if at is None:
        readings.insert(0, _apart(line, place, lines))
    return Literal(tuple(dict.fromkeys(readings)), is_single=True)


def _apart(line: str, place: int, lines: Sequence[str]) -> str:
    """The text with a first import, and a blank line between it and code, a docstring or an import from the future."""
    above, below = (lines[n].strip() if 0 <= n < len(lines) else "" for n in (place - 1, place))
    before = "\n" if above and not above.startswith("#") else ""
    after = "\n" if below else ""
    return "".join([*lines[:place], before, line, after, *lines[place:]])


def _in_order(line: str, above: Sequence[ast.stmt]) -> int | None:
    """The line below those of the imports ``above`` that come before it, if they are in order."""
    keys = [_key(one) for one in above]
    own = _key(ast.parse(line).body[0])
    before = [one for one, key in zip(above, keys, strict=True) if key <= own]
    return before[-1].end_lineno if before and keys == sorted(keys) else None


def _key(node: ast.stmt) -> tuple[int, bool, str]:
    """Python's own modules before others and the package's own, ``import`` before ``from``."""
    module = getattr(node, "module", "") or "" if isinstance(node, ast.ImportFrom) else ""
    if isinstance(node, ast.Import):
        module = node.names[0].name
    is_relative = isinstance(node, ast.ImportFrom) and bool(node.level)
    of_python = module.partition(".")[0] in sys.stdlib_module_names
    section = 2 if is_relative else 0 if of_python else 1
    return section, isinstance(node, ast.ImportFrom), module.lower()


def _for_the_system(lines: Sequence[str]) -> int:
    """How many lines the system and Python read: a shebang, an encoding."""
    count = 1 if lines and lines[0].startswith("#!") else 0
    return count + any(map(_ENCODING.match, lines[count : count + 1]))


_ENCODING = re.compile(r"#.*?coding[:=]")


# In one function


def _only(name: str, text: str) -> tuple[PythonText, Function] | None:
    """The one function that is called so."""
    python = read_python(text)
    definitions = python.definitions(name) if python else []
    found = [one for one in definitions if isinstance(one, Function)]
    return (python, found[0]) if python and len(found) == 1 else None


def annotated(meaning: Annotate, text: str) -> Literal | None:
    """``None`` where there is no such parameter, or it has a type."""
    only = _only(meaning.function, text)
    if only is None or not _is_type(meaning.hint):
        return None
    python, function = only
    if not meaning.parameter:
        colon = _colon(python, function)
        if function.returns is not None or colon is None:
            return None
        return _with_typing(
            only, meaning.hint, with_spans(text, [(colon, colon, f" -> {meaning.hint}")])
        )
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [one for one in (arguments.vararg, arguments.kwarg) if one]
    found = [one for one in named if one.arg == meaning.parameter.lstrip("*")]
    if len(found) != 1 or found[0].annotation is not None:
        return None
    end = python.span(found[0])[1]
    # A bare default stands close (``a=1``), that of a parameter with a type does not (``a: int = 1``).
    default = re.compile(r"[ \t]*=[ \t]*").match(text, end)
    span = (end, default.end() if default else end, f": {meaning.hint}" + " = " * bool(default))
    return _with_typing(only, meaning.hint, with_spans(text, [span]))


def _with_typing(only: tuple[PythonText, Function], hint: str, new: str) -> Literal | None:
    """``new`` with an import of what ``hint`` takes from ``typing``; ``None`` if it has another unknown name."""
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
                imported(AddImport("typing", node.id), new) if node.id in typing.__all__ else None
            )
            if found is None:
                return None
            known.add(node.id)
            new = found.readings[0]
    return Literal((new,), is_single=True)


def with_parameter(meaning: AddParameter, text: str) -> Literal | None:
    """A parameter with a default behind the others; ``None`` where its name is taken or its place is not sure.

    ``*args`` and parameters by name alone leave more than one place, and ``**kwargs`` may have held it.
    """
    only = _only(meaning.function, text)
    if only is None or keyword.iskeyword(meaning.name):
        return None
    python, function = only
    inside = list(ast.walk(function))
    names = {one.id for one in inside if isinstance(one, ast.Name)}
    names |= {one.arg for one in inside if isinstance(one, ast.arg)}
    given = function.args
    is_plain = not (given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs)
    if meaning.name in names or not is_plain:
        return None
    calls = [
        one
        for node in function.body
        for one in ast.walk(node)
        if isinstance(one, ast.Call) and _is_called(one.func, meaning.callee)
    ]
    if any(one.arg in (None, meaning.name) for call in calls for one in call.keywords):
        return None  # it is passed already, or may be
    if meaning.callee and not calls:
        return None
    head = re.compile(r"(?:async\s+)?def\s+\w+\s*\(").match(text, python.span(function)[0])
    if head is None:
        return None
    parameters: list[Placed] = [*given.args[-1:], *given.defaults[-1:]]
    spans = [_appended(python, parameters, head.end(), f"{meaning.name}={meaning.default}")]
    for call in calls:
        values = [*call.args, *(one.value for one in call.keywords)]
        passed = f"{meaning.name}={meaning.name}"
        spans.append(_appended(python, values, python.span(call)[1] - 1, passed))
    new = with_spans(text, spans)
    # What brackets and line ends make of it is held beside the tree that is meant.
    given.args.append(ast.arg(meaning.name))
    given.defaults.append(ast.parse(meaning.default, mode="eval").body)
    for call in calls:
        call.keywords.append(ast.keyword(meaning.name, ast.Name(meaning.name, ast.Load())))
    parsed = parse_python(new)
    is_meant = parsed is not None and ast.dump(parsed[0]) == ast.dump(python.tree)
    return Literal((new,), is_single=True) if is_meant else None


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


def _is_type(hint: str) -> bool:
    try:
        node = ast.parse(hint, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp) or hint == "None"


def _colon(python: PythonText, function: Function) -> int | None:
    """Where the colon behind a header stands."""
    start, end = python.span(function)
    depth = 0
    lines = python.text[start:end].split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(python.text[start:end]).readline):
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                if token.string == ":" and not depth:
                    row, column = token.start
                    return start + sum(len(line) + 1 for line in lines[: row - 1]) + column
    except (tokenize.TokenError, SyntaxError):
        return None
    return None


def documented(meaning: Document, text: str, *, may_replace: bool = False) -> Literal | None:
    """``None`` where the words would not stand in a docstring, or there is one; may_replace: that one becomes another."""
    only = _only(meaning.function, text)
    place = _body(*only) if only else None
    said = meaning.text
    if only is None or place is None or not said.strip():
        return None
    if "\\" in said or '"""' in said or said.endswith('"') or "\n" in said:
        return None
    if (present := docstring_of(only[1])) is not None:
        start, end = only[0].span(present)
        quotes = re.match(r"\"\"\"|'''|\"|'", text[start:end])
        if not may_replace or quotes is None or quotes[0][0] in said:
            return None
        new = f"{quotes[0]}{said}{quotes[0]}"
        return Literal((with_spans(text, [(start, end, new)]),), is_single=True)
    line, indent = place
    start = only[0].line_start(line)
    return Literal((with_spans(text, [(start, start, f'{indent}"""{said}"""\n')]),), is_single=True)


def guarded(meaning: Guard, text: str) -> Literal | None:
    """The body in ``try``, docstring excepted; ``None`` where it is in one, or would change."""
    only = _only(meaning.function, text)
    if only is None or _body(*only) is None or not _is_value(meaning.value):
        return None
    python, function = only
    body = function.body[1:] if docstring_of(function) else function.body
    if not body or (len(body) == 1 and isinstance(body[0], ast.Try)):
        return None
    first, last = python.last(function.body[0]) + 1, python.last(function) + 1
    if body is function.body:
        first = _body(python, function)[0]  # type: ignore[index]  # asked above
    if python.has_long_strings(first, last) or not python.text.endswith("\n"):
        return None
    while not python.lines[first].strip():
        first += 1
    indent = python.indent(python.first(body[0]))
    unit = "\t" if indent.startswith("\t") else "    "
    new = [f"{indent}try:\n"]
    new += [unit + line if line.strip() else line for line in python.lines[first:last]]
    new += [f"{indent}except {meaning.error}:\n", f"{indent}{unit}return {meaning.value}\n"]
    return Literal(("".join([*python.lines[:first], *new, *python.lines[last:]]),), is_single=True)


def _is_value(said: str) -> bool:
    try:
        ast.parse(said, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def _body(python: PythonText, function: Function) -> tuple[int, str] | None:
    """The line after a header that ends its line, and the body's indentation."""
    colon = _colon(python, function)
    if colon is None:
        return None
    rest = python.text[colon:].split("\n", 1)[0][1:].strip()
    if rest and not rest.startswith("#"):
        return None
    line = python.text.count("\n", 0, colon) + 1
    return line, python.indent(python.first(function.body[0]))
