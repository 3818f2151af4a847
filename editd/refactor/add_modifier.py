"""Puts a modifier before a definition or all fields: ``final``, ``readonly``, ``private``, ``public``, ``export``.

A.java, "make the fields final"::

    class A {
        private Clock clock;

        A(Clock clock) {
            this.clock = clock;
        }
    }

becomes::

    class A {
        private final Clock clock;

        A(Clock clock) {
            this.clock = clock;
        }
    }

a.ts, "export load"::

    function load() {
      return 1;
    }

becomes::

    export function load() {
      return 1;
    }
"""

from __future__ import annotations

import re

from editd.intent.intents import AddModifier
from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.trees import Node, Tree, nodes_in

_FIELDS = {
    "java": "field_declaration",
    "typescript": "public_field_definition",
    "tsx": "public_field_definition",
}
_MEMBERS = (
    "method_declaration",
    "method_definition",
    "field_declaration",
    "public_field_definition",
)
_TYPES = ("class_declaration", "interface_declaration")
_VISIBLE = re.compile(r"\b(?:public|private|protected)\b ?")
_WORDS = {
    "java": ("final", "private", "public"),
    "typescript": ("readonly", "private", "public"),
    "tsx": ("readonly", "private", "public"),
}
_BEFORE = re.compile(r"(?:(?:public|private|protected|static|declare|override) )*")


def add_modifier(intent: AddModifier, code: Code) -> Candidates | None:
    """The text with the modifier, as a certain candidate; ``private`` and ``public`` take the place of another visibility.

    ``None`` in languages that have no such word; if not exactly one definition has the name, or no field is there; for a
    field that is to be constant and is assigned outside of constructors, or never.
    """
    tree, language = code.tree, code.language
    if tree is None:
        return None
    if intent.word == "export":
        return _exported(intent.name, tree, code) if language in SCRIPTS else None
    if intent.word not in _WORDS.get(language, ()):
        return None
    nodes = _named(intent, tree) if intent.name else _fields(intent.owner, tree, language)
    if nodes is None:
        return None
    spans: Spans = []
    for node in nodes:
        start, head = _head(node, tree)
        if re.search(rf"\b{intent.word}\b", head):
            continue
        is_field = node.type == _FIELDS[language]
        if intent.word in ("final", "readonly"):
            if is_field and not _is_constant(node, tree):
                return None
            if not is_field and (language != "java" or node.type != "class_declaration"):
                return None
            begin = _BEFORE.match(head)
            at = start + (begin.end() if begin else 0)
            spans.append((at, at, f"{intent.word} "))
        elif visible := _VISIBLE.search(head):
            spans.append((start + visible.start(), start + visible.end(), f"{intent.word} "))
        else:
            spans.append((start, start, f"{intent.word} "))
    return Candidates((with_spans(code.text, spans),), is_certain=True) if spans else None


def _name(node: Node, tree: Tree) -> str:
    """The name of a definition; of a field that of its only variable, empty for several."""
    name = node.child_by_field_name("name")
    declarators = [x for x in node.named_children if x.type == "variable_declarator"]
    if name is None and len(declarators) == 1:
        name = declarators[0].child_by_field_name("name")
    return tree.code(name) if name is not None else ""


def _named(intent: AddModifier, tree: Tree) -> list[Node] | None:
    """The one definition with the name; ``None`` if there is none, or several."""
    kinds = _TYPES if intent.kind in ("class", "interface") else (*_MEMBERS, *_TYPES)
    found = [x for x in tree.nodes(*kinds) if _name(x, tree) == intent.name]
    return found if len(found) == 1 else None


def _fields(owner: str, tree: Tree, language: str) -> list[Node] | None:
    """The fields of a class, by default of the only one, those aside that are static; ``None`` if there are none, or the
    class is not the only one.
    """
    classes = [x for x in tree.nodes("class_declaration") if owner in ("", _name(x, tree))]
    if len(classes) != 1 or (body := classes[0].child_by_field_name("body")) is None:
        return None
    fields = [x for x in body.named_children if x.type == _FIELDS[language]]
    found = [x for x in fields if "static" not in tree.code(x).split()]
    return found or None


def _head(node: Node, tree: Tree) -> tuple[int, str]:
    """The offset of a definition below its annotations, and its text up to its name."""
    start, end = tree.span(node)
    text = tree.text[start:end]
    if lead := re.match(r"(?:@\w+(?:\([^)]*\))?\s*)+", text):
        start, text = start + lead.end(), text[lead.end() :]
    at = re.search(rf"\b{re.escape(_name(node, tree))}\b", text)
    return start, text[: at.start()] if at else text


def _is_constant(node: Node, tree: Tree) -> bool:
    """Whether a field gets its value once: where it is declared, or in constructors."""
    name = _name(node, tree)
    if not name:
        return False
    has_value = re.search(rf"\b{re.escape(name)}\b[^;]*=", tree.code(node)) is not None
    assigned = re.compile(
        rf"(?<![\w.])(?:this\.)?{re.escape(name)}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?<![\w.])(?:this\.)?{re.escape(name)}\s*(?:\+\+|--)|(?:\+\+|--)\s*(?:this\.)?{re.escape(name)}\b"
    )
    owner = node.parent
    places = [
        at.start() for at in assigned.finditer(tree.text) if not _is_in(at.start(), node, tree)
    ]
    if owner is None:
        return False
    constructors = [
        x
        for x in nodes_in(owner, "constructor_declaration", "method_definition")
        if x.type == "constructor_declaration" or _name(x, tree) == "constructor"
    ]
    inside = [at for at in places if any(_is_in(at, x, tree) for x in constructors)]
    local = re.search(rf"[\w>\]] {re.escape(name)}\s*=", tree.text.replace(tree.code(node), ""))
    return not local and len(inside) == len(places) and bool(inside) != has_value


def _is_in(offset: int, node: Node, tree: Tree) -> bool:
    """Whether an offset is inside a node."""
    start, end = tree.span(node)
    return start <= offset < end


def _exported(name: str, tree: Tree, code: Code) -> Candidates | None:
    """The text with ``export`` before the one definition of the name at the outermost level."""
    found = []
    for node in tree.root.named_children:
        if node.type == "lexical_declaration":
            names = [_name(x, tree) for x in node.named_children if x.type == "variable_declarator"]
        else:
            names = [_name(node, tree)] if re.search(r"declaration$", node.type) else []
        if names == [name] and node.type != "export_statement":
            found.append(tree.span(node)[0])
    if len(found) != 1 or re.search(r"\bmodule\.exports\b", code.text):
        return None
    return Candidates((with_spans(code.text, [(found[0], found[0], "export ")]),), is_certain=True)
