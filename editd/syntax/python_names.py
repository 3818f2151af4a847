"""Names that are Python's own, and names in strings: what a module exports, and annotations in quotes."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Collection, Iterator

from editd.syntax.python_text import PythonText, symbols_of
from editd.syntax.tokens import Token
from editd.syntax.words import mentions_of

# ``__all__``, ``__slots__`` and what pytest gives a test.
_LISTED = re.compile(
    r"(?ms)^\s*__(?:all|slots|match_args)__\b[^\n=]*\+?=\s*[\[(].*?[\])]"
    r"|\bparametrize\(\s*(?:[\[(][^\])]*[\])]|(?=[\"'])[^\n]{0,200}?[\"'],\s)"
)


def is_builtin(name: str, python: PythonText) -> bool:
    """Whether a name is Python's own where the file uses it: any ``__name__``, or a builtin that some scope or
    annotation uses and that neither this scope nor one around it binds.

    False if the module itself assigns or imports the name, the file never uses it, or the text is an indented part
    of a file. True for every builtin in a text with errors of scope.
    """
    if re.fullmatch("__.*__", name):
        return True
    if python.is_part or name not in dir(builtins):
        return False
    module = symbols_of(python.text)
    if module is None:
        return True
    defined = name in module.get_identifiers() and module.lookup(name)
    if defined and (defined.is_assigned() or defined.is_imported()):
        return False
    return any(
        symbol.is_referenced() and (symbol.is_global() or symbol is defined)
        for symbol in _uses(name, module)
    ) or any(
        isinstance(x, ast.Name) and x.id == name for hint in _hints(python) for x in ast.walk(hint)
    )


def _uses(name: str, table: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    """Yield the symbol of a name in each scope, from ``table`` inwards, that mentions it."""
    if name in table.get_identifiers():
        yield table.lookup(name)
    for child in table.get_children():
        yield from _uses(name, child)


def in_strings(name: str, strings: Collection[Token], python: PythonText) -> list[tuple[int, int]]:
    """Start and end of each mention of a name in strings that mean it: in ``__all__`` and its like,
    and in annotations in quotes without ``Literal``, there not behind a dot.

    strings: tokens, all strings of the text.
    """
    listed = [at.span() for at in _LISTED.finditer(python.text)]
    exported = [x for x in strings if any(a <= x.start < b for a, b in listed)]
    starts = {
        python.span(x)[0]
        for hint in _hints(python)
        if "Literal" not in ast.unparse(hint)
        for x in ast.walk(hint)
        if isinstance(x, ast.Constant) and isinstance(x.value, str)
    }
    quoted = mentions_of(name, [x for x in strings if x.start in starts])
    own = [span for span in quoted if python.text[span[0] - 1] != "."]
    return mentions_of(name, exported) + own


def _hints(python: PythonText) -> Iterator[ast.expr]:
    """Yield the annotations of all parameters, variables and results of a text."""
    for node in ast.walk(python.tree):
        for field in ("annotation", "returns"):
            if (hint := getattr(node, field, None)) is not None:
                yield hint
