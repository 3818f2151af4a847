"""What is particular of names in Python.

Those of Python itself, and strings that are names; whose a member is, of a class of this file or of an object from
elsewhere that has one of the same name; which calls mean a parameter of this file by ``name=``.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
import symtable
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from editd.syntax.code import read_code
from editd.syntax.language import SCRIPTS
from editd.syntax.lines import split
from editd.syntax.outline import outline
from editd.syntax.python_text import Function, PythonText, symbols_of
from editd.syntax.scopes import Place, place_of
from editd.syntax.tokens import Token
from editd.syntax.words import as_word, mentions_of

# ``__all__``, ``__slots__`` and what pytest gives a test.
_LISTED = re.compile(
    r"(?ms)^\s*__(?:all|slots|match_args)__\b[^\n=]*\+?=\s*[\[(].*?[\])]"
    r"|\bparametrize\(\s*(?:[\[(][^\])]*[\])]|(?=[\"'])[^\n]{0,200}?[\"'],\s)"
)
_ITSELF = ("self", "this", "cls")
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


def is_builtin(name: str, python: PythonText) -> bool:
    """Whether it is Python's somewhere, which a file cannot rename."""
    if re.fullmatch("__.*__", name):
        return True
    if python.is_part or name not in dir(builtins):
        return False
    module = symbols_of(python.text)
    if module is None:
        return True
    given = name in module.get_identifiers() and module.lookup(name)
    if given and (given.is_assigned() or given.is_imported()):
        return False
    return any(
        one.is_referenced() and (one.is_global() or one is given) for one in _uses(name, module)
    ) or any(
        isinstance(x, ast.Name) and x.id == name for hint in _hints(python) for x in ast.walk(hint)
    )


def _uses(name: str, table: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    if name in table.get_identifiers():
        yield table.lookup(name)
    for child in table.get_children():
        yield from _uses(name, child)


def in_strings(name: str, strings: Collection[Token], python: PythonText) -> list[tuple[int, int]]:
    """Start and end of the name where a string is it: in what a module exports, and in annotations in quotes."""
    listed = [at.span() for at in _LISTED.finditer(python.text)]
    exported = [one for one in strings if any(a <= one.start < b for a, b in listed)]
    starts = {
        python.span(one)[0]
        for hint in _hints(python)
        if "Literal" not in ast.unparse(hint)
        for one in ast.walk(hint)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }
    quoted = mentions_of(name, [one for one in strings if one.start in starts])
    own = [span for span in quoted if python.text[span[0] - 1] != "."]
    return mentions_of(name, exported) + own


def _hints(python: PythonText) -> Iterator[ast.expr]:
    """The types that are written down."""
    for node in ast.walk(python.tree):
        for field in ("annotation", "returns"):
            if (hint := getattr(node, field, None)) is not None:
                yield hint


def of_one_class(
    name: str, owner: str, tokens: Collection[Token], text: str, language: str
) -> set[int] | None:
    """Where the member ``name`` of the class ``owner`` stands; ``None`` if it has none or that is not known.

    A class that inherits from it, or the other way round, shares the member. Does another class have one, too, then a
    member of an object is its own where the object is made or declared as one of these.
    """
    if language != "python" and language not in SCRIPTS:
        return None
    lines = split(text)
    defined = [one for one in outline(lines, language) if one.owner]
    classes = {one.owner: place_of(one.owner, text, language) for one in defined}
    members = [t for t in tokens if t.text == name and t.kind == "member"]
    heads = [t.start for t in tokens if t.text == name and t.of == "declared"]
    if language == "python":
        heads += [
            start for place in classes.values() if place for start in _given_in(place, name, text)
        ]
    own = [t.start for t in members if t.of in _ITSELF]
    having = {
        one
        for one, place in classes.items()
        if place and any(place.first <= start < place.last for start in (*own, *heads))
    } | {one.owner for one in defined if one.name == name}
    if owner in _ITSELF:
        if len(having) != 1:
            return None
        (owner,) = having
    family = _family(owner, text)
    places = [place for one in family if (place := classes.get(one))]
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
        if t.of not in _ITSELF and (not others or _made_as(t.of, text) & family)
    }
    return inside | of_objects


def _family(owner: str, text: str) -> set[str]:
    """The classes of this file that inherit from each other, ``owner`` among them."""
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
    """The classes as whose objects a name is made or declared: ``cart = Cart()``, ``cart: Cart``."""
    if not name:
        return set()
    word = re.escape(name)
    return set(
        re.findall(rf"\b{word}\s*(?::[^=\n,)]*?)?=\s*(?:new\s+)?(\w+)\s*\(", text)
        + re.findall(rf"\b{word}\s*:\s*\"?(\w+)", text)
    )


def _given_in(place: Place, name: str, text: str) -> list[int]:
    """Where a Python class gives its body's own things this name."""
    python = read_code(text, "python").python
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


@dataclass(frozen=True, slots=True)
class Callees:
    """What takes the name as a parameter: functions and classes by their names, and methods."""

    functions: frozenset[str] = frozenset()
    methods: tuple[str, ...] = ()

    def take(self, called: str) -> bool:
        """``called``: with the last word before its dot."""
        owner, _, name = called.rpartition(".")
        if owner == "super()":  # that of the class itself is not meant
            return self.methods.count(name) > 1
        return name in (self.methods if owner else self.functions)


def callees(name: str, tree: ast.Module) -> Callees:
    """What of a Python text takes ``name``."""
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    inside = [one for node in classes.values() for one in node.body if isinstance(one, Function)]
    functions = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, Function) and node not in inside and _takes(node, name)
    }
    functions |= {
        made for made in classes if any(_makes(one, name) for one in _with_bases(classes, made))
    }
    return Callees(frozenset(functions), tuple(one.name for one in inside if _takes(one, name)))


def _takes(function: Function, name: str) -> bool:
    given = function.args
    return any(one.arg == name for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))


def _makes(node: ast.ClassDef, name: str) -> bool:
    """Whether objects of the class are made with ``name``: by its ``__init__``, or as a field of a dataclass."""
    return any(
        (isinstance(one, Function) and one.name in ("__init__", "__new__") and _takes(one, name))
        or (
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and one.target.id == name
        )
        for one in node.body
    )


def _with_bases(classes: dict[str, ast.ClassDef], name: str) -> Iterator[ast.ClassDef]:
    """The class and those of this file that it inherits from."""
    waiting, known = [name], set[str]()
    while waiting:
        one = waiting.pop()
        if one in classes and one not in known:
            known.add(one)
            yield classes[one]
            waiting += [base.id for base in classes[one].bases if isinstance(base, ast.Name)]
