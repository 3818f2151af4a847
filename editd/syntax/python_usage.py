"""Names that a Python text uses and nothing defines, and imports that nothing uses, by pyflakes."""

from __future__ import annotations

import ast
import warnings

from pyflakes.checker import Checker
from pyflakes.messages import RedefinedWhileUnused, UndefinedName, UnusedImport

from editd.syntax.imports import PYTHON_IMPORTS
from editd.syntax.python_text import PythonText


def undefined_names(tree: ast.Module) -> dict[str, int] | None:
    """Undefined names, each with the 0-based line of its first use, in the order of their last uses, the last one
    first; ``None`` where pyflakes gives up. The tree's own line numbers count.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            messages = Checker(tree).messages
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    uses = [message for message in messages if isinstance(message, UndefinedName)]
    uses.sort(key=lambda message: -message.lineno)
    return {str(x.message_args[0]): int(x.lineno) - 1 for x in uses}


def unused_imports(
    python: PythonText, file_name: str
) -> dict[ast.Import | ast.ImportFrom, list[ast.alias]] | None:
    """For each import statement with unused names these names, in the order of the statement, outer statements
    before inner; ``None`` where pyflakes gives up.

    A name that is imported twice and never used is unused in both. file_name: pyflakes lets ``__init__.py`` import
    for others.
    """
    try:
        messages = Checker(python.tree, filename=file_name).messages
    except (RecursionError, ValueError):
        return None
    unused = {(x.lineno, x.message_args[0]) for x in messages if isinstance(x, UnusedImport)}
    # Imported twice and used by nothing: of the first, pyflakes only says that the second takes its place.
    bound = {name.split(" as ")[-1].split(".")[-1] for _, name in unused}
    doubled = {
        (x.message_args[1], x.message_args[0])
        for x in messages
        if isinstance(x, RedefinedWhileUnused) and x.message_args[0] in bound
    }
    found: dict[ast.Import | ast.ImportFrom, list[ast.alias]] = {}
    for node in ast.walk(python.tree):
        if isinstance(node, PYTHON_IMPORTS):
            names = [
                alias
                for alias in node.names
                if (node.lineno, _written(node, alias)) in unused
                or (node.lineno, alias.asname or alias.name) in doubled
            ]
            if names:
                found[node] = names
    return found


def _written(node: ast.Import | ast.ImportFrom, name: ast.alias) -> str:
    """The name of an import as pyflakes writes it: with its module and, if that differs, its alias."""
    whole = name.name
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        whole = f"{module}{'' if module.endswith('.') else '.'}{name.name}"
    last = name.asname or name.name
    is_plain = name.asname is None or (isinstance(node, ast.ImportFrom) and last == name.name)
    return whole if is_plain else f"{whole} as {last}"
