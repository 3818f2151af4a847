"""The owner of a member: a class or enum of this file, or an object from elsewhere that has a member of the same name.

By how classes, objects and members are written; no types are inferred.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Collection
from pathlib import Path

from editd.syntax.code import read_code
from editd.syntax.language import SCRIPTS
from editd.syntax.places import Place, place_of
from editd.syntax.python_text import Function
from editd.syntax.tokens import Token
from editd.syntax.words import as_word

ITSELF = ("self", "this", "cls")
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


def of_one_class(
    name: str, owner: str, tokens: Collection[Token], text: str, language: str
) -> set[int] | None:
    """Offsets of the mentions of the member ``name`` of the class ``owner``; for ``self``, ``this`` or ``cls`` of
    the one class that has it. tokens: all of the text.

    In Rust the class is an enum, and the member one of its variants. ``None`` if the language is none of these, Python
    or a script, the class is not in the text or has no such member,
    ``self`` could be several classes, or no other class has the member, but ``self.name`` or a declaration of it
    stands outside the class. Classes of the file that inherit from each other share their members. Where another
    class has one of that name, too, ``object.name`` counts only if the object is made or declared as one of these;
    else always.
    """
    if language == "rust":
        return _of_enum(name, owner, tokens, text)
    if language != "python" and language not in SCRIPTS:
        return None
    defined = [x for x in read_code(text, language).definitions if x.owner]
    classes = {x.owner: place_of(x.owner, text, language) for x in defined}
    members = [t for t in tokens if t.text == name and t.kind == "member"]
    heads = [t.start for t in tokens if t.text == name and t.of == "declared"]
    if language == "python":
        heads += [
            start for place in classes.values() if place for start in _given_in(place, name, text)
        ]
    own = [t.start for t in members if t.of in ITSELF]
    having = {
        x
        for x, place in classes.items()
        if place and any(place.first <= start < place.last for start in (*own, *heads))
    } | {x.owner for x in defined if x.name == name}
    if owner in ITSELF:
        if len(having) != 1:
            return None
        (owner,) = having
    family = _family(owner, text)
    places = [place for x in family if (place := classes.get(x))]
    if not having & family or not places:
        return None
    inside = {
        start for start in (*own, *heads) for place in places if place.first <= start < place.last
    }
    others = having - family
    if not others and inside != {*own, *heads}:
        return None
    of_objects = {
        t.start
        for t in members
        if t.of not in ITSELF and (not others or _made_as(t.of, text) & family)
    }
    return inside | of_objects


def classes_apart(
    name: str, tokens: Collection[Token], text: str, language: str
) -> dict[str, Place]:
    """The classes of a Python or script text that have a member ``name`` and share it with no other one that has it, with
    their places; empty if these are not several, or one of those that have it shares it. tokens: all of the text.
    """
    if language != "python" and language not in SCRIPTS:
        return {}
    owners = dict.fromkeys(x.owner for x in read_code(text, language).definitions if x.owner)
    classes = {x: place for x in owners if (place := place_of(x, text, language))}
    members = {x: of_one_class(name, x, tokens, text, language) for x in classes}
    having = {x: classes[x] for x, found in members.items() if found}
    is_shared = any(_family(x, text) & set(having) != {x} for x in having)
    return having if len(having) > 1 and not is_shared else {}


def _family(owner: str, text: str) -> set[str]:
    """``owner`` and the classes of this file that inherit from it, or it from them, or that share a
    base with these, over any number of steps. Bases count by their names, dotted ones by each part.
    """
    pairs = [
        {name, base}
        for name, bases in re.findall(r"\bclass\s+(\w+)\s*(?:\(|extends\s+)([\w., ]*)", text)
        for base in re.findall(r"\w+", bases)
    ]
    family = {owner}
    while grown := [pair for pair in pairs if pair & family and not pair <= family]:
        family |= set().union(*grown)
    return family


def _made_as(name: str, text: str) -> set[str]:
    """The names of what a variable is made or declared as: ``cart = Cart()``, ``cart: Cart``.
    Anywhere in the text, functions that are called so included; empty for an empty name.
    """
    if not name:
        return set()
    word = re.escape(name)
    return set(
        re.findall(rf"\b{word}\s*(?::[^=\n,)]*?)?=\s*(?:new\s+)?(\w+)\s*\(", text)
        + re.findall(rf"\b{word}\s*:\s*\"?(\w+)", text)
    )


def _given_in(place: Place, name: str, text: str) -> list[int]:
    """Offsets at which the body of a Python class gives a method or a variable this name; a name in
    a method does not count. Empty if the text does not parse. place: of the class.
    """
    python = read_code(text, "python").python
    if python is None:
        return []
    found = []
    for node in python.definitions(place.name):
        for statement in node.body if isinstance(node, ast.ClassDef) else ():
            start, end = python.span(statement)
            if isinstance(statement, Function) and statement.name == name:
                head = re.compile(r"(?:async\s+)?def\s+").match(text, start)
                found += [head.end()] if head else []
            elif isinstance(statement, ast.Assign | ast.AnnAssign) and text.startswith(name, start):
                found += [start] if as_word(name).match(text, start, end) else []
    return found


def is_member(name: str, uses: Collection[Token], text: str, language: str) -> bool:
    """Whether the text declares a member of that name. uses: the tokens that are this name."""
    return any(x.name == name and x.owner for x in read_code(text, language).definitions) or any(
        (token.kind == "member" and token.of in (*ITSELF, "Self"))
        or (token.kind == "name" and token.of == "declared")
        for token in uses
    )


def is_of_struct(struct: str, uses: Collection[Token], text: str, language: str) -> bool:
    """Whether one of ``uses``, the tokens that are the name, declares it on a line of a definition of ``struct`` in
    the text; always for ``Self``.
    """
    heads = [text.count("\n", 0, token.start) for token in uses if token.of == "declared"]
    blocks = [x for x in read_code(text, language).definitions if x.is_block and x.name == struct]
    return struct == "Self" or any(x.start <= at < x.end for x in blocks for at in heads)


def may_be_anothers(name: str, uses: Collection[Token], text: str, language: str) -> bool:
    """Whether some mention of a member may be a list's, a string's or the like: ``seen.add(x)``.

    Only if the name is, in any case, that of a method of such types, and not if every mention is behind ``self``,
    ``this`` or ``cls``, or behind an object that is called like a class of this file or made or declared as one.
    uses: the tokens that are the name.
    """
    common = _METHODS if language == "python" else _METHODS_ELSEWHERE
    if name.lower() not in common:
        return False
    classes = "|".join(
        {re.escape(x.owner) for x in read_code(text, language).definitions if x.owner}
    )
    if not classes:
        return any(token.kind == "member" and token.of not in ITSELF for token in uses)
    made = rf"\b(?:{{0}})\b[\s:=&*]*(?:new\s+)?(?:{classes})\b|\b(?:{classes})\b[\s&*]+(?:{{0}})\b"
    return not all(
        token.of in ITSELF
        or re.fullmatch(classes, token.of, re.IGNORECASE)
        or (token.of and re.search(made.format(re.escape(token.of)), text))
        for token in uses
        if token.kind == "member"
    )


def _of_enum(name: str, owner: str, tokens: Collection[Token], text: str) -> set[int] | None:
    """Offsets of the variant ``name`` of the Rust enum ``owner`` and of its mentions as ``owner::name`` and, in an
    ``impl`` of the enum, ``Self::name``; ``None`` if there is no such enum or variant, or the name is mentioned in
    another way.
    """
    body = re.search(
        rf"(?ms)^(?P<lead>[ \t]*)(?:pub(?:\(\w+\))? )?enum {re.escape(owner)}\b.*?^(?P=lead)\}}",
        text,
    )
    if body is None:
        return None
    found = [token for token in tokens if token.text == name and token.kind in ("name", "member")]
    impls = [
        at.span()
        for at in re.finditer(rf"(?ms)^impl\b[^{{\n]*\b{re.escape(owner)} \{{.*?^\}}", text)
    ]
    variants = [x for x in found if x.kind == "name" and body.start() < x.start < body.end()]
    uses = [
        x
        for x in found
        if x.of == owner or (x.of == "Self" and any(a < x.start < b for a, b in impls))
    ]
    is_all = len(variants) == 1 and len(variants) + len(uses) == len(found)
    return {x.start for x in found} if is_all else None


def variants_of(name: str, tokens: Collection[Token], text: str) -> set[int] | None:
    """Offsets of the mentions of ``name`` as a variant of the only Rust enum that has it; ``None`` if no or several enums
    have it, or the name is mentioned in another way.
    """
    enums = dict.fromkeys(re.findall(r"(?m)^[ \t]*(?:pub(?:\(\w+\))? )?enum (\w+)", text))
    found = [x for owner in enums if (x := _of_enum(name, owner, tokens, text)) is not None]
    return found[0] if len(found) == 1 else None
