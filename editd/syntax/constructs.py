"""The questions about constructs: where docstrings, log calls and the like stand, and how a text reads without them.

``python_constructs`` answers by Python's own parser, ``tree_constructs`` by tree-sitter. What the code does is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

ConstructKind = Literal["docstring", "log", "try", "type", "import", "print", "comment", "f-string"]


@dataclass(frozen=True, slots=True)
class StatementBlock:
    """Statements that stand below a first line, as ``if x:``.

    head: that line, stripped. line: its number, from 0. is_empty: nothing is done in the block.
    """

    head: str
    line: int
    is_empty: bool


class Constructs(Protocol):
    """Definitions are opaque: what ``definitions_named`` returns, the other methods take."""

    @property
    def text(self) -> str:
        """The text itself."""
        ...

    @property
    def comments(self) -> list[str]:
        """The comments, in order."""
        ...

    def definitions_named(self, names: Collection[str]) -> dict[str, list[Any]]:
        """Functions and classes of these names by their qualified names; all of them if ``names`` is empty."""
        ...

    def line_of(self, definition: Any) -> int:
        """The 0-based line of a definition."""
        ...

    def texts_of(self, kind: ConstructKind, within: Sequence[Any] | None = None) -> list[str]:
        """The constructs of ``kind`` in these definitions, by default in the text."""
        ...

    def without(
        self, kinds: Collection[ConstructKind], names: Collection[str], *, is_result: bool
    ) -> str:
        """A form of the text without constructs of these kinds and without imports, to be compared with another.

        They are left out in the definitions of these names, or everywhere if there are none. is_result: of types, those of
        results.
        """
        ...

    def blocks(self) -> Iterator[StatementBlock]:
        """The blocks of statements below a first line."""
        ...
