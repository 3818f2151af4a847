"""The owner of a name: whether a definition alone uses it, as a local variable, or more of the text.

Of Python ``python_scopes`` says it, of other languages tree-sitter.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.syntax.code import read_code
from editd.syntax.lines import line_starts, split
from editd.syntax.places import Place
from editd.syntax.python_scopes import is_local
from editd.syntax.tokens import Token
from editd.syntax.trees import Node

_OF_OBJECTS = ("member", "key")
_DECLARATIONS = frozenset(
    """
    variable_declarator required_parameter optional_parameter formal_parameters formal_parameter parameter
    parameter_declaration short_var_declaration var_spec range_clause let_declaration init_declarator declaration
    catch_clause for_in_statement enhanced_for_statement for_expression
    """.split()  # noqa: SIM905
)


def is_own(
    name: str,
    place: Place,
    tokens: Sequence[Token],
    text: str,
    language: str,
    *,
    is_member: bool,
) -> bool:
    """Whether every mention of ``name`` in the place is the place's own, as of a local variable.

    In Python by its scopes (``is_local``). Elsewhere if the place declares it, or every mention outside stands in
    another definition. tokens: all of the text. is_member: the name may be a member's; if objects have members
    called so, the answer is whether all these stand in the place, unless they do and the place has a plain name,
    too; never if the place writes ``this.name`` and a declaration stands outside.
    """
    inside = [x for x in tokens if x.text == name and place.first <= x.start < place.last]
    outside = [x for x in tokens if x.text == name and not place.first <= x.start < place.last]
    is_called = any(x.of == "this" for x in inside)
    if is_member and is_called and any(x.of == "declared" for x in outside):
        return False  # a method of the class, called in one of the others
    members = [x.start for x in (*inside, *outside) if x.kind in _OF_OBJECTS]
    if is_member and members:
        is_apart = all(place.first <= start < place.last for start in members)
        names = [x for x in inside if x.kind == "name" and x.of != "declared"]
        if not (is_apart and names):
            return is_apart
    if language == "python":
        return is_local(name, place, read_code(text, "python").python)
    lines = split(text)
    others = [
        x
        for x in read_code(text, language).definitions
        if x.is_block and not (x.start <= place.start and place.end <= x.end)
    ]
    starts = line_starts(lines)
    is_around = any(
        token.kind == "name"
        and not any(starts[x.start] <= token.start < starts[x.end] for x in others)
        for token in outside
    )
    # A function of that name, whose own mention stands in itself.
    is_defined = any(x.name == name and not place.start <= x.start < place.end for x in others)
    return not (is_around or is_defined) or is_declared(name, text, language, place)


def is_declared(name: str, text: str, language: str, place: Place | None = None) -> bool:
    """Whether a text declares a variable or a parameter of that name; in the place alone, if it is
    given.

    ``False`` where no tree-sitter tree is known: for Python, for text with errors, without a
    grammar.
    """
    return any(
        place is None or place.first <= offset < place.last
        for offset in declarations_of(name, text, language)
    )


def declarations_of(name: str, text: str, language: str) -> list[int]:
    """Offsets at which a text declares a variable or a parameter of that name, in order; empty where no tree-sitter
    tree is known, as in ``is_declared``.
    """
    tree = read_code(text, language).tree
    nodes = tree.nodes("identifier") if tree is not None else ()
    return [
        tree.offset(node.start_byte)
        for node in nodes
        if tree is not None and tree.code(node) == name and _declares(node)
    ]


def _declares(node: Node) -> bool:
    """Whether an identifier is the name that a declaration, an assignment that declares, or a
    parameter introduces.
    """
    parent = node.parent
    if parent is not None and parent.type == "expression_list":
        node, parent = parent, parent.parent
    if parent is None or parent.type not in _DECLARATIONS:
        return False
    fields = ("name", "pattern", "left", "declarator", "parameter")
    named = [parent.child_by_field_name(field) for field in fields]
    return node in named or parent.type == "formal_parameters"
