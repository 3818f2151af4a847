"""Scopes of a Python text: which names are local to a definition, bound somewhere, or share a scope or a class.

By ``symtable`` and the syntax tree.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator

from editd.syntax.places import Place
from editd.syntax.python_text import Function, PythonText, symbols_of

_Chain = tuple[symtable.SymbolTable, ...]
"""A scope, and those around it from the inside out."""


def is_local(name: str, place: Place, python: PythonText | None) -> bool:
    """Whether a Python name is local to the place: a scope in it binds the name, none has it as a
    global, and neither decorators, defaults nor bases at its head use it. place: as of ``place_of``, so in no function.

    Never in an indented part of a file, or for what does not parse or has errors of scope.
    """
    if python is None or python.is_part:
        return False

    def is_here(line: int) -> bool:
        return place.start < line <= place.end

    def uses(table: symtable.SymbolTable, *, is_inner: bool) -> Iterator[symtable.Symbol]:
        is_inner = is_inner or (table.get_type() != "module" and is_here(table.get_lineno()))
        if is_inner and name in table.get_identifiers():
            yield table.lookup(name)
        for child in table.get_children():
            yield from uses(child, is_inner=is_inner)

    module = symbols_of(python.text)
    used = list(uses(module, is_inner=False)) if module is not None else []
    if not any(x.is_local() for x in used) or any(x.is_global() for x in used):
        return False
    heads = [
        part
        for node in python.definitions(place.name)
        if python.last(node) + 1 == place.end
        for part in _head(node)
    ]
    return not any(
        isinstance(x, ast.Name) and x.id == name for part in heads for x in ast.walk(part)
    )


def _head(node: Function | ast.ClassDef) -> list[ast.AST]:
    """The parts of a definition that are evaluated in the scope around it: decorators, and a
    function's defaults or a class's bases and keywords; annotations are left out.
    """
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    arguments = node.args
    defaults = [x for x in (*arguments.defaults, *arguments.kw_defaults) if x is not None]
    return [*node.decorator_list, *defaults]


def share_a_scope(old: str, new: str, python: PythonText, place: Place | None) -> bool:
    """Whether a scope that mentions one of the names finds the other in itself or in the scopes around it, up to
    the one that binds the first. True also if that is unknown: in an indented part of a file, or with errors of
    scope.

    place: only scopes in these lines are looked at, by default all.
    """
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


def _chains(table: symtable.SymbolTable, around: _Chain) -> Iterator[_Chain]:
    """Yield ``table`` and each scope below it with the scopes around it, itself first, from the
    inside out. around: the scopes around ``table``.
    """
    yield (table, *around)
    for child in table.get_children():
        yield from _chains(child, (table, *around))


def _is_in(table: symtable.SymbolTable, place: Place) -> bool:
    """Whether the scope begins in the place."""
    return table.get_type() != "module" and place.start < table.get_lineno() <= place.end


def _up_to_binding(name: str, chain: _Chain) -> Iterator[symtable.SymbolTable]:
    """Yield the scopes in which ``name`` is looked up, from the inside to the one that binds it, or all if none
    does; a class counts only as the innermost.
    """
    for number, table in enumerate(chain):
        if number and table.get_type() == "class":
            continue
        yield table
        if name in table.get_identifiers() and table.lookup(name).is_local():
            return


def share_a_class(old: str, new: str, python: PythonText) -> bool:
    """Whether a class has members of both names."""
    return any(
        {old, new} <= set(_members(node))
        for node in ast.walk(python.tree)
        if isinstance(node, ast.ClassDef)
    )


def _members(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names of the methods of a class and of the attributes that it sets on ``self`` or
    ``cls``; some may come twice.
    """
    for statement in node.body:
        if isinstance(statement, Function):
            yield statement.name
    for part in ast.walk(node):
        match part:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name


def binds(name: str, python: PythonText) -> bool:
    """Whether the text has a parameter of that name, or gives a variable of that name a value."""
    return any(
        (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        for node in ast.walk(python.tree)
    )


def redefines(name: str, python: PythonText) -> bool:
    """Whether the text binds the name, defines a function of that name that is no method, or imports something as it."""
    methods = {
        id(statement)
        for node in ast.walk(python.tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
    }
    return binds(name, python) or any(
        (isinstance(node, Function) and node.name == name and id(node) not in methods)
        or (isinstance(node, ast.alias) and (node.asname or node.name) == name)
        for node in ast.walk(python.tree)
    )


def names_in(node: ast.AST) -> set[str]:
    """The names that an expression reads or binds."""
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}


def names_in_type(hint: str) -> list[str]:
    """The names in a type, from the outside in. Raises ``SyntaxError`` if it is no expression."""
    return [node.id for node in ast.walk(ast.parse(hint)) if isinstance(node, ast.Name)]


def names_in_header(function: Function) -> set[str]:
    """The names in the decorators, defaults and annotations of a function."""
    parts = [*function.decorator_list, function.args, *filter(None, [function.returns])]
    return {name for part in parts for name in names_in(part)}


def names_known_to(function: Function | ast.stmt, python: PythonText) -> set[str]:
    """Names that an annotation of a function or a statement may use: builtins, imports, assigned
    names of any scope, and classes that end above it.

    With ``from __future__ import annotations`` any class of the file; ``*`` if something is
    imported so.
    """
    is_late = "from __future__ import annotations" in python.text
    known = set(dir(builtins))
    for node in ast.walk(python.tree):
        if isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
        elif isinstance(node, ast.ClassDef):  # inside of itself a class is not known yet
            end = node.end_lineno or node.lineno
            known |= {node.name} if is_late or end < function.lineno else set()
    return known
