"""Constructs of a text in a language with a tree-sitter grammar: comments, log calls and others, and the text without them.

By tokens, so that white space and comments are no difference. ``constructs`` chooses the language.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from editd.syntax.constructs import ConstructKind, StatementBlock
from editd.syntax.definition import Definition
from editd.syntax.imports import IMPORT_NODES
from editd.syntax.lines import split
from editd.syntax.outline import outline
from editd.syntax.trees import Node, Tree

_STATEMENTS = frozenset(["expression_statement", "macro_invocation", "call_expression"])
_LOG = re.compile(
    r"(?:console\.\w+|(?:[\w.:]*\b)?(?:log|logger|logging|LOG|LOGGER|slog|tracing|glog|zap|syslog|_log)\w*(?:\(\))?[.:]{1,2}\w+!?"
    r"|(?:tracing::|log::)?(?:trace|debug|info|warn|error)!|e?println!|e?print!|dbg!|fmt\.F?[Pp]rint\w*|System\.(?:out|err)\.\w+"
    r"|f?printf|puts|fputs|perror|syslog|print|[A-Z_]*LOG[A-Z_]*|log_?\w*)\s*\("
)
_TRIES = frozenset(["try_statement", "try_with_resources_statement"])
_BLOCKS = ("block", "statement_block", "compound_statement", "class_body", "declaration_list")
_LEAVES = frozenset(
    [
        *("string", "string_literal", "raw_string_literal", "interpreted_string_literal"),
        *("template_string", "char_literal"),
    ]
)


@dataclass(frozen=True)
class TreeConstructs:
    """A text that parses, as ``Constructs`` has it."""

    text: str
    tree: Tree
    language: str

    def definitions_named(self, names: Collection[str]) -> dict[str, list[Definition]]:
        """Functions and types whose own name is in ``names``, in a list by their qualified names;
        all of them if ``names`` is empty.
        """
        found: dict[str, list[Definition]] = {}
        for definition in self._definitions:
            if not names or definition.name in names:
                found.setdefault(definition.qualified, []).append(definition)
        return found

    def line_of(self, definition: Definition) -> int:
        """The 0-based line on which a definition begins."""
        return definition.start

    def texts_of(
        self, kind: ConstructKind, within: Sequence[Definition] | None = None
    ) -> list[str]:
        """The constructs of ``kind`` in these definitions and directly above them, by default in the text.

        A comment is all that documents code, so ``docstring`` means comments.
        """
        return [
            self.tree.code(node)
            for node in self.tree.nodes()
            if self._is(kind, node) and (within is None or _is_in(node, within))
        ]

    @cached_property
    def comments(self) -> list[str]:
        """The comments, in order."""
        return self.texts_of("comment")

    def without(
        self, kinds: Collection[ConstructKind], names: Collection[str], *, is_result: bool
    ) -> str:
        """The tokens, joined by null bytes, without comments and imports and, in the definitions of
        these names or, if it defines none, in the whole text, without constructs of these kinds; to
        be compared with another text's.

        Of a ``try`` its body's statements stay. is_result is ignored.
        """
        del is_result  # most languages that have a type for it have always one
        named = [x for found in self.definitions_named(names).values() for x in found if names]
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

    def blocks(self) -> Iterator[StatementBlock]:
        """Yield the pairs of braces around statements or members, with the first line of the
        statement before; empty if nothing but comments is inside.
        """
        lines = self.text.split("\n")
        for block in self.tree.nodes(*_BLOCKS):
            line = (block.parent or block).start_point[0]
            inside = [child for child in block.named_children if "comment" not in child.type]
            yield StatementBlock(lines[line].strip(), line, not inside)

    @cached_property
    def _definitions(self) -> list[Definition]:
        lines = split(self.text)
        return [x for x in outline(lines, self.language) if x.is_block]

    def _is(self, kind: ConstructKind, node: Node) -> bool:
        """Whether a node is a construct of this kind. Documentation is not told from other
        comments, nor a print from a log call; an f-string is never found.
        """
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
                return node.type in IMPORT_NODES
        return False


def _is_in(node: Node, definitions: Sequence[Definition]) -> bool:
    """Whether a node stands on the lines of one of these definitions, or on the line below it."""
    first, last = node.start_point[0], node.end_point[0]
    return any(x.start <= first and last <= x.end for x in definitions)
