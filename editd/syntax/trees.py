"""The syntax tree that tree-sitter makes of a text, where a grammar is installed.

``Node`` is tree-sitter's own; everybody else takes it from here. Offsets are code points, not tree-sitter's bytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from editd.syntax.language import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node
else:
    Node = object  # what needs no grammar runs without tree-sitter

__all__ = ["Node", "Tree", "new_tree", "nodes_in", "parse_tree"]


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of a text that parses. starts: the first byte of each character; empty if each has a single byte."""

    root: Node
    text: str
    starts: tuple[int, ...]

    def offset(self, byte: int) -> int:
        """The offset of the character that a byte belongs to."""
        return bisect_right(self.starts, byte) - 1 if self.starts else byte

    def span(self, node: Node) -> tuple[int, int]:
        """The offsets of a node, the second exclusive, without a line end that some grammars count in."""
        start, end = self.offset(node.start_byte), self.offset(node.end_byte)
        return start, start + len(self.text[start:end].rstrip())

    def code(self, node: Node) -> str:
        """A node's own characters."""
        start, end = self.span(node)
        return self.text[start:end]

    def nodes(self, *kinds: str) -> Iterator[Node]:
        """Yield the nodes of these kinds (without any: all), in the order of the text, outer ones
        before inner.
        """
        return nodes_in(self.root, *kinds)


def nodes_in(top: Node, *kinds: str) -> Iterator[Node]:
    """Yield ``top`` and all nodes below it, but only those of these kinds if there are any, in the order of the text,
    outer ones before inner.
    """
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if not kinds or node.type in kinds:
            yield node
        waiting += reversed(node.children)


def parse_tree(text: str, language: str) -> Node | None:
    """The root of what tree-sitter makes of a text, errors included; ``None`` if no grammar is installed."""
    parser = parser_of(language)
    return None if parser is None else parser.parse(text.encode("utf-8", "replace")).root_node


def new_tree(root: Node, text: str) -> Tree:
    """The tree of ``text`` with this root, and where its characters begin in bytes."""
    if text.isascii():
        return Tree(root, text, ())
    sizes = (len(character.encode("utf-8", "replace")) for character in text)
    return Tree(root, text, tuple(accumulate(sizes, initial=0)))
