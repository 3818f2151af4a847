"""A text in a language with a tree-sitter grammar as checks compare it: what of each kind stands in it, and the rest.

By tokens, so that white space and comments are no difference. ``code`` chooses the language.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from editd.checks.requests import Kind
from editd.syntax.outline import Definition, outline
from editd.syntax.tokens import Tree, split, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class TreeCode:
    """A text that parses."""

    text: str
    tree: Tree
    language: str

    @classmethod
    def of(cls, text: str, language: str) -> TreeCode | None:
        """``None`` if it does not parse, or no grammar is installed."""
        tree = tree_of(text, language)
        return None if tree is None else cls(text, tree, language)

    def named(self, names: Collection[str]) -> dict[str, list[Definition]]:
        """By qualified name, the functions and types that are called so; all of them if ``names`` is empty."""
        found: dict[str, list[Definition]] = {}
        for one in self._definitions:
            if not names or one.name in names:
                found.setdefault(one.qualified, []).append(one)
        return found

    def line(self, definition: Definition) -> int:
        """The 0-based line on which a definition begins."""
        return definition.start

    def things(self, kind: Kind, within: Sequence[Definition] | None = None) -> list[str]:
        """What of ``kind`` stands in these definitions and directly above them, by default in the text.

        A comment is all that documents code.
        """
        return [
            self.tree.code(node)
            for node in self.tree.nodes()
            if self._is(kind, node) and (within is None or _is_in(node, within))
        ]

    @cached_property
    def comments(self) -> list[str]:
        """The comments, in order."""
        return self.things("comment")

    def rest(self, kinds: Collection[Kind], names: Collection[str], *, is_result: bool) -> str:
        """Every token but what is of these kinds and imports, in the definitions called so or else in the whole text."""
        del is_result  # most languages that have a type for it have always one
        named = [one for found in self.named(names).values() for one in found] if names else []
        tokens: list[str] = []
        waiting = [self.tree.root]
        while waiting:
            node = waiting.pop()
            if self._is("comment", node) or self._is("import", node):
                continue
            if not named or _is_in(node, named):
                if any(self._is(kind, node) for kind in kinds if kind != "try"):
                    continue
                if "try" in kinds and self._is("try", node):
                    body = node.child_by_field_name("body")
                    waiting += reversed(body.children[1:-1] if body is not None else [])
                    continue
            if node.children and node.type not in _LEAVES:
                waiting += reversed(node.children)
            elif text := self.tree.code(node):
                tokens.append(text)
        return "\0".join(tokens)

    @cached_property
    def _definitions(self) -> list[Definition]:
        lines = split(self.text)
        return [one for one in outline(lines, self.language) if one.is_block]

    def _is(self, kind: Kind, node: Node) -> bool:
        match kind:
            case "docstring" | "comment":
                return "comment" in node.type and node.type != "comment_content"
            case "log" | "print":
                return node.type in _STATEMENTS and bool(_LOG.match(self.tree.code(node)))
            case "try":
                return node.type in _TRIES
            case "type":
                return node.type == "type_annotation"
            case "import":
                return node.type in _IMPORTS
        return False


def _is_in(node: Node, definitions: Sequence[Definition]) -> bool:
    first, last = node.start_point[0], node.end_point[0]
    return any(one.start <= first and last <= one.end for one in definitions)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STATEMENTS = _words("expression_statement macro_invocation call_expression")
_LOG = re.compile(
    r"(?:console\.\w+|(?:[\w.:]*\b)?(?:log|logger|logging|LOG|LOGGER|slog|tracing|glog|zap|syslog|_log)\w*(?:\(\))?[.:]{1,2}\w+!?"
    r"|(?:tracing::|log::)?(?:trace|debug|info|warn|error)!|e?println!|e?print!|dbg!|fmt\.F?[Pp]rint\w*|System\.(?:out|err)\.\w+"
    r"|f?printf|puts|fputs|perror|syslog|print|[A-Z_]*LOG[A-Z_]*|log_?\w*)\s*\("
)
_TRIES = _words("try_statement try_with_resources_statement")
_IMPORTS = _words("import_statement import_declaration use_declaration preproc_include")
_LEAVES = _words(
    "string string_literal raw_string_literal interpreted_string_literal template_string char_literal"
)
