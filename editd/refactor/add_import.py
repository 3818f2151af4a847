"""Adds an import to a Python file.

a.py, "add an import of json"::

    import ast
    import re

    x = 1

becomes::

    import ast
    import json
    import re

    x = 1
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence

from editd.intent.intents import AddImport
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code
from editd.syntax.imports import PYTHON_IMPORTS
from editd.syntax.python_tree import parse_python

_ENCODING = re.compile(r"#.*?coding[:=]")


def add_import(intent: AddImport, code: Code) -> Candidates | None:
    """The text with the import: in order if the imports are, else above the others, or where a first one usually stands.

    Each other usual place is one more candidate. ``None`` if the import is there, the text does not parse or is a part of a
    file, or it ends with its imports without a line end.
    """
    text = code.text
    line = f"import {intent.module}\n"
    if intent.item:
        line = f"from {intent.module} import {intent.item}\n"
    parsed = parse_python(text)
    if parsed is None or parsed[1]:
        return None
    body = parsed[0].body
    if any(ast.unparse(statement) == line.strip() for statement in body):
        return None
    lines = code.lines
    first = last = 0  # an import goes between these lines
    at = None
    above: list[ast.stmt] = []
    for number, node in enumerate(body):
        is_docstring = (
            not number and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or isinstance(node, PYTHON_IMPORTS)):
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
    texts = ["".join([*lines[:place], line, *lines[place:]]) for place in places]
    if at is None:
        texts.insert(0, _apart(line, place, lines))
    return Candidates(tuple(dict.fromkeys(texts)), is_certain=True)


def _apart(line: str, place: int, lines: Sequence[str]) -> str:
    """The text with a first import at line ``place``, a blank line between it and code, a docstring or a future import."""
    above, below = (lines[n].strip() if 0 <= n < len(lines) else "" for n in (place - 1, place))
    before = "\n" if above and not above.startswith("#") else ""
    after = "\n" if below else ""
    return "".join([*lines[:place], before, line, after, *lines[place:]])


def _in_order(line: str, above: Sequence[ast.stmt]) -> int | None:
    """The line below the last of the imports ``above`` that sorts before ``line``; ``None`` if they are not in order."""
    keys = [_key(node) for node in above]
    own = _key(ast.parse(line).body[0])
    before = [node for node, key in zip(above, keys, strict=True) if key <= own]
    return before[-1].end_lineno if before and keys == sorted(keys) else None


def _key(node: ast.stmt) -> tuple[int, bool, str]:
    """The sort key of an import: Python's modules, other packages, relative ones; in each ``import`` before ``from``."""
    module = getattr(node, "module", "") or "" if isinstance(node, ast.ImportFrom) else ""
    if isinstance(node, ast.Import):
        module = node.names[0].name
    is_relative = isinstance(node, ast.ImportFrom) and bool(node.level)
    of_python = module.partition(".")[0] in sys.stdlib_module_names
    section = 2 if is_relative else 0 if of_python else 1
    return section, isinstance(node, ast.ImportFrom), module.lower()


def _for_the_system(lines: Sequence[str]) -> int:
    """The number of first lines that the system or Python reads: a shebang, an encoding."""
    count = 1 if lines and lines[0].startswith("#!") else 0
    return count + any(map(_ENCODING.match, lines[count : count + 1]))
