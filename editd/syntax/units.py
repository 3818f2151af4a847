"""Statements, declarations and elements that stand alone on their lines, in every language with a parser.

Where no parser helps, lines that are no part of something longer. Changes no text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.syntax.code import Code
from editd.syntax.trees import Node

_BODIES = frozenset(
    """
    program source_file translation_unit module statement_block block class_body compound_statement declaration_list
    field_declaration_list interface_body object_type enum_body enum_class_body import_spec_list switch_body
    enum_declaration_list enum_variant_list array object literal_value array_initializer initializer_list array_expression
    field_initializer_list constructor_body match_block statement_list
    """.split()  # noqa: SIM905
)
"""Nodes whose members are statements, declarations or elements."""
_BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Match)  # fmt: skip
_CALL = re.compile(r"(?:(?:await|yield|defer|go) )*(?P<head>[\w$.:]+!?)\s*\(")
# A line that is only a part of something.
_OPENS = re.compile(
    r"(?:[{(\[]|\b(?:then|do|else|in|begin))\s*$|^\s*(?:[})\]]|(?:fi|done|end|esac|else|elif|elsif|when|rescue)\b)"
)
_COMMENTS = ("#", "//", "--", ";", "/*", "*", "<!--")


@dataclass(frozen=True, slots=True)
class Unit:
    """A statement, declaration or element that stands alone on its lines. has_block: it holds other statements."""

    start: int
    end: int
    text: str
    has_block: bool = False

    @property
    def called(self) -> str:
        """Name of the function that it calls, as written, with the ``!`` of a macro; empty if it is no call."""
        found = _CALL.match(self.text)
        return found["head"] if found else ""

    @property
    def bare(self) -> str:
        """The code on one line, without the sign that parts it from the next."""
        return re.sub(r"\s+", " ", self.text).rstrip(";, ")


def units_of(code: Code) -> list[Unit]:
    """The statements, declarations and elements that stand alone on their lines, in order; ``;``, a comma or a
    comment may follow.

    Where no parser helps, the single lines that are not blank, no comment, do not open a block, and stand in no
    string of several lines.
    """
    if code.python is not None:
        spans = _python_spans(code)
    elif code.tree is not None:
        spans = _tree_spans(code)
    else:
        return [
            Unit(number, number + 1, line.strip())
            for number, line in enumerate(code.lines)
            if line.strip()
            and not line.lstrip().startswith(_COMMENTS)
            and not _OPENS.search(line)
            and number not in code.quoted_lines
        ]
    starts = code.line_starts
    units = []
    for start, end, has_block in sorted(spans):
        first = code.text.count("\n", 0, start)
        last = code.text.count("\n", 0, end)
        before = code.text[starts[first] : start]
        after = code.text[end : starts[last + 1]]
        if not before.strip() and re.fullmatch(r"\s*[;,]?\s*(?:(?:#|//|/\*).*)?\s*", after):
            units.append(Unit(first, last + 1, code.text[start:end], has_block))
    return units


def _python_spans(code: Code) -> Iterator[tuple[int, int, bool]]:
    """Yield the characters (start, end exclusive) of each statement of a Python text, with whether it has a block, and of each
    element of a list, tuple, set or dictionary (there a key with its value, ``**`` left out). The text must parse.
    """
    python = code.python
    assert python is not None  # noqa: S101
    for body in python.bodies():
        for statement in body:
            start, end = python.span(statement)
            yield start, end, isinstance(statement, _BLOCKS)
    for node in ast.walk(python.tree):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            for element in node.elts:
                yield *python.span(element), False
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None:
                    yield python.span(key)[0], python.span(value)[1], False


def _tree_spans(code: Code) -> Iterator[tuple[int, int, bool]]:
    """Yield the characters of each statement, member and element, with whether it has a block of its own, as
    ``_python_spans``; of a text with a tree of tree-sitter, which it must have.
    """
    tree = code.tree
    assert tree is not None  # noqa: S101
    for body in tree.nodes(*_BODIES):
        for node in body.named_children:
            if "comment" not in node.type and not node.type.startswith(
                ("attribute", "statement_list")
            ):
                has_block = any(True for _ in _blocks_in(node))
                yield *tree.span(node), has_block


def _blocks_in(node: Node) -> Iterator[Node]:
    """Yield the blocks right below a node, and the statements that stand in the place of one."""
    kinds = ("block", "statement_block", "class_body", "compound_statement", "declaration_list")
    for child in node.children:
        if child.type in kinds or child.type.endswith(("_statement", "else_clause")):
            yield child
