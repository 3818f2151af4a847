"""The tokens of a text that tree-sitter has parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.syntax.tokens import Token, TokenKind
from editd.syntax.trees import Node, Tree

_IN_MACRO = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)"
)
_IN_FORMAT = re.compile(r"(?<!\{)(?:\{\{)*\{(?P<name>[^\W\d]\w*)(?=[:}])")
_PAIRS = frozenset(
    ["pair", "pair_pattern", "field_initializer", "keyed_element", "element_value_pair"]
)
_NUMBERS = frozenset(
    """
    number number_literal integer_literal float_literal int_literal decimal_integer_literal
    hex_integer_literal decimal_floating_point_literal imaginary_literal
    """.split()  # noqa: SIM905
)
_STRINGS = frozenset(
    """
    string string_literal raw_string_literal interpreted_string_literal template_string char_literal
    character_literal rune_literal system_lib_string
    """.split()  # noqa: SIM905
)


def tree_tokens(tree: Tree) -> list[Token]:
    """The tokens of a tree, in order."""
    return [
        Token(x.kind, tree.offset(x.start), tree.offset(x.end), x.text, x.of)
        for x in _of_tree(tree.root)
    ]


def _of_tree(root: Node) -> Iterator[Token]:
    """Yield the names, numbers, strings and comments of a tree-sitter tree in order, with offsets in bytes;
    keywords and signs are left out. A string with values in it is no token, but its parts are; names in a string
    inside a macro of Rust follow it.
    """
    before = ["", ""]
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        kind = node.type
        children = node.children
        if "comment" in kind and kind != "comment_content":
            yield _token("comment", node)
        elif node.named_child_count == 0 and not children:
            text = _text(node)
            if kind.endswith(("identifier", "identifier_pattern")):
                yield _name_token(node, before)
            elif before[1] == "." and _is_keyword_in_macro(node):
                yield _token("member", node, before[0])
            elif kind == "preproc_arg":
                yield from _in_text(_IN_MACRO, node)
            elif kind in _NUMBERS:
                yield _token("number", node)
            elif "string" in kind or "char" in kind:
                yield _token("string", node)
            before = [before[1], text]
        elif kind in _STRINGS and not any("substitution" in c.type for c in children):
            yield _token("string", node)
            if node.parent is not None and node.parent.type == "token_tree":
                yield from _in_text(_IN_FORMAT, node)
            before = [before[1], '"']
        else:
            open_nodes += reversed(children)


def _is_keyword_in_macro(node: Node) -> bool:
    """Whether a node is a word of a Rust macro's arguments that the grammar takes for a keyword, as ``gen`` of the edition 2024."""
    is_inside = node.parent is not None and node.parent.type == "token_tree"
    return is_inside and node.type.isidentifier() and node.type not in ("await", "self", "super")


def _in_text(pattern: re.Pattern[str], node: Node) -> Iterator[Token]:
    """Yield the names and numbers that ``pattern`` (groups of these names) finds inside a node that
    the grammar does not divide: a macro of C, a format string of Rust. Offsets are in bytes of the
    text.
    """
    text = _text(node)
    for at in pattern.finditer(text):
        for kind in ("name", "number"):
            if (word := at.groupdict().get(kind)) is not None:
                start = node.start_byte + len(text[: at.start(kind)].encode())
                yield Token(kind, start, start + len(word.encode()), word)


def _name_token(node: Node, before: list[str]) -> Token:
    """The token of an identifier: a member after ``.``, ``?.``, ``::`` or C's ``->``, with the token before that sign;
    a key of an object, a field or a JSX attribute, with ``shorthand`` for ``{a}``, else with the name of its struct, if
    that has one; else a name, ``declared`` for a property's or field's.

    before: the texts of the two tokens before it.
    """
    # Rust's arrow stands before a type.
    if before[1] in (".", "?.", "::") or (before[1] == "->" and node.type == "field_identifier"):
        return _token("member", node, before[0])
    if node.type.startswith("shorthand"):
        return _token("key", node, "shorthand")
    parent = node.parent
    if parent is not None and parent.type == "jsx_attribute":
        return _token("key", node)
    if parent is not None and parent.type == "literal_element":
        node_at, parent = parent, parent.parent
    else:
        node_at = node
    if parent is not None and parent.type == "shorthand_field_initializer":
        return _token("key", node, "shorthand")
    if parent is not None and parent.type in _PAIRS and parent.children[0] == node_at:
        return _token("key", node, _struct_of(parent))
    is_declared = node.type in ("property_identifier", "field_identifier")
    return _token("name", node, "declared" if is_declared else "")


def _struct_of(pair: Node) -> str:
    """The type's code of the Rust or Go literal that this key-value pair stands in; empty if it is
    in no such literal.
    """
    made = pair.parent.parent if pair.parent is not None else None
    named = None
    if made is not None and made.type in ("struct_expression", "composite_literal"):
        named = made.child_by_field_name("name") or made.child_by_field_name("type")
    return _text(named) if named is not None else ""


def _token(kind: TokenKind, node: Node, of: str = "") -> Token:
    """A token with the offsets of a node, in bytes."""
    return Token(kind, node.start_byte, node.end_byte, _text(node), of)


def _text(node: Node) -> str:
    """The text of a node."""
    return node.text.decode("utf-8", "replace") if node.text is not None else ""
