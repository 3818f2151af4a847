"""The one statement that words point at: "the call of send", "torch.save", "the for loop".

Shared by what wraps a statement or writes one beside it. A statement has whole lines; of one with a block its head counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from editd.syntax.code import Code
from editd.syntax.places import Place
from editd.syntax.python_text import Function, PythonText
from editd.syntax.trees import Node, Tree

BLOCKS = frozenset(
    """
    program statement_block class_static_block switch_case switch_default block source_file statement_list
    compound_statement translation_unit constructor_body expression_case default_case communication_case
    switch_block_statement_group
    """.split()  # noqa: SIM905
)
_DEFINITIONS = re.compile(
    r"function|method|class|interface|type_|enum|struct|impl|import|use_decl|package"
)
_SHELLS = ("bash", "sh", "zsh")
_AROUND = re.compile(
    r"^(?:(?:the|that|this|a) )?(?:(?:calls?|line|statement) (?:to|of|with) )?(?:the )?(?P<core>.+?)"
    r"(?P<call> (?:call|calls|line|statement|command|request))?$",
    re.IGNORECASE,
)
_LOOP = re.compile(r"(?:for|while)?[ -]?loop", re.IGNORECASE)
_ARGUMENTS = re.compile(r"\((?:\.\.\.|…|\))?.*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StatementLines:
    """Lines ``start .. end`` of one statement, and their indentation. node: Python's own node, ``None`` elsewhere."""

    start: int
    end: int
    indent: str
    node: ast.stmt | None = None
    is_block: bool = False


def statement_at(words: str, code: Code, place: Place | None) -> StatementLines | None:
    """The lines of the only statement in ``place`` (by default in the text) that has the code which ``words`` name;
    ``None`` if none or several have it, no parser knows the language, or it shares its lines.

    Words: a name ("send"), a call ("the send call", "int(...)"), several words of a command, "the loop" or "the
    return". Mentions in comments and, but in shells, in strings do not count; a definition is no statement.
    """
    around = _AROUND.match(words.strip("`"))
    if around is None:
        return None
    core = around["core"].strip("`")
    first, last = (place.first, place.last) if place else (0, len(code.text))
    if _LOOP.fullmatch(core) or core == "return":
        pattern = r"(?<![\w.])(?:for|while)\b" if core != "return" else r"(?<![\w.])return\b"
    else:
        bare = _ARGUMENTS.sub("", core)
        is_called = around["call"] == " call" or bare != core
        pattern = rf"(?<!\w){re.escape(bare)}(?!\w)" + (r"(?=\s*\()" if is_called and bare else "")
        if re.fullmatch(r"(?:[-+*/%|&^@]|//|\*\*|<<|>>)=", core):
            pattern = rf"(?<![-+*/%|&^@<>]){re.escape(core)}"
        elif not bare or not re.search(r"\w", bare):
            return None
    # Every word of a command is a string to the tokens of a shell.
    texts = (
        code.tokens_of("comment")
        if code.language in _SHELLS
        else code.tokens_of("string", "comment", "docstring")
    )
    inside = [(token.start, token.end) for token in texts]
    offsets = [
        match.start()
        for match in re.compile(pattern).finditer(code.text, first, last)
        if not any(start <= match.start() < end for start, end in inside)
    ]
    found: set[StatementLines] = set()
    for statement in _statements_at(offsets, code):
        found.add(statement)
        if len(found) > 1:
            return None
    return found.pop() if found else None


def all_statements(code: Code, first: int, last: int) -> Iterator[StatementLines]:
    """Yield the statements between two offsets that stand alone on their lines, without definitions; in shells, which have no
    parser, each line with what continues it.
    """
    starts = [start for start in code.line_starts if first <= start < last]
    offsets = [
        start + len(line) - len(line.lstrip())
        for start in starts
        if (line := code.text[start : code.text.find("\n", start)]).strip()
        and not line.lstrip().startswith(("export ", "#!", "//", "/*", "*", "}", ")", "]"))
    ]
    inside = [
        (token.start, token.end) for token in code.tokens_of("comment", "docstring", "string")
    ]
    free = [at for at in offsets if not any(start <= at < end for start, end in inside)]
    yield from dict.fromkeys(_statements_at(free, code))


def _statements_at(offsets: Sequence[int], code: Code) -> Iterator[StatementLines]:
    """Yield the innermost statement around each offset, if it stands alone on its lines; nothing for heads of
    definitions, and where no parser knows the language. offsets: in order.

    In shells, which have no parser: the line that begins at the offset, indentation aside, with the lines that
    backslashes continue; nothing for an offset within a line.
    """
    found: Iterator[StatementLines | None]
    if (python := code.python) is not None:
        bodies = ((*python.span(node), node) for body in python.bodies() for node in body)
        found = (_of_python(node, python) for node in _innermost(offsets, bodies))
    elif (tree := code.tree) is not None:
        lines = tree.text.split("\n")
        nodes = ((*tree.span(node), node) for node in _statements(tree))
        found = (_of_tree(node, lines) for node in _innermost(offsets, nodes))
    else:
        found = (_of_shell(offset, code) for offset in offsets)
    yield from (statement for statement in found if statement is not None)


_Node = TypeVar("_Node")


def _innermost(offsets: Sequence[int], spans: Iterable[tuple[int, int, _Node]]) -> Iterator[_Node]:
    """Yield the node of the innermost span around each offset; nothing for an offset outside of all. Spans are start,
    end and node, and nest or lie apart. offsets: in order.
    """
    waiting = sorted(
        spans, key=lambda span: (-span[0], span[1])
    )  # the first at the end, outer before inner
    opened: list[tuple[int, int, _Node]] = []
    for offset in offsets:
        while waiting and waiting[-1][0] <= offset:
            span = waiting.pop()
            while opened and opened[-1][1] <= span[0]:
                opened.pop()
            opened.append(span)
        while opened and opened[-1][1] <= offset:
            opened.pop()
        if opened:
            yield opened[-1][2]


def _of_shell(offset: int, code: Code) -> StatementLines | None:
    """The line of a shell that begins at an offset, with the lines that continue it; ``None`` for an offset within a
    line, and in languages that are no shells.
    """
    number = code.text.count("\n", 0, offset)
    line = code.lines[number]
    if code.language not in _SHELLS or line[: offset - code.line_starts[number]].strip():
        return None
    end = number
    while code.lines[end].rstrip("\n").endswith("\\") and end + 1 < len(code.lines):
        end += 1
    return StatementLines(number, end + 1, line[: len(line) - len(line.lstrip())])


def _of_python(node: ast.stmt, python: PythonText) -> StatementLines | None:
    """The lines of a statement of a Python text; ``None`` for a definition, ``elif``, and one that shares its lines."""
    if isinstance(node, Function | ast.ClassDef) or not python.is_alone(node):
        return None
    first = python.first(node)
    if python.lines[first].lstrip().startswith(("elif", "else")):
        return None
    is_block = isinstance(getattr(node, "body", None), list)
    return StatementLines(first, python.last(node) + 1, python.indent(first), node, is_block)


def _of_tree(node: Node, lines: Sequence[str]) -> StatementLines | None:
    """The lines of a statement in a language with braces; ``None`` for a definition, and one that shares its lines
    with other code or a comment, ``;`` aside. lines: of the text, without line ends.
    """
    if _DEFINITIONS.search(node.type) and node.type != "function_call":
        return None
    start, end = node.start_point[0], node.end_point[0]
    line = lines[start]
    indent = line[: len(line) - len(line.lstrip())]
    rest = lines[end][len(lines[end].encode()[: node.end_point[1]].decode(errors="ignore")) :]
    if node.start_point[1] != len(indent.encode()) or rest.strip(" \t;"):
        return None
    is_block = any(child.type in BLOCKS for child in node.children)
    return StatementLines(start, end + 1, indent, None, is_block)


def _statements(tree: Tree) -> Iterator[Node]:
    """Yield the statements, comments and other named nodes right inside the blocks of a tree, outer ones before
    inner.
    """
    for node in tree.nodes():
        is_inside = node.parent is not None and node.parent.type in BLOCKS
        if is_inside and node.is_named and node.type != "statement_list":
            yield node
