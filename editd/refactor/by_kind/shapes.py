"""Tells whether a change can be one of a kind at all: a rename changes a name, a new docstring takes no line away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from editd.syntax.code import Code
from editd.syntax.imports import IMPORT_LINE

_OF_TEXTS = re.compile(r"\b(?:docstring|comment|string|text|literal)s?\b", re.IGNORECASE)
"""Says that a rename is of texts, which changes no name."""
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;)|.*(?:\"\"\"|''')")


def can_be(kind: str, probability: float, text: str, old: Code, new: Code) -> bool:
    """Whether the change from one buffer to the other can be what a sentence, ``text``, asks for that is of a kind with this probability; ``True``
    for a kind that may change anything, and one that is not likely enough.
    """
    limit, shape = _SHAPES.get(kind, (1.0, None))
    if shape is None or probability < limit or (kind == "rename" and _OF_TEXTS.search(text)):
        return True
    return shape(old, new)


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


_SHAPES: Mapping[str, tuple[float, Callable[[Code, Code], bool]]] = {
    "add_import": (0.55, _takes_imports_alone),
    "add_parameter": (0.85, _changes_a_head),
    "docstring": (0.55, _takes_nothing),
    "rename": (0.55, _changes_a_name),
}
"""For a kind, how likely it has to be, and the test of its changes."""
