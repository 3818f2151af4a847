"""Writes strings of JavaScript and TypeScript that are joined by ``+`` as template literals.

What is added before the first string stays one sum, since numbers are added there.

a.js, "use template literals"::

    const url = base + "/items?page=" + page;

becomes::

    const url = `${base}/items?page=${page}`;
"""

from __future__ import annotations

from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.trees import Node, Tree


def use_template_literals(code: Code) -> Candidates | None:
    """The text of JavaScript or TypeScript with a template literal for each sum of strings and other values on a line,
    as a certain candidate; ``None`` if there is no such sum, the text does not parse, or in other languages.
    """
    tree = code.tree
    if tree is None or code.language not in SCRIPTS:
        return None
    spans: Spans = []
    for node in tree.nodes("binary_expression"):
        parent = node.parent
        is_inner = parent is not None and _is_sum(parent, tree)
        if is_inner or not _is_sum(node, tree):
            continue
        if (new := _template(node, tree)) is not None:
            spans.append((*tree.span(node), new))
    return Candidates((with_spans(code.text, spans),), is_certain=True) if spans else None


def _is_sum(node: Node, tree: Tree) -> bool:
    """Whether a node adds two values."""
    operator = node.child_by_field_name("operator")
    return node.type == "binary_expression" and operator is not None and tree.code(operator) == "+"


def _terms(node: Node, tree: Tree) -> list[Node]:
    """The values that a sum adds, in order; the node alone if it is no sum. A sum in brackets is one value;
    empty for a sum that lacks an operand.
    """
    if not _is_sum(node, tree):
        return [node]
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return [] if left is None or right is None else [*_terms(left, tree), right]


def _template(node: Node, tree: Tree) -> str | None:
    """The template literal for a sum; ``None`` if the sum has no string or nothing else, goes over several lines, or
    has a comment or a template literal in it. Values before the first string stay a sum.
    """
    terms = _terms(node, tree)
    first = next((n for n, term in enumerate(terms) if _is_string(term)), None)
    if first is None or all(map(_is_string, terms)) or "\n" in tree.code(node):
        return None
    if any(term.type == "template_string" for term in terms) or any(
        node.type == "comment" for node in node.children
    ):
        return None
    pieces = []
    if first > 1:
        added = tree.text[tree.span(terms[0])[0] : tree.span(terms[first - 1])[1]]
        pieces.append(f"${{{added}}}")
    for term in terms[0 if first <= 1 else first :]:
        code = tree.code(term)
        if _is_string(term):
            quote, inside = code[0], code[1:-1]
            inside = inside.replace(f"\\{quote}", quote)
            pieces.append(inside.replace("`", "\\`").replace("${", "\\${"))
        else:
            inner = code[1:-1] if term.type == "parenthesized_expression" else code
            pieces.append(f"${{{inner}}}")
    return f"`{''.join(pieces)}`"


def _is_string(node: Node) -> bool:
    """Whether a node is a plain string."""
    return node.type == "string"
