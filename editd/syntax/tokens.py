"""The model of a token: a name, a number, a string or a comment of a text.

``python_tokens``, ``tree_tokens`` and ``scanning`` find them, each in its languages.
"""

from __future__ import annotations

import typing
from dataclasses import dataclass

TokenKind = typing.Literal[
    "name", "member", "argument", "key", "string", "docstring", "comment", "number"
]


@dataclass(frozen=True, slots=True)
class Token:
    """kind: ``member`` behind a dot, ``argument`` of a call by its name, ``key`` of an object's field.

    of: what stands before a member's dot, the struct of a key, or the function that an argument is for, with
    the word before its dot (``super()`` too); ``declared`` for the name of a member where it is declared,
    ``shorthand`` for a key that is its value, too.
    """

    kind: TokenKind
    start: int
    end: int
    text: str
    of: str = ""
