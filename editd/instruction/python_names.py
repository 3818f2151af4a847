"""What is particular of names in Python: those of Python itself, and strings that are names."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Collection, Iterator

from editd.instruction.literal import Spans, mentions_in
from editd.instruction.python_text import PythonText, symbols_of
from editd.instruction.syntax import Token


def is_builtin(name: str, python: PythonText) -> bool:
    """Whether it is Python's somewhere, which a file cannot rename."""
    if re.fullmatch("__.*__", name):
        return True
    if python.is_part or name not in dir(builtins):
        return False
    module = symbols_of(python.text)
    if module is None:
        return True
    given = name in module.get_identifiers() and module.lookup(name)
    if given and (given.is_assigned() or given.is_imported()):
        return False
    return any(
        one.is_referenced() and (one.is_global() or one is given) for one in _uses(name, module)
    ) or any(
        isinstance(x, ast.Name) and x.id == name for hint in _hints(python) for x in ast.walk(hint)
    )


def _uses(name: str, table: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    if name in table.get_identifiers():
        yield table.lookup(name)
    for child in table.get_children():
        yield from _uses(name, child)


def in_strings(old: str, new: str, strings: Collection[Token], python: PythonText) -> Spans:
    """The name where a string is it: in what a module exports, and in annotations in quotes."""
    listed = [at.span() for at in _LISTED.finditer(python.text)]
    exported = [one for one in strings if any(a <= one.start < b for a, b in listed)]
    starts = {
        python.span(one)[0]
        for hint in _hints(python)
        if "Literal" not in ast.unparse(hint)
        for one in ast.walk(hint)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }
    quoted = mentions_in([one for one in strings if one.start in starts], old, new)
    own = [span for span in quoted if python.text[span[0] - 1] != "."]
    return mentions_in(exported, old, new) + own


# ``__all__``, ``__slots__`` and what pytest gives a test.
_LISTED = re.compile(
    r"(?ms)^\s*__(?:all|slots|match_args)__\b[^\n=]*\+?=\s*[\[(].*?[\])]"
    r"|\bparametrize\(\s*(?:[\[(][^\])]*[\])]|(?=[\"'])[^\n]{0,200}?[\"'],\s)"
)


def _hints(python: PythonText) -> Iterator[ast.expr]:
    """The types that are written down."""
    for node in ast.walk(python.tree):
        for field in ("annotation", "returns"):
            if (hint := getattr(node, field, None)) is not None:
                yield hint
