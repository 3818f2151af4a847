"""Where the functions, classes and constants of a file are, line by line.

Python line by line, other languages through tree-sitter where a grammar is installed and the file is
not too long to be parsed at once, any other text (and source that does not parse) through
indentation and a few keywords. Never raises: an outline is a help for choosing lines, and an empty
one is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from editd.syntax.python_outline import python_definitions
from editd.syntax.trees import Node, parse_tree
from editd.turns import yield_point


@dataclass(frozen=True, slots=True)
class Definition:
    """Lines ``start .. end`` (0-based, end exclusive) that define ``name``.

    Decorators and the comment directly above belong to it. ``owner`` is the class or type around
    it, ``""`` at top level. ``is_block``: a function or a class, not a constant.
    """

    name: str
    start: int
    end: int
    owner: str = ""
    is_block: bool = True

    @property
    def qualified(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


def outline(
    lines: Sequence[str], language: str, root: Node | None = None
) -> tuple[Definition, ...]:
    """The file's definitions in order of their first line; empty for a file with so many that it can only be data.

    lines: with their LF. root: what ``parse_tree`` makes of them, if that is known.
    """
    found: list[Definition] | None = None
    if language == "python":
        read = python_definitions(lines, _MOST_DEFINITIONS)
        if read is not None and len(read) > _MOST_DEFINITIONS:
            return ()
        found = None if read is None else [Definition(*one) for one in read]
    elif root is not None or are_parsed(lines):
        root = parse_tree("".join(lines), language) if root is None else root
        found = None if root is None else _of_tree(root)
    if found is None:
        found = _of_text(lines)
    if len(found) > _MOST_DEFINITIONS:
        return ()
    yield_point()
    above: dict[int, int] = {}
    whole = []
    for count, one in enumerate(found):
        start = one.start
        if one.is_block or not one.owner:
            if start not in above:
                above[start] = _comment_above(lines, start)
            start = above[start]
        whole.append(replace(one, start=start))
        if count % _MANY == _MANY - 1:
            yield_point()
    return tuple(sorted(whole, key=lambda d: (d.start, -d.end)))


def tiles(lines: Sequence[str], definitions: Iterable[Definition]) -> tuple[tuple[int, int], ...]:
    """The whole file cut into functions, what stands between them, and the heads of classes.

    ``(start, end)`` line ranges in order, without gaps. A piece of blank lines only goes to the
    piece before it.
    """
    borders = {0, len(lines)}
    for definition in definitions:
        if definition.is_block:
            borders |= {definition.start, definition.end}
    cuts = sorted(border for border in borders if 0 <= border <= len(lines))
    pieces: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        if pieces and not any(lines[number].strip() for number in range(start, end)):
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
        if len(pieces) % _MANY == 0:
            yield_point()
    return tuple(pieces)


_MOST_DEFINITIONS = 10_000
_MANY = 1000  # definitions or lines that are looked at in a piece
_MOST_PARSED = 1 << 16  # characters that a parser is given: it cannot be stopped


# --- tree-sitter ----------------------------------------------------------------------------------


def are_parsed(lines: Sequence[str]) -> bool:
    """Whether lines are few enough to be parsed at once."""
    return all(size <= _MOST_PARSED for size in accumulate(map(len, lines)))  # stops once it is not


def _of_tree(root: Node) -> list[Definition] | None:
    """The definitions of a tree; ``None`` if it has errors and no definition."""
    found = list(_tree_definitions([root], ""))
    if root.has_error and not found:
        return None
    return found


# Nodes that define something, and whether more definitions may stand inside them.
_FUNCTIONS = frozenset(
    """
    function_definition function_declaration generator_function_declaration function_item
    function_signature_item method_declaration method_definition method_signature
    abstract_method_signature constructor_declaration macro_definition preproc_function_def
    """.split()  # noqa: SIM905 - read as a list of words
)
_TYPES = frozenset(
    """
    class_declaration abstract_class_declaration interface_declaration enum_declaration
    record_declaration annotation_type_declaration struct_specifier union_specifier enum_specifier
    struct_item enum_item union_item trait_item impl_item mod_item type_spec
    type_alias_declaration type_definition internal_module module
    """.split()  # noqa: SIM905
)
_CONSTANTS = frozenset(
    """
    variable_declarator const_item static_item type_item const_spec var_spec preproc_def
    type_alias field_declaration field_definition public_field_definition
    """.split()  # noqa: SIM905
)
_WRAPPERS = frozenset(
    """
    program source_file translation_unit export_statement declaration_list class_body
    interface_body enum_body enum_body_declarations lexical_declaration variable_declaration
    type_declaration const_declaration var_declaration var_spec_list ambient_declaration
    statement_block expression_statement linkage_specification preproc_if preproc_ifdef preproc_else
    declaration ERROR
    """.split()  # noqa: SIM905
)


def _tree_definitions(path: list[Node], owner: str) -> Iterator[Definition]:
    """Definitions below the last node of ``path``, which leads there from the root."""
    for child in path[-1].named_children if len(path) < _DEEPEST else ():
        kind = child.type
        if kind in _FUNCTIONS or kind in _TYPES or kind in _CONSTANTS:
            name = _node_name(child)
            outer = _with_wrapper([*path, child])
            start, end = outer.start_point[0], outer.end_point[0] + (outer.end_point[1] > 0)
            arrow = kind == "variable_declarator" and _is_function(child)
            if name:
                is_block = arrow or kind not in _CONSTANTS
                yield Definition(name, start, end, owner or _receiver(child), is_block)
            if kind in _TYPES:
                body = child.child_by_field_name("body")
                if body is not None:
                    yield from _tree_definitions([*path, child, body], name or owner)
        elif kind in _WRAPPERS:
            yield from _tree_definitions([*path, child], owner)


def _node_name(node: Node) -> str:
    """The name that a definition gives: its ``name`` field, or the innermost declarator's."""
    if node.type == "impl_item":
        named = node.child_by_field_name("type")
    else:
        fields = ("name", "declarator", "property")
        named = next(filter(None, map(node.child_by_field_name, fields)), None)
    while named is not None:
        inner = named.child_by_field_name("declarator") or named.child_by_field_name("name")
        if inner is None:
            break
        named = inner
    text = named.text if named is not None else None
    return text.decode("utf-8", "replace").split("<")[0].strip() if text else ""


def _with_wrapper(path: list[Node]) -> Node:
    """The last node with its "export" or "const" when that holds nothing else; a type's own too.

    A node does not know its parent: tree-sitter would look for it from the root.
    """
    at = len(path) - 1
    while at and path[at - 1].type in _AROUND and path[at - 1].named_child_count == 1:
        at -= 1
    return path[at]


_DEEPEST = 100  # levels of nesting in which definitions are looked for
_AROUND = frozenset(
    """
    export_statement lexical_declaration variable_declaration type_declaration const_declaration
    var_declaration ambient_declaration
    """.split()  # noqa: SIM905
)


def _is_function(declarator: Node) -> bool:
    value = declarator.child_by_field_name("value")
    return value is not None and value.type in (
        "arrow_function",
        "function_expression",
        "generator_function",
        "class",
    )


def _receiver(node: Node) -> str:
    """``T`` of Go's ``func (r *T) name()``."""
    receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
    if receiver is None or receiver.text is None:
        return ""
    words: list[str] = re.findall(r"[^\W\d]\w*", receiver.text.decode("utf-8").split("[")[0])
    return words[-1] if words else ""


# --- any text -------------------------------------------------------------------------------------

_HEAD = re.compile(
    r"""^(?P<indent>[ \t]*)
    (?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract
        |async|override|virtual|inline|local|sealed|partial|unsafe|extern)\s+)*
    (?:def|class|function\*?|func|fun|fn|sub|proc|struct|enum|trait|interface|impl|module|object|extension|protocol|actor
        |namespace|record|procedure|macro|defmodule|defp?|type)\s+
    (?P<name>(?:[^\W\d][\w$]*[.:])*[^\W\d][\w$?!]*)""",
    re.VERBOSE,
)
_METHOD = re.compile(
    r"""\s*(?:(?:public|private|protected|internal|static|final|abstract|async|override|virtual
        |sealed|partial|unsafe|extern|new)\s+)++(?!(?:val|var|let|const|delegate|event)\b)
    (?:(?P<type>[\w<>\[\],.?&*: ]+?[\s*&>\]?]))?(?P<name>[^\W\d]\w*)(?:<[\w, ]+>)?
    \s*(?:\(|(?(type)(?:\{.*|=>.*)?$|\())""",
    re.VERBOSE,
)  # a method or property of C# and its like, whose type stands before its name


def _of_text(lines: Sequence[str]) -> list[Definition]:
    """By keyword and indentation: a definition goes on while lines are indented more deeply."""
    found: list[Definition] = []
    open_: list[tuple[int, int]] = []  # depth and number of the definitions that go on
    last = 0  # the line after the last one that is not blank
    for number, line in enumerate(lines):
        if number % _MANY == _MANY - 1:
            if len(found) > _MOST_DEFINITIONS:
                break
            yield_point()
        beginning = line[:_LOOKED_AT]
        if not beginning.strip():
            continue
        depth = _depth(beginning)
        while open_ and open_[-1][0] >= depth:
            if open_[-1][0] == depth and _GOES_ON.match(beginning):
                break
            closes = open_[-1][0] == depth and _CLOSES.match(beginning)
            if closes and _OPENS.search(line[-_LOOKED_AT:]):
                break  # "} else {"
            _, one = open_.pop()
            found[one] = replace(found[one], end=number + 1 if closes else last)
            if closes:
                break
        last = number + 1
        head = _HEAD.match(beginning) or _METHOD.match(beginning[:_SHORT])
        if head is not None:
            open_.append((depth, len(found)))
            found.append(Definition(re.split(r"[.:]", head["name"])[-1], number, number + 1))
    for _, one in open_:
        found[one] = replace(found[one], end=last)
    return found


_SHORT = 300  # characters of a line that may begin a method
_LOOKED_AT = 1000  # characters at a line's beginning, and at its end
_GOES_ON = re.compile(r"\s*(?:rescue|ensure|else)\b")  # of Ruby's methods
_CLOSES = re.compile(r"\s*(?:[\])}]|end\b|fi\b|done\b|esac\b)|\s*\{")
_OPENS = re.compile(r"[\[({:]\s*$")


def _depth(line: str) -> int:
    text = line.expandtabs()
    return len(text) - len(text.lstrip())


_COMMENT = re.compile(r"\s*(?:#(?!include|if|endif|else|define)|//|/\*|\*|--|@|;;|%%)")


def _comment_above(lines: Sequence[str], start: int) -> int:
    """The first of the comment and attribute lines that stand directly above ``start``."""
    depth = _depth(lines[start][:_LOOKED_AT])
    while (
        start > 0
        and _COMMENT.match(lines[start - 1])
        and _depth(lines[start - 1][:_LOOKED_AT])
        in (
            depth,
            depth + 1,  # the second line of a block comment
        )
    ):
        start -= 1
    return start
