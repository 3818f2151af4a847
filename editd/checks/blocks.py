"""Blocks that lost all that they did: an ``if`` of which only ``pass`` or a comment is left, or a pair of braces.

A block is known by its first line. Python by its parser, other languages by tree-sitter. Where the words have something
removed, that may be all that a block did.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from editd.checks.code import Code, code_of
from editd.checks.python_code import PythonCode
from editd.checks.requests import request_of
from editd.checks.rewrite import Doubt, Rewrite, quoted
from editd.checks.tree_code import TreeCode


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """The hunk that emptied a block, for the first such block."""
    if _ASKED.search(rewrite.instruction) or request_of(rewrite.instruction).is_removal:
        return []
    if not rewrite.lost_lines:
        return []
    total = len(rewrite.old_lines)
    old = code_of(rewrite.model_text(0, total), rewrite.language)
    if old is None:
        return []
    full = {head for head, _, is_empty in _blocks(old) if not is_empty}
    empty = {head for head, _, is_empty in _blocks(old) if is_empty}
    new = code_of(rewrite.new_text(0, total), rewrite.language)
    for head, line, is_empty in _blocks(new) if new is not None else ():
        if is_empty and head in full and head not in empty:
            reason = f"Nothing is left in the block of {quoted(head)}, at line {line + 1}."
            return [Doubt(reason, (rewrite.hunk_at(line).id,))]
    return []


def _blocks(code: Code) -> Iterator[tuple[str, int, bool]]:
    """The first line of each block, stripped, its number, and whether nothing is done in it."""
    lines = code.text.split("\n")
    if isinstance(code, PythonCode):
        for node in ast.walk(code.tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(node, ast.stmt | ast.ExceptHandler):
                line = node.lineno - 1 - code.shift
                if 0 <= line < len(lines):
                    yield lines[line].strip(), line, all(map(_does_nothing, body))
    elif isinstance(code, TreeCode):
        for block in code.tree.nodes(*_BRACES):
            line = (block.parent or block).start_point[0]
            inside = [child for child in block.named_children if "comment" not in child.type]
            yield lines[line].strip(), line, not inside


def _does_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and (node.value.value is ... or isinstance(node.value.value, str))
    )


_BRACES = ("block", "statement_block", "compound_statement", "class_body", "declaration_list")
_ASKED = re.compile(
    r"\b(?:empty|stubs?|skeleton|placeholder|pass|no-?op|abstract|bod(?:y|ies)|hollow|blank out|contents?)\b",
    re.IGNORECASE,
)
