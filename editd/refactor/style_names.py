"""The things that a style sheet calls by one name: a class, an id, a variable, a placeholder, and properties and elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from editd.syntax.code import Code
from editd.syntax.tokens import Token

STYLES = ("css", "scss", "less")
StyleKind = Literal["class", "id", "variable", "placeholder", "property"]
_SIGNS: dict[str, StyleKind] = {
    ".": "class",
    "#": "id",
    "$": "variable",
    "@": "variable",
    "%": "placeholder",
}


def by_sign(mentions: Sequence[Token], code: Code) -> dict[StyleKind, list[Token]]:
    """The mentions of a name by what they are, as the sign before them says: ``class``, ``id``, ``variable``,
    ``placeholder``; without one ``property`` for all that are left.
    """
    found: dict[StyleKind, list[Token]] = {}
    for token in mentions:
        sign = code.text[token.start - 1] if token.start else ""
        found.setdefault(_SIGNS.get(sign, "property"), []).append(token)
    return found
