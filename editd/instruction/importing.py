"""An import added to a Python text, as the words say; any usual place is a reading."""

from __future__ import annotations

import ast

from editd.instruction import AddImport
from editd.instruction.meant import Literal, split
from editd.instruction.source import parse_python


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
        elif at is None:
            at = node.lineno - 1
    if last and not lines[last - 1].endswith("\n"):
        return None
    header = 0
    while header < len(lines) and lines[header].startswith("#"):
        header += 1
    places = dict.fromkeys(
        (first if at is None else at, *range(first, last + 1), max(first, header))
    )
    if at is None:
        following = next((node.lineno - 1 for node in body if node.lineno > last), len(lines))
        places |= dict.fromkeys(range(first, following + 1))
    readings = ("".join([*lines[:place], line, *lines[place:]]) for place in places)
    return Literal(tuple(readings), is_single=True)
