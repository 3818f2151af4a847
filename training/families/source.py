"""A text to be edited, with what the families ask about it: Python's syntax, other languages' words.

Offsets are characters. Regions may be indented as a whole (a method without its class).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from functools import cached_property

from editd.syntax.language import language_of
from training.families.lexer import Token, lex

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


class Source:
    """A piece of a file. ``path`` only says what the file is called and thus its language."""

    def __init__(self, text: str, path: str = "example.py") -> None:
        self.text = text
        self.path = path
        self.language = language_of(path)

    @property
    def is_python(self) -> bool:
        return self.language == "python"

    @property
    def is_valid(self) -> bool:
        """Whether it parses; what is not Python always does."""
        return not self.is_python or self._parsed is not None

    @property
    def tree(self) -> ast.Module:
        """The syntax tree of a valid Python text. An indented one is in an ``if``."""
        if self._parsed is None:
            raise SyntaxError(self.path)
        return self._parsed

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """The nodes, in no order to rely on but always the same."""
        return list(ast.walk(self.tree))

    @cached_property
    def functions(self) -> list[Function]:
        """Functions and methods, nested ones too, in the order of the text."""
        found = [node for node in self.nodes if isinstance(node, Function)]
        return sorted(found, key=lambda node: node.lineno)

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        """Classes in the order of the text."""
        found = [node for node in self.nodes if isinstance(node, ast.ClassDef)]
        return sorted(found, key=lambda node: node.lineno)

    @cached_property
    def body(self) -> list[ast.stmt]:
        """The outermost statements."""
        outer = self.tree.body
        return outer[0].body if self._shift and isinstance(outer[0], ast.If) else outer

    @cached_property
    def lines(self) -> list[str]:
        """Lines without their ends; one more, empty, after a final line end."""
        return self.text.split("\n")

    @cached_property
    def words(self) -> frozenset[str]:
        """The identifiers and keywords, also in strings and comments."""
        return frozenset(re.findall(r"[^\W\d]\w*", self.text))

    @cached_property
    def tokens(self) -> list[Token]:
        """Comments, strings, numbers and words, of any language."""
        if self.is_python:
            return list(self._python_tokens())
        return lex(self.text, self.language)

    def line_start(self, line: int) -> int:
        """Offset of a line by its number in the tree; the text's end for a line beyond it."""
        return self._starts[min(max(line - 1 - self._shift, 0), len(self._starts) - 1)]

    def line(self, line: int) -> str:
        """A line by its number in the tree."""
        return self.lines[line - 1 - self._shift]

    def last_line(self) -> int:
        """The tree's number of the last line that has characters."""
        return len(self.lines) + self._shift - (not self.lines[-1])

    def offset(self, line: int, column: int) -> int:
        """Offset of a place in the tree; ``column`` counts UTF-8 bytes, as ``ast`` does."""
        text = self.line(line)
        if not text.isascii():
            column = len(text.encode()[:column].decode(errors="ignore"))
        return self.line_start(line) + column

    def span(self, node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
        """Where a node stands."""
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return self.offset(node.lineno, node.col_offset), end

    def code(self, node: ast.expr | ast.stmt | ast.arg) -> str:
        """A node's own characters."""
        start, end = self.span(node)
        return self.text[start:end]

    def first_line_of(self, node: ast.stmt) -> int:
        """The line of a statement's first decorator, or its own."""
        decorators = getattr(node, "decorator_list", [])
        return min([node.lineno, *(int(item.lineno) for item in decorators)])

    def body_start(self, function: Definition) -> int | None:
        """Offset of the line after a header that ends its line, or ``None``."""
        if function.body[0].lineno == function.lineno:
            return None
        depth = 0
        start = self.offset(function.lineno, function.col_offset)
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text[start:]).readline):
                if token.type != tokenize.OP:
                    continue
                if token.string in "([{":
                    depth += 1
                elif token.string in ")]}":
                    depth -= 1
                elif token.string == ":" and depth == 0:
                    line = function.lineno + token.start[0] - 1
                    ends_line = self.text[: self.line_start(line + 1)].rstrip().endswith(":")
                    return self.line_start(line + 1) if ends_line else None
        except (tokenize.TokenError, IndentationError, SyntaxError):
            return None
        return None

    def indent_of_body(self, function: Definition) -> str:
        """The white space before a body's first statement."""
        line = self.line(self.first_line_of(function.body[0]))
        return line[: len(line) - len(line.lstrip())]

    @cached_property
    def _shift(self) -> int:
        """Lines that stand before the text when it is parsed."""
        return int(self.is_python and self.text[:1] in (" ", "\t"))

    @cached_property
    def _parsed(self) -> ast.Module | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse("if 1:\n" + self.text if self._shift else self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        starts[-1] = len(self.text)
        return starts

    def _python_tokens(self) -> Iterator[Token]:
        kinds = {
            tokenize.COMMENT: "comment",
            tokenize.STRING: "string",
            tokenize.NUMBER: "number",
            tokenize.NAME: "word",
        }
        # Tokenizing does not mind an indented beginning as long as nothing goes further left.
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
                if token.type in kinds:
                    start = self._starts[token.start[0] - 1] + token.start[1]
                    yield Token(kinds[token.type], start, start + len(token.string), token.string)
        except (tokenize.TokenError, IndentationError, SyntaxError):
            return
