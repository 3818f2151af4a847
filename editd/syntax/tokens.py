"""The names, numbers, strings and comments of a text by its language's syntax.

Python's own tokenizer and parser, and tree-sitter where a grammar is installed. Offsets are code points, lines are
those of the text, from 0. What is asked of a Python text alone is in ``python_text``.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
import typing
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from editd.syntax.language import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node

SCRIPTS = ("javascript", "jsx", "typescript", "tsx")
Kind = typing.Literal[
    "name", "member", "argument", "key", "string", "docstring", "comment", "number"
]


@dataclass(frozen=True, slots=True)
class Token:
    """kind: ``member`` behind a dot, ``argument`` of a call by its name, ``key`` of an object's field.

    of: what stands before a member's dot, the struct of a key, or the function that an argument is for, with
    the word before its dot (``super()`` too); ``declared`` for the name of a member where it is declared,
    ``shorthand`` for a key that is its value, too.
    """

    kind: Kind
    start: int
    end: int
    text: str
    of: str = ""


def split(text: str) -> list[str]:
    """The lines of a model's text, with their ends."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def line_starts(lines: Iterable[str]) -> list[int]:
    """The offset of each line, and the text's end."""
    return [*accumulate(map(len, lines), initial=0)]


def tokens_of(text: str, language: str) -> list[Token] | None:
    """The tokens in order; ``None`` where there is no parser, or the text does not parse."""
    if language == "python":
        return python_tokens(text) if parse_python(text) else None
    tree = tree_of(text, language)
    return None if tree is None else tree_tokens(tree)


def tree_tokens(tree: Tree) -> list[Token]:
    """The tokens of a tree, in order."""
    return [
        Token(one.kind, tree.offset(one.start), tree.offset(one.end), one.text, one.of)
        for one in _of_tree(tree.root)
    ]


@dataclass(frozen=True, slots=True)
class Tree:
    """What tree-sitter makes of a text. starts: of each character its first byte; empty if all have one."""

    root: Node
    text: str
    starts: tuple[int, ...]

    def offset(self, byte: int) -> int:
        return bisect_right(self.starts, byte) - 1 if self.starts else byte

    def span(self, node: Node) -> tuple[int, int]:
        """Where a node stands, without a line end that some grammars count in."""
        start, end = self.offset(node.start_byte), self.offset(node.end_byte)
        return start, start + len(self.text[start:end].rstrip())

    def code(self, node: Node) -> str:
        """A node's own characters."""
        start, end = self.span(node)
        return self.text[start:end]

    def nodes(self, *kinds: str) -> Iterator[Node]:
        """All nodes of these kinds (without any: all), in the order of the text."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if not kinds or node.type in kinds:
                yield node
            waiting += reversed(node.children)


def parse_tree(text: str, language: str) -> Node | None:
    """The root of what tree-sitter makes of a text, errors included; ``None`` if no grammar is installed."""
    parser = parser_of(language)
    return None if parser is None else parser.parse(text.encode("utf-8", "replace")).root_node


def tree_of(text: str, language: str) -> Tree | None:
    """The tree of a text; ``None`` if no grammar is installed, or the text does not parse."""
    root = parse_tree(text, language)
    return None if root is None or root.has_error else new_tree(root, text)


def new_tree(root: Node, text: str) -> Tree:
    """The tree of ``text`` with this root."""
    if text.isascii():
        return Tree(root, text, ())
    sizes = (len(character.encode("utf-8", "replace")) for character in text)
    return Tree(root, text, tuple(accumulate(sizes, initial=0)))


def parses(text: str, language: str) -> bool | None:
    """Whether ``text`` has no syntax error; ``None`` where there is no parser."""
    if language == "python":
        return parse_python(text) is not None
    root = parse_tree(text, language)
    return None if root is None else not root.has_error


def parse_python(text: str) -> tuple[ast.Module, int] | None:
    """The tree, and how many lines stand before the text in it: a part of a file may be indented."""
    for before in ("", "if 1:\n", "class _:\n"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(before + text), before.count("\n")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            if not text[:1].isspace():
                return None
    return None


def python_tokens(text: str) -> list[Token] | None:
    """The tokens of a Python text in order; ``None`` if its brackets or strings do not close."""
    shift = "if 1:\n" if text[:1].isspace() else ""
    starts = line_starts(split(shift + text))

    def offset(place: tuple[int, int]) -> int:
        return starts[place[0] - 1] + place[1] - len(shift)

    found: list[Token] = []
    before = [""] * 5  # the texts of the last tokens
    calls: list[str] = []  # of each open bracket the function that is called
    lambdas: list[int] = []  # how many brackets are open where parameters of a lambda stand
    formatted: list[
        tuple[int, int]
    ] = []  # of each open f-string its start, and where it goes in the list
    is_statement = True
    try:
        read = list(tokenize.generate_tokens(io.StringIO(shift + text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    for number, token in enumerate(read):
        start, end = offset(token.start), offset(token.end)
        following = read[number + 1].string if number + 1 < len(read) else ""
        # From Python 3.12 on an f-string is many tokens, and the names in it are among them.
        if token.type == _FSTRING_START:
            formatted.append((start, len(found)))
        elif token.type == _FSTRING_END:
            first, place = formatted.pop()
            if not formatted:
                found.insert(place, Token("string", first, end, text[first:end]))
        elif formatted and (token.type == tokenize.STRING or before[-1] == "!"):
            pass
        elif token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            if before[-1] == ".":
                found.append(Token("member", start, end, token.string, before[-2]))
            elif (
                following == "="
                and calls
                and calls[-1]
                and before[-1] in ("(", ",")
                and len(calls) not in lambdas
            ):
                found.append(Token("argument", start, end, token.string, calls[-1]))
            else:
                found.append(Token("name", start, end, token.string))
        elif token.type == tokenize.STRING:
            kind: Kind = "docstring" if is_statement and not following.strip() else "string"
            found.append(Token(kind, start, end, token.string))
            if re.match(r"(?i)r?f", token.string):
                found += _in_fields(token.string, start)
        elif token.type in (tokenize.COMMENT, tokenize.NUMBER):
            of_comment: Kind = "comment" if token.type == tokenize.COMMENT else "number"
            found.append(Token(of_comment, start, end, token.string))
        elif token.string in ("(", "[", "{"):
            is_call = token.string == "(" and before[-2] not in ("def", "class")
            calls.append(_called(before) if is_call else "")
        elif token.string in (")", "]", "}") and calls:
            calls.pop()
        elif token.string == "lambda":
            lambdas.append(len(calls))
        elif token.string == ":" and len(calls) in lambdas:
            lambdas.remove(len(calls))
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            is_statement = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT):
            is_statement = False
            before = [*before[1:], token.string]
    return [token for token in found if token.start >= 0]  # the shift has a number in it


_FSTRING_START = getattr(tokenize, "FSTRING_START", -1)
_FSTRING_END = getattr(tokenize, "FSTRING_END", -1)


def _called(before: list[str]) -> str:
    """The function that is called behind these tokens, with what its dot stands behind."""
    *_, third, _, owner, dot, name = before
    if not re.fullmatch(r"\w+|\)|\]", name):
        return ""
    if dot != ".":
        return name
    return f"super().{name}" if (third, owner) == ("super", ")") else f"{owner}.{name}"


def _in_fields(string: str, start: int) -> Iterator[Token]:
    """Names in the braces of a Python string."""
    for field in re.finditer(r"(?<!\{)(?:\{\{)*\{([^{}]*)", string):
        for word in re.finditer(r"(?<![\w.])[^\W\d]\w*(?![\w'\"])", field[1].split("!r")[0]):
            if not keyword.iskeyword(word[0]):
                at = start + field.start(1) + word.start()
                yield Token("name", at, at + len(word[0]), word[0])
        for word in re.finditer(r"([^\W\d]\w*)\.([^\W\d]\w*)", field[1]):
            at = start + field.start(1) + word.start(2)
            yield Token("member", at, at + len(word[2]), word[2], word[1])


def _of_tree(root: Node) -> Iterator[Token]:
    """Tokens of a tree-sitter tree, with offsets in bytes."""
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
                yield _name(node, before)
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


def _in_text(pattern: re.Pattern[str], node: Node) -> Iterator[Token]:
    """Names and numbers in what is one node: the text of a macro in C, what Rust's ``println!`` gets."""
    text = _text(node)
    for at in pattern.finditer(text):
        for kind in ("name", "number"):
            if (word := at.groupdict().get(kind)) is not None:
                start = node.start_byte + len(text[: at.start(kind)].encode())
                yield Token(kind, start, start + len(word.encode()), word)


_IN_MACRO = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)"
)
_IN_FORMAT = re.compile(r"(?<!\{)(?:\{\{)*\{(?P<name>[^\W\d]\w*)(?=[:}])")


def _name(node: Node, before: list[str]) -> Token:
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
    """The struct that a Rust or Go literal with this pair makes."""
    made = pair.parent.parent if pair.parent is not None else None
    named = None
    if made is not None and made.type in ("struct_expression", "composite_literal"):
        named = made.child_by_field_name("name") or made.child_by_field_name("type")
    return _text(named) if named is not None else ""


def _token(kind: Kind, node: Node, of: str = "") -> Token:
    return Token(kind, node.start_byte, node.end_byte, _text(node), of)


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace") if node.text is not None else ""


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
