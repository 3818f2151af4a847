"""Why a name cannot be renamed as the words say: the new one is no name of the language, or it is taken.

A name is taken if something of that name would become the same thing: in the same scope of Python or one around it, in
the same class, in the innermost definition of other languages. Elsewhere a second thing of that name does not matter.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Collection, Iterator

from editd.intent.intents import Rename
from editd.syntax.code import read_code
from editd.syntax.keywords import keywords_of
from editd.syntax.lines import line_starts, split
from editd.syntax.outline import outline
from editd.syntax.python_text import Function, PythonText, symbols_of
from editd.syntax.scopes import Place
from editd.syntax.tokens import Token

Chain = tuple[symtable.SymbolTable, ...]
"""A scope, and those around it from the inside out."""


def unfit_name(intent: Rename, text: str, renamed: str, language: str) -> str:
    """The sentence that says why the new name is none in this language; empty if it is one, or that is unknown.

    renamed: the text with the new name.
    """
    new = intent.new
    if new in keywords_of(language):
        return f"“{new}” is a keyword and cannot be a name; choose another one."
    if read_code(text, language).parses and read_code(renamed, language).parses is False:
        return f"“{new}” cannot stand where “{intent.old}” does; choose another name."
    return ""


def taken_name(
    intent: Rename,
    tokens: Collection[Token],
    python: PythonText | None,
    text: str,
    language: str,
    place: Place | None = None,
) -> str:
    """The sentence that says where the new name is taken; empty if it is free, or that is unknown.

    tokens: those of the text, or of ``place`` if the name is renamed there alone.
    """
    old, new = intent.old, intent.new
    uses = [token.start for token in tokens if token.text == new]
    if python is None:
        uses = _sharing_a_definition(old, new, tokens, text, language)
    elif not (_share_a_scope(old, new, python, place) or _share_a_class(old, new, python)):
        uses = []
    if not uses:
        return ""
    line = text.count("\n", 0, min(uses)) + 1
    return (
        f"“{new}” is taken (line {line}), and “{old}” would become the same; choose another name."
    )


def is_free_in_python(old: str, new: str, python: PythonText, place: Place | None) -> bool:
    """Whether a whole Python file has nothing that becomes the same as ``old``, or is hidden, once that is ``new``."""
    return not python.is_part and not (
        _share_a_scope(old, new, python, place) or _share_a_class(old, new, python)
    )


def _share_a_scope(old: str, new: str, python: PythonText, place: Place | None) -> bool:
    """Whether a scope with one of the names finds the other in itself or around it; also where that is unknown."""
    module = None if python.is_part else symbols_of(python.text)
    if module is None:
        return True
    chains = [chain for chain in _chains(module, ()) if place is None or _is_in(chain[0], place)]
    return any(
        name in chain[0].get_identifiers()
        and any(other in table.get_identifiers() for table in _up_to_binding(name, chain))
        for name, other in ((old, new), (new, old))
        for chain in chains
    )


def _chains(table: symtable.SymbolTable, around: Chain) -> Iterator[Chain]:
    """Yield each scope below ``table`` with the scopes around it, from the inside out."""
    yield (table, *around)
    for child in table.get_children():
        yield from _chains(child, (table, *around))


def _is_in(table: symtable.SymbolTable, place: Place) -> bool:
    """Whether the scope begins in the place."""
    return table.get_type() != "module" and place.start < table.get_lineno() <= place.end


def _up_to_binding(name: str, chain: Chain) -> Iterator[symtable.SymbolTable]:
    """The scopes in which ``name`` is looked up, to the one that binds it; of classes only the first."""
    for number, table in enumerate(chain):
        if number and table.get_type() == "class":
            continue
        yield table
        if name in table.get_identifiers() and table.lookup(name).is_local():
            return


def _share_a_class(old: str, new: str, python: PythonText) -> bool:
    """Whether a class has members of both names."""
    return any(
        {old, new} <= set(_members(node))
        for node in ast.walk(python.tree)
        if isinstance(node, ast.ClassDef)
    )


def _members(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names of the methods of a class, and of the attributes that it sets on itself."""
    for statement in node.body:
        if isinstance(statement, Function):
            yield statement.name
    for part in ast.walk(node):
        match part:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name


def _sharing_a_definition(
    old: str, new: str, tokens: Collection[Token], text: str, language: str
) -> list[int]:
    """Offsets of ``new`` in definitions that are the innermost around some mention of ``old``."""
    lines = split(text)
    starts = line_starts(lines)
    blocks = [
        (starts[definition.start], starts[definition.end])
        for definition in outline(lines, language)
        if definition.is_block
    ]

    def home(token: Token) -> tuple[int, int]:
        around = [block for block in blocks if block[0] <= token.start < block[1]]
        return min(around, key=lambda block: block[1] - block[0], default=(0, len(text)))

    names = [token for token in tokens if token.kind == "name" and not token.of]
    homes = {home(token) for token in names if token.text == old}
    return [token.start for token in names if token.text == new and home(token) in homes]
