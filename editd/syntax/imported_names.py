"""Where an import or export names something of another module: that module keeps the name, and an alias gives another one here.

Of Python by its own parser, of JavaScript, TypeScript, Rust and Java by tree-sitter.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from editd.syntax.imports import PYTHON_IMPORTS
from editd.syntax.python_text import PythonText
from editd.syntax.trees import Node, Tree
from editd.syntax.words import as_word

_WITHIN_A_USE = ("use_list", "use_as_clause", "scoped_identifier", "scoped_use_list")


@dataclass(frozen=True, slots=True)
class ImportedNames:
    """Where a name stands in imports and exports.

    foreign: offsets where it is another module's name for something. unnamed: those of them without an alias, so that the
    file calls it the same. exported: the end of each mention by which other modules know it, without an alias. is_unsure:
    some import gives the name in a way that no alias can change.
    """

    foreign: set[int] = field(default_factory=set)
    unnamed: set[int] = field(default_factory=set)
    is_unsure: bool = False
    exported: set[int] = field(default_factory=set)


def of_python(name: str, python: PythonText) -> ImportedNames:
    """Where ``name`` stands in the imports of a Python text: ``foreign`` wherever it is a word but as an alias,
    ``unnamed`` also where the import gives it without an alias, so that the file uses it, too.

    Unsure if a module ``name.…`` is imported without an alias.
    """
    foreign, unnamed, is_unsure = set(), set(), False
    for node in ast.walk(python.tree):
        if not isinstance(node, PYTHON_IMPORTS):
            continue
        start, end = python.span(node)
        foreign |= {start + at.start() for at in as_word(name).finditer(python.text[start:end])}
        for alias in node.names:
            first, last = python.span(alias)
            if alias.asname == name:
                foreign.discard(last - len(name))
            elif alias.name == name and alias.asname is None:
                unnamed.add(first)
            is_unsure |= alias.asname is None and alias.name.startswith(f"{name}.")
    return ImportedNames(foreign, unnamed, is_unsure)


def of_tree(name: str, tree: Tree) -> ImportedNames:
    """Where ``name`` stands as an identifier in the imports and exports of a text in another language than Python:
    ``foreign``, and those of them that are ``unnamed``, by its starts, ``exported`` (JavaScript's ``export { name }`` without
    alias and module) by its ends; unsure if one use cannot be told.
    """
    foreign, unnamed, exported, is_unsure = set(), set(), set(), False
    for node in tree.nodes("identifier", "type_identifier"):
        if tree.code(node) != name:
            continue
        use = _use_of(node)
        if use in ("foreign", "unnamed"):
            foreign.add(tree.offset(node.start_byte))
        if use == "unnamed":
            unnamed.add(tree.offset(node.start_byte))
        if use == "exported":
            exported.add(tree.offset(node.end_byte))
        is_unsure |= use == "unsure"
    return ImportedNames(foreign, unnamed, is_unsure, exported)


def _use_of(node: Node) -> str:
    """The part of an identifier in an import: ``foreign`` (the other module's name), ``unnamed``
    (in this file, too, since no alias is given), ``exported`` (in an export without alias),
    ``unsure`` (within a Java path).

    Empty for a name of this file: an alias, and an identifier in no import or export.
    """
    parent = node.parent
    if parent is None:
        return ""
    if parent.type in ("import_specifier", "export_specifier", "use_as_clause"):
        return _use_beside_alias(node, parent)
    if parent.type == "use_list":
        return "unnamed"
    return _use_in_path(node, parent)


def _use_beside_alias(node: Node, specifier: Node) -> str:
    """As ``_use_of``, for an identifier in ``{a as b}`` or ``use a as b``: ``a`` is ``foreign``, or ``unnamed`` if
    it is imported as ``{a}`` without an alias; ``b`` is this file's name, hence empty. In an export without a
    module ``a`` is empty and ``b`` is ``foreign``, and a name without alias ``exported``.
    """
    statement = specifier
    while statement.parent is not None and not statement.type.endswith(
        ("statement", "declaration")
    ):
        statement = statement.parent
    alias = specifier.child_by_field_name("alias")
    if statement.type == "export_statement" and not statement.child_by_field_name("source"):
        if alias is None:
            return "exported"
        return "foreign" if alias == node else ""
    if alias == node:
        return ""
    return "unnamed" if alias is None and specifier.type == "import_specifier" else "foreign"


def _use_in_path(node: Node, parent: Node) -> str:
    """As ``_use_of``, in ``use a::b`` or ``import a.b``: the last step of a Rust path without an
    alias is ``unnamed``, other steps are ``foreign``; steps of a Java path are ``unsure``. Empty
    outside of both.
    """
    path = node
    while path.parent is not None and path.parent.type.startswith("scoped_"):
        path = path.parent
    top = path
    while top.parent is not None and top.type in _WITHIN_A_USE:
        top = top.parent
    if top.type == "use_declaration":
        is_last = parent.child_by_field_name("name") == node and path == parent
        has_alias = path.parent is not None and path.parent.type == "use_as_clause"
        return "unnamed" if is_last and path.parent is not None and not has_alias else "foreign"
    return "unsure" if top.type == "import_declaration" and path != node else ""
