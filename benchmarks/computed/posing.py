"""Files that a chore is posed on, and the judges of its answers, by other means than editd's own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from editd.syntax.code import read_code

ENDINGS = {
    "python": (".py",),
    "javascript": (".js", ".mjs"),
    "typescript": (".ts",),
    "go": (".go",),
    "rust": (".rs",),
    "java": (".java",),
    "c": (".c", ".h"),
}
Judge = Callable[[str], bool]
"""Whether a new text is the right one."""
Posed = tuple[str, str, Judge]


def same_tree(text: str, other: str) -> bool:
    """Whether two Python texts are one program."""
    try:
        return ast.dump(ast.parse(text)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError):
        return False


def words_of(text: str, language: str) -> list[tuple[str, str]] | None:
    """The names, numbers, strings and comments of a text, the last marked."""
    found = read_code(text, language).parsed_tokens
    if found is None:
        return None
    return [("comment" if t.kind == "comment" else "", t.text) for t in found]
