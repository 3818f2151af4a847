"""The syntax tree that Python's own parser makes of a text, or of an indented part of a file."""

from __future__ import annotations

import ast
import warnings


def parse_python(text: str) -> tuple[ast.Module, int] | None:
    """The tree, and how many lines were put before the text for it: a part of a file may be indented.

    ``None`` if the text does not parse, is nested too deeply, or has null bytes.
    """
    for before in ("", "if 1:\n", "class _:\n"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(before + text), before.count("\n")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            if not text[:1].isspace():
                return None
    return None
