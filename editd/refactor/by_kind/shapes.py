"""Tells whether a change can be one of a kind at all: a rename changes a name, a new docstring takes no line away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from editd.syntax.code import Code
from editd.syntax.imports import IMPORT_LINE

_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;)|.*(?:\"\"\"|''')")


def can_be(kind: str, old: Code, new: Code) -> bool:
    """Whether the change from one text to the other can be an edit of a kind; ``True`` for a kind that may change anything."""
    shape = _SHAPES.get(kind)
    return shape is None or shape(old, new)


def _changes_a_name(old: Code, new: Code) -> bool:
    """Whether the texts have other names, or other words where the language has no names."""
    if old.parses is None:
        return True
    return old.names != new.names or _words(old) != _words(new)


def _words(code: Code) -> list[str]:
    """The names of a text where they are used, in order."""
    return [x.text for x in code.tokens_of("name", "member", "argument", "key")]


def _changes_a_head(old: Code, new: Code) -> bool:
    """Whether the head of a definition changes."""
    heads = {old.lines[x.start].strip() for x in old.definitions if x.is_block}
    return not heads or any(x.strip() in heads for x in _lines_taken(old, new))


def _takes_nothing(old: Code, new: Code) -> bool:
    """Whether no line goes but comments and documentation, indentation aside."""
    return all(_COMMENT.match(x) for x in _lines_taken(old, new))


def _takes_imports_alone(old: Code, new: Code) -> bool:
    """Whether no line goes but imports."""
    return all(
        IMPORT_LINE.match(x) or _COMMENT.match(x) or x.strip(" ,(){}").replace("_", "").isalnum()
        for x in _lines_taken(old, new)
    )


def _lines_taken(old: Code, new: Code) -> list[str]:
    """The lines of one text that the other does not have, indentation aside."""
    left = {x.strip() for x in new.lines}
    return [x for x in old.lines if x.strip() and x.strip() not in left]


def can_certainly_be(kind: str, old: Code, new: Code) -> bool:
    """Whether the change can be an edit of a kind that is nearly certain."""
    return kind != "add_parameter" or _changes_a_head(old, new)


_SHAPES: Mapping[str, Callable[[Code, Code], bool]] = {
    "add_import": _takes_imports_alone,
    "docstring": _takes_nothing,
    "rename": _changes_a_name,
}
"""For a kind, the test of its changes."""
