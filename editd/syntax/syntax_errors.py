"""The first syntax error of a text.

Python, JSON and TOML are judged by the standard library, other languages by tree-sitter where a grammar is installed. A
parser cannot be stopped: callers bound what they give it.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Callable

from editd.syntax.trees import Node, parse_tree

Error = tuple[int, str]
"""The 0-based line of an error, and what is wrong, in the parser's words."""


def find_error(text: str, language: str) -> Error | None:
    """The first error of ``text``; ``None`` if it has none, no parser knows the language, or the parser gave up.

    A parser gives up on null bytes, and on nesting deeper than it can follow.
    """
    find = _BY_LANGUAGE.get(language)
    return find(text) if find is not None else _in_tree(text, language)


def _in_python(text: str) -> Error | None:
    """The first error as ``(0-based line, message)``; ``None`` without one, and where the parser
    gives up: nested too deeply, null bytes, or out of memory.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes and comparisons: no errors of syntax
            ast.parse(text)
    except SyntaxError as error:
        # "too many nested parentheses" is the parser's limit, not the text's fault.
        # Lines that the message itself names are those of a part of the text.
        message = re.sub(r" \(detected at line \d+\)| on line \d+", "", error.msg)
        return None if "too many" in error.msg else ((error.lineno or 1) - 1, message)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _in_json(text: str) -> Error | None:
    """The first error as ``(0-based line, message)``; ``None`` without one, or for a text that is
    nested too deeply or has a number too long to read.
    """
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno - 1, error.msg
    except (RecursionError, ValueError):  # a number of more than 4,300 digits
        return None
    return None


def _in_toml(text: str) -> Error | None:
    """The first error as ``(0-based line, message)``, in the last line if the parser names none; ``None`` without
    one, for a text that is nested too deeply, or that has a whole number of more than 4,300 digits.
    """
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        number = int(line[1]) - 1 if line else text.count("\n")
        return number, str(error).split(" (at ")[0]
    except (RecursionError, ValueError):  # a number too long for Python to convert
        return None
    return None


def _in_tree(text: str, language: str) -> Error | None:
    root = parse_tree(text, language)
    return None if root is None else error_in_tree(root)


def error_in_tree(root: Node) -> Error | None:
    """The first node, in the text's order, that is an error or that the parser had to invent, as
    ``(0-based line, message)``; ``None`` without any.

    If the parser only says that the tree has one, the last line.
    """
    if not root.has_error:
        return None
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_missing:
            return node.start_point.row, f"missing “{node.type}”"
        if node.is_error:
            return node.start_point.row, "syntax error"
        pending.extend(child for child in reversed(node.children) if child.has_error)
    return root.end_point.row, "syntax error"


_BY_LANGUAGE: dict[str, Callable[[str], Error | None]] = {
    "python": _in_python,
    "json": _in_json,
    "toml": _in_toml,
}
