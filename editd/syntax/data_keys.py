"""Data that a Python text calls by a name in a string: columns of a CSV file, and keys of mappings.

What is stored elsewhere under such a name does not change with the program's own names, so a rename leaves it alone, and
leaves the comment alone that describes it. Finds the places; what becomes of them is ``rename``'s.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.syntax.code import Code
from editd.syntax.definition import Definition
from editd.syntax.lines import line_starts
from editd.syntax.python_text import PythonText

_LOOKUPS = ("get", "pop", "setdefault")
_CSV = ("DictReader", "DictWriter")
_DESCRIBES = re.compile(r"\b(?:columns?|keys?|fields?|headers?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DataKey:
    """A name of data. title: in words for the user, such as ``the CSV column "qty"``. starts: offsets of its strings."""

    title: str
    starts: frozenset[int]


def data_keys(name: str, python: PythonText | None) -> list[DataKey]:
    """The data that the text calls ``name``, at most two: the CSV column, then the key of mappings, each with the
    offsets of all its strings. Empty if no string that is a key equals ``name``, or ``python`` is ``None``.
    """
    if python is None:
        return []
    rows = frozenset(_csv_rows(python.tree))
    found: dict[str, set[int]] = {"CSV column": set(), "key": set()}
    for kind, constant in _keys(python.tree, rows):
        if constant.value == name:
            found[kind].add(python.span(constant)[0])
    return [
        DataKey(f'the {kind} "{name}"', frozenset(starts))
        for kind, starts in found.items()
        if starts
    ]


def describes_data(start: int, end: int, keys: list[DataKey], code: Code) -> bool:
    """Whether the comment or docstring at ``start .. end`` (offsets) is about ``keys``: it has the word column,
    key, field or header, and the innermost definition around it (else the text) holds a string of one of them.
    False without keys.
    """
    if not keys or not _DESCRIBES.search(code.text[start:end]):
        return False
    starts = line_starts(code.lines)

    def spans(definition: Definition) -> tuple[int, int]:
        last = starts[definition.end] if definition.end < len(starts) else len(code.text)
        return starts[definition.start], last

    around = [span for span in map(spans, code.definitions) if span[0] <= start < span[1]]
    first, last = min(around, key=lambda span: span[1] - span[0], default=(0, len(code.text)))
    return any(first <= at < last for key in keys for at in key.starts)


def _csv_rows(tree: ast.AST) -> Iterator[str]:
    """The variables that hold a row of a ``csv.DictReader``: those of loops and comprehensions over a call of it,
    or over a variable that such a call is assigned to anywhere. Some may come twice.
    """
    readers = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_csv(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            source = node.iter
            is_reader = isinstance(source, ast.Name) and source.id in readers
            if isinstance(node.target, ast.Name) and (is_reader or _is_csv(source)):
                yield node.target.id


def _is_csv(node: ast.expr) -> bool:
    """Whether ``node`` calls ``DictReader`` or ``DictWriter``, of whatever module."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in _CSV


def _keys(tree: ast.AST, rows: frozenset[str]) -> Iterator[tuple[str, ast.Constant]]:
    """Yield each constant that is a key, with its kind: ``CSV column`` or ``key``. A key is an index in square
    brackets, the first argument of ``get``, ``pop`` and ``setdefault``, a key of a dict display, and what a list in
    a call of ``DictReader`` or ``DictWriter`` holds. rows: variables with a row of CSV, whose keys are columns.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=holder, slice=ast.Constant() as constant):
                yield _kind(holder, rows), constant
            case ast.Call(
                func=ast.Attribute(value=holder, attr=method), args=[ast.Constant() as constant, *_]
            ) if method in _LOOKUPS:
                yield _kind(holder, rows), constant
            case ast.Dict(keys=keys):
                yield from (("key", key) for key in keys if isinstance(key, ast.Constant))
            case ast.Call() if _is_csv(node):
                for named in (*node.args, *(keyword.value for keyword in node.keywords)):
                    if isinstance(named, ast.List | ast.Tuple):
                        columns = [x for x in named.elts if isinstance(x, ast.Constant)]
                        yield from (("CSV column", column) for column in columns)


def _kind(holder: ast.expr, rows: frozenset[str]) -> str:
    """The kind of a key that is looked up in ``holder``."""
    return "CSV column" if isinstance(holder, ast.Name) and holder.id in rows else "key"
