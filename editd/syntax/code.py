"""A text as code: tree, tokens, lines, definitions, imports, names and more, each computed when first asked for.

``read_code`` is the door; the last texts are remembered, so that whoever asks about the same text shares the answers.
Changes no text.
"""

from __future__ import annotations

import ast
from functools import cached_property, lru_cache

from editd.syntax.constructs import Constructs
from editd.syntax.cut import MOST_READ, CutText, find_cut
from editd.syntax.definition import Definition
from editd.syntax.imports import Import, python_runs, tree_runs
from editd.syntax.lines import line_starts, split
from editd.syntax.outline import are_parsed, outline
from editd.syntax.python_constructs import PythonConstructs
from editd.syntax.python_text import PythonText
from editd.syntax.python_tree import parse_python
from editd.syntax.python_usage import undefined_names
from editd.syntax.quoted_lines import quoted_lines
from editd.syntax.scanning import scanned_tokens
from editd.syntax.syntax_errors import Error, error_in_tree, find_error
from editd.syntax.tokens import Token, TokenKind
from editd.syntax.tree_constructs import TreeConstructs
from editd.syntax.tree_tokens import tree_tokens
from editd.syntax.trees import Node, Tree, new_tree, parse_tree
from editd.turns import yield_point

_REMEMBERED = 4  # texts: the old and the new text of an edit, and two parts of them


class Code:
    """A text in a language, as ``language.language_of`` names it.

    ``read_code`` makes it, and shares it among all who ask about the text: what it returns must not be changed. ``Code``
    itself is for a text about which only the caller asks.
    """

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language

    @cached_property
    def lines(self) -> list[str]:
        """The lines, with their line ends."""
        return split(self.text)

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of each line, and at last the text's length."""
        return line_starts(self.lines)

    @cached_property
    def parses(self) -> bool | None:
        """Whether the text has no syntax error; ``None`` for a language without an installed
        parser.

        An indented part of a Python file parses, too.
        """
        if self.language == "python":
            return self._python_tree is not None
        return None if self._root is None else not self._root.has_error

    @cached_property
    def error(self) -> Error | None:
        """The first syntax error as ``(0-based line, message)``; ``None`` without one, or where no
        parser knows the language.

        A part of a Python file whose indentation does not begin at the margin has one.
        """
        if self.language == "python" and self._python_tree is not None and not self._shift:
            return None
        if self._root is not None:
            return error_in_tree(self._root)
        return find_error(self.text, self.language)

    @cached_property
    def cut(self) -> CutText | None:
        """The text divided where it stops in the middle of a statement.

        ``None`` if it parses, has no parser, exceeds 100,000 characters, or has its error
        elsewhere.
        """
        if len(self.text) > MOST_READ or self.parses is not False:
            return None
        return find_cut(self.text, self.language)

    @cached_property
    def tree(self) -> Tree | None:
        """The tree of tree-sitter; ``None`` if the text does not parse, is Python, or no grammar is installed."""
        if self._root is None or self._root.has_error:
            return None
        return new_tree(self._root, self.text)

    @cached_property
    def python(self) -> PythonText | None:
        """The syntax of a Python text or an indented part of one; ``None`` if it does not parse, or
        for another language.
        """
        if self._python_tree is None:
            return None
        return PythonText(self.text, self._python_tree, self._shift)

    @cached_property
    def parsed_tokens(self) -> list[Token] | None:
        """Names, literals and comments in order; ``None`` if the text does not parse, or no
        installed parser knows the language. A part of a Python file may be indented.
        """
        if self.language == "python":
            return None if self.python is None else self.python.tokens
        return None if self.tree is None else tree_tokens(self.tree)

    @cached_property
    def tokens(self) -> list[Token] | None:
        """As ``parsed_tokens``, in languages without a parser by a few rules; ``None`` where these do not fit either."""
        found = self.parsed_tokens
        return scanned_tokens(self.text, self.language) if found is None else found

    def tokens_of(self, *kinds: TokenKind) -> list[Token]:
        """The tokens of these kinds (names, literals, comments …) in order; empty where ``tokens`` is ``None``."""
        return [token for token in self.tokens or () if token.kind in kinds]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in the code that are no members of something; empty without ``parsed_tokens``."""
        return frozenset(x.text for x in self.parsed_tokens or () if x.kind == "name")

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Functions, classes and constants in order, found by indentation where the text does not parse."""
        is_parsed = self.language != "python" and are_parsed(self.lines)
        return outline(self.lines, self.language, self._root if is_parsed else None)

    @cached_property
    def import_runs(self) -> list[list[Import]]:
        """The imports in runs of those that follow each other with nothing but comments between.

        Empty if the text does not parse, or no parser knows the language's imports.
        """
        if self.python is not None:
            return list(python_runs(self.python))
        return [] if self.tree is None else list(tree_runs(self.tree, self.language))

    @property
    def imports(self) -> list[Import]:
        """The imports of all ``import_runs``."""
        return [x for run in self.import_runs for x in run]

    @cached_property
    def constructs(self) -> Constructs | None:
        """The docstrings, log calls, imports and other constructs of the text.

        ``None`` if the text does not parse or exceeds 100,000 characters, or no parser knows the language. Lets
        other work run meanwhile.
        """
        if len(self.text) > MOST_READ:
            return None
        yield_point()
        if self._python_tree is not None:
            return PythonConstructs(self.text, self._python_tree, self._shift)
        return None if self.tree is None else TreeConstructs(self.text, self.tree, self.language)

    @cached_property
    def quoted_lines(self) -> set[int]:
        """Numbers (from 0) of the lines inside a comment or string that begins above and ends below them."""
        return quoted_lines(self.text, self.language)

    @cached_property
    def undefined_names(self) -> dict[str, int] | None:
        """The undefined names of a Python text, each with the 0-based line of its first use.

        ``None`` for other languages, an indented part of a file, what does not parse, and where
        pyflakes gives up.
        """
        if self._python_tree is None or self._shift:
            return None
        return undefined_names(self._python_tree)

    @cached_property
    def _root(self) -> Node | None:
        """The root of tree-sitter's tree, errors included; ``None`` for Python, or if no grammar is installed."""
        return parse_tree(self.text, self.language)

    @property
    def _python_tree(self) -> ast.Module | None:
        """Python's tree; ``None`` for another language, or if the text does not parse."""
        return None if self._parsed is None else self._parsed[0]

    @property
    def _shift(self) -> int:
        """How many lines stand before the text in Python's tree: a part of a file may be indented."""
        return 0 if self._parsed is None else self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[ast.Module, int] | None:
        """As ``parse_python`` gives it; ``None`` for another language."""
        return parse_python(self.text) if self.language == "python" else None


@lru_cache(maxsize=_REMEMBERED)
def read_code(text: str, language: str) -> Code:
    """The text as code; the same object for the same text as long as it is among the last ones."""
    return Code(text, language)
