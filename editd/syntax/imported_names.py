"""Where an import asks another module for a name: that module goes on calling it so, and an alias keeps both.

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
    """Where a name is asked of another module.

    asked: starts of what that module calls so. unnamed: those of them that are called the same here, so that an
    alias keeps both. exported: ends of what other modules ask this one for by its name alone. is_unsure: no alias can.
    """

    asked: set[int] = field(default_factory=set)
    unnamed: set[int] = field(default_factory=set)
    is_unsure: bool = False
    exported: set[int] = field(default_factory=set)


def of_python(name: str, python: PythonText) -> ImportedNames:
    """``name`` in the imports of a Python text."""
    asked, unnamed, is_unsure = set(), set(), False
    for node in ast.walk(python.tree):
        if not isinstance(node, PYTHON_IMPORTS):
            continue
        start, end = python.span(node)
        asked |= {start + at.start() for at in as_word(name).finditer(python.text[start:end])}
        for one in node.names:
            first, last = python.span(one)
            if one.asname == name:
                asked.discard(last - len(name))
            elif one.name == name and one.asname is None:
                unnamed.add(first)
            is_unsure |= one.asname is None and one.name.startswith(f"{name}.")
    return ImportedNames(asked, unnamed, is_unsure)


def of_tree(name: str, tree: Tree) -> ImportedNames:
    """``name`` in the imports of another language."""
    asked, unnamed, exported, is_unsure = set(), set(), set(), False
    for node in tree.nodes("identifier", "type_identifier"):
        if tree.code(node) != name:
            continue
        use = _use_of(node)
        if use in ("asked", "unnamed"):
            asked.add(tree.offset(node.start_byte))
        if use == "unnamed":
            unnamed.add(tree.offset(node.start_byte))
        if use == "exported":
            exported.add(tree.offset(node.end_byte))
        is_unsure |= use == "unsure"
    return ImportedNames(asked, unnamed, is_unsure, exported)


def _use_of(node: Node) -> str:
    """Of an identifier in an import: ``asked``, ``unnamed``, ``exported``, ``unsure``, or ``""`` for a name of this file."""
    parent = node.parent
    if parent is None:
        return ""
    if parent.type in ("import_specifier", "export_specifier", "use_as_clause"):
        return _use_beside_alias(node, parent)
    if parent.type == "use_list":
        return "unnamed"
    return _use_in_path(node, parent)


def _use_beside_alias(node: Node, specifier: Node) -> str:
    """In ``{a as b}`` or ``use a as b``."""
    statement = specifier
    while statement.parent is not None and not statement.type.endswith(
        ("statement", "declaration")
    ):
        statement = statement.parent
    alias = specifier.child_by_field_name("alias")
    if statement.type == "export_statement" and not statement.child_by_field_name("source"):
        if alias is None:
            return "exported"
        return "asked" if alias == node else ""
    if alias == node:
        return ""
    return "unnamed" if alias is None and specifier.type == "import_specifier" else "asked"


def _use_in_path(node: Node, parent: Node) -> str:
    """In ``use a::b`` or ``import a.b``: only the last step of a path is a name of this file, too."""
    path = node
    while path.parent is not None and path.parent.type.startswith("scoped_"):
        path = path.parent
    top = path
    while top.parent is not None and top.type in _WITHIN_A_USE:
        top = top.parent
    if top.type == "use_declaration":
        is_last = parent.child_by_field_name("name") == node and path == parent
        has_alias = path.parent is not None and path.parent.type == "use_as_clause"
        return "unnamed" if is_last and path.parent is not None and not has_alias else "asked"
    return "unsure" if top.type == "import_declaration" and path != node else ""
