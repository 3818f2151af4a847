"""What is asked about constructs: what of each kind stands in a text, and the text without it, so that two can be compared.

``python_constructs`` answers by Python's own parser, ``tree_constructs`` by tree-sitter. What the code does is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Kind = Literal["docstring", "log", "try", "type", "import", "print", "comment", "f-string"]


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that stand below a first line, as ``if x:``.

    head: that line, stripped. line: its number, from 0. is_empty: nothing is done in the block.
    """

    head: str
    line: int
    is_empty: bool


class Constructs(Protocol):
    """Definitions are opaque: what ``definitions_named`` returns, the other methods take."""

    @property
    def text(self) -> str: ...
    @property
    def comments(self) -> list[str]: ...
    def definitions_named(self, names: Collection[str]) -> dict[str, list[Any]]: ...
    def line_of(self, definition: Any) -> int: ...
    def texts_of(self, kind: Kind, within: Sequence[Any] | None = None) -> list[str]: ...
    def without(
        self, kinds: Collection[Kind], names: Collection[str], *, is_result: bool
    ) -> str: ...
    def blocks(self) -> Iterator[Block]: ...
