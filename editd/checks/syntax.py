"""Text that parsed before and does not now.

Python, JSON and TOML are judged by the standard library, other languages by tree-sitter where a
grammar is installed. A text that did not parse before is not judged: it may be a fragment, or
written in a dialect that the parser does not know.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from editd.checks.rewrite import Doubt, Rewrite
from editd.prompts.language import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_LARGEST = 500_000  # characters, parsed in about a second; above, the user would wait for this


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """The first syntax error of the new text, if the old one had none."""
    old_text = rewrite.document.model_text
    new_text = "".join(rewrite.new_lines)
    if not old_text.strip() or max(len(old_text), len(new_text)) > _LARGEST:
        return []
    find_error = _PARSERS.get(rewrite.language, _tree_sitter(rewrite.language))
    found = find_error(new_text)
    if found is None or find_error(old_text) is not None:
        return []
    line, what = found
    reason = f"The text parsed before and does not now: {what} at line {line + 1}."
    return [Doubt(reason, (rewrite.hunk_at(line).id,))]


_Error = tuple[int, str]  # 0-based line, what is wrong


def _python(text: str) -> _Error | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes and comparisons: not our business
            ast.parse(text)
    except SyntaxError as error:
        # "too many nested parentheses" is the parser's limit, not the text's fault.
        return None if "too many" in error.msg else ((error.lineno or 1) - 1, error.msg)
    except (ValueError, RecursionError, MemoryError):
        return None  # null bytes, or nested deeper than the parser can follow: no verdict
    return None


def _json(text: str) -> _Error | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno - 1, error.msg
    except RecursionError:
        return None
    return None


def _toml(text: str) -> _Error | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        at = int(line[1]) - 1 if line else text.count("\n")
        return at, str(error).split(" (at ")[0]
    except RecursionError:
        return None
    return None


def _tree_sitter(language: str) -> Callable[[str], _Error | None]:
    def find_error(text: str) -> _Error | None:
        parser = parser_of(language)
        if parser is None:
            return None
        tree = parser.parse(text.encode("utf-8", "replace"))
        return _first_error(tree) if tree.root_node.has_error else None

    return find_error


def _first_error(tree: Tree) -> _Error:
    """The first node that is an error or that the parser had to invent, in the text's order."""
    pending: list[Node] = [tree.root_node]
    while pending:
        node = pending.pop()
        if node.is_missing:
            return node.start_point.row, f"missing “{node.type}”"
        if node.is_error:
            return node.start_point.row, "syntax error"
        pending.extend(child for child in reversed(node.children) if child.has_error)
    return tree.root_node.end_point.row, "syntax error"


_PARSERS: dict[str, Callable[[str], _Error | None]] = {
    "python": _python,
    "json": _json,
    "toml": _toml,
}
