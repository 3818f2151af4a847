"""Replaces ``==`` and ``!=`` of JavaScript and TypeScript by ``===`` and ``!==``.

a.js, "use === instead of =="::

    if (kind == "a" && owner != null) run();

becomes::

    if (kind === "a" && owner != null) run();
"""

from __future__ import annotations

from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, with_spans
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS


def use_strict_equality(code: Code) -> Candidates | None:
    """The text with strict comparisons, as a certain candidate; those with ``null``, which hold for ``undefined``, too,
    stay, and are said to. ``None`` in other languages, and if there is nothing to replace.
    """
    tree = code.tree
    if tree is None or code.language not in SCRIPTS:
        return None
    spans: Spans = []
    staying: Spans = []
    for node in tree.nodes("binary_expression"):
        operator = node.child_by_field_name("operator")
        if operator is None or tree.code(operator) not in ("==", "!="):
            continue
        start, end = tree.span(operator)
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        is_null = any(side is not None and tree.code(side) == "null" for side in sides)
        (staying if is_null else spans).append((start, end, f"{tree.code(operator)}="))
    if not spans:
        return None
    left = mentions_by_kind(code.text, ("comparisons with null", staying))
    return Candidates((with_spans(code.text, spans),), is_certain=True, left_alone=left)
