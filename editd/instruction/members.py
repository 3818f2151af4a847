"""Whose a member is: of a class of this file, or of an object from elsewhere that has one of the same name."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Collection
from pathlib import Path

from editd.instruction.literal import as_word
from editd.instruction.places import Place, place_of
from editd.instruction.python_text import Function, read_python
from editd.instruction.syntax import SCRIPTS, Token, split
from editd.prompts.outline import outline

_ITSELF = ("self", "this", "cls")


def of_one_class(
    name: str, owner: str, tokens: Collection[Token], text: str, language: str
) -> set[int] | None:
    """Where the member ``name`` of the class ``owner`` stands; ``None`` where another may have it, too."""
    if language != "python" and language not in SCRIPTS:
        return None
    defined = outline(split(text), language)
    owners = {one.owner for one in defined if one.name == name and one.owner}
    classes = {one.owner for one in defined if one.owner} if owner in _ITSELF else {owner}
    members = [t for t in tokens if t.text == name and t.kind == "member"]
    own = [token.start for token in members if token.of in _ITSELF]
    places = [place for one in classes if (place := place_of(one, text, language))]
    places = [one for one in places if all(one.first <= start < one.last for start in own)]
    if len(places) != 1 or not owners <= {places[0].name} or not (owners or own):
        return None
    place = places[0]
    heads = _given_in(place, name, text) if language == "python" else []
    heads += [t.start for t in tokens if t.text == name and t.of == "declared"]
    if not all(place.first <= start < place.last for start in heads):
        return None
    return {*heads, *(token.start for token in members)}


def _given_in(place: Place, name: str, text: str) -> list[int]:
    """Where a Python class gives its body's own things this name."""
    python = read_python(text)
    if python is None:
        return []
    found = []
    for node in python.definitions(place.name):
        for one in node.body if isinstance(node, ast.ClassDef) else ():
            start, end = python.span(one)
            if isinstance(one, Function) and one.name == name:
                head = re.compile(r"(?:async\s+)?def\s+").match(text, start)
                found += [head.end()] if head else []
            elif isinstance(one, ast.Assign | ast.AnnAssign) and text.startswith(name, start):
                found += [start] if as_word(name).match(text, start, end) else []
    return found


def is_member(name: str, uses: Collection[Token], text: str, language: str) -> bool:
    """Whether a member of that name is declared here; uses: of the name."""
    return any(one.name == name and one.owner for one in outline(split(text), language)) or any(
        (token.kind == "member" and token.of in (*_ITSELF, "Self"))
        or (token.kind == "name" and token.of == "declared")
        for token in uses
    )


def is_of_struct(struct: str, uses: Collection[Token], text: str, language: str) -> bool:
    """Whether the struct of this file has a member of that name."""
    heads = [text.count("\n", 0, token.start) for token in uses if token.of == "declared"]
    blocks = [one for one in outline(split(text), language) if one.is_block and one.name == struct]
    return struct == "Self" or any(one.start <= at < one.end for one in blocks for at in heads)


def may_be_anothers(name: str, uses: Collection[Token], text: str, language: str) -> bool:
    """Whether a member is perhaps one of a list, a string or the like: ``seen.add(x)``."""
    common = _METHODS if language == "python" else _METHODS_ELSEWHERE
    if name.lower() not in common:
        return False
    classes = "|".join(
        {re.escape(one.owner) for one in outline(split(text), language) if one.owner}
    )
    if not classes:
        return any(token.kind == "member" and token.of not in _ITSELF for token in uses)
    made = rf"\b(?:{{0}})\b[\s:=&*]*(?:new\s+)?(?:{classes})\b|\b(?:{classes})\b[\s&*]+(?:{{0}})\b"
    return not all(
        token.of in _ITSELF
        or re.fullmatch(classes, token.of, re.IGNORECASE)
        or (token.of and re.search(made.format(re.escape(token.of)), text))
        for token in uses
        if token.kind == "member"
    )


_METHODS = frozenset(
    name
    for kind in (str, bytes, list, dict, set, io.TextIOWrapper, Path, re.Match)
    for name in dir(kind)
)
_METHODS_ELSEWHERE = frozenset(
    """
    add addall append at catch clear clone close collect concat contains delete drop emit entries equals error every
    fill filter find findindex flat flatmap foreach format get has hash includes indexof insert is_empty isempty iter
    join keys len length lines lock map match name new next on parse pop push put read reduce remove replace reverse
    run send set shift size slice some sort splice split start startswith endswith stop string substring test then
    to_string tostring trim unlock unshift unwrap value values wait write
    """.split()  # noqa: SIM905 - in lower case
)
