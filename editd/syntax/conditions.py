"""The opposite of a condition, as people write it: shared by what turns an ``if`` around.

``x > 3`` becomes ``x <= 3`` where a whole number or a length is compared, and else ``not x > 3``: of other values neither may hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from editd.syntax.language import SCRIPTS
from editd.syntax.python_text import PythonText
from editd.syntax.trees import Node, Tree

_CONTRARY = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_ORDER = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<"}
_SIGNS = {"==": "!=", "!=": "==", "===": "!==", "!==": "==="}
_ORDERED_SIGNS = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_SIMPLE = (
    "identifier", "call_expression", "member_expression", "field_expression", "selector_expression",
    "method_invocation", "field_access", "macro_invocation", "subscript_expression", "this",
)  # fmt: skip
_LENGTH = re.compile(r"len\(.*\)|.*(?:\.(?:length|len|size|count)(?:\(\))?)", re.DOTALL)
_NUMBER = re.compile(r"-?\d+")


def python_contrary(python: PythonText, test: ast.expr) -> str:
    """The code of the opposite condition: ``not`` falls away, ``==``, ``is`` and ``in`` turn into their opposites.

    ``<`` and its kin turn only where one side is a whole number, also a name declared so, or a length (``len(x) > 0`` gives ``len(x) == 0``);
    of all else, of chains, and of comparisons over several lines, ``not`` and the code, in brackets for ``and``,
    ``or``, ``if … else`` and ``lambda``.
    """
    code = python.code(test)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return python.code(operand)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if "\n" not in code:
            start, end = python.span(left)[1], python.span(right)[0]
            first, second = python.code(left), python.code(right)
            sign = _CONTRARY.get(type(operator)) or (
                _of_order(_ORDER, type(operator), first, second, python.text)
            )
            if sign and re.fullmatch(
                r"\s*([<>]=?|==|!=|is\s+not|is|not\s+in|in)\s*", python.text[start:end]
            ):
                return f"{first} {_of_empty(sign, first, second, '==')} {second}"
        case ast.BoolOp() | ast.IfExp() | ast.Lambda():
            return f"not ({code})"
    return f"not {code}"


def tree_contrary(tree: Tree, condition: Node, language: str) -> str:
    """The code of the opposite condition, in brackets if it had some: ``!`` falls away, ``==`` and ``!=`` turn
    around.

    ``<`` and its kin turn only where one side is a whole number, also a name declared so, or a length (``x.length > 0`` gives ``x.length ===
    0`` in scripts, ``==`` elsewhere); else ``!`` stands before the code, which is put in brackets unless it is a
    name, a call, a member or an element.
    """
    has_parentheses = condition.type == "parenthesized_expression"
    inner = condition.named_children[0] if has_parentheses else condition
    condition_text = tree.code(inner)
    operator = inner.child_by_field_name("operator")
    sign = tree.code(operator) if operator is not None else ""
    if inner.type == "unary_expression" and condition_text.startswith("!"):
        contrary = condition_text[1:].strip()
        if inner.named_children[-1].type == "parenthesized_expression":
            contrary = contrary[1:-1]
    elif inner.type == "binary_expression" and operator is not None:
        start, end = tree.span(operator)
        first, last = tree.span(inner)
        left, right = tree.text[first:start], tree.text[end:last]
        new = _SIGNS.get(sign) or _of_order(
            _ORDERED_SIGNS, sign, left.strip(), right.strip(), tree.text
        )
        equal = "===" if language in SCRIPTS else "=="
        new = _of_empty(new, left.strip(), right.strip(), equal) if new else ""
        contrary = f"{left}{new}{right}" if new else f"!({condition_text})"
    elif inner.type in _SIMPLE:
        contrary = f"!{condition_text}"
    else:
        contrary = f"!({condition_text})"
    return f"({contrary})" if has_parentheses else contrary


def _of_order(contrary: Mapping[Any, str], sign: object, left: str, right: str, text: str) -> str:
    """The opposite of a comparison of order; empty if neither side is a whole number or a length. text: that of the file."""
    return contrary.get(sign, "") if any(_is_whole(side, text) for side in (left, right)) else ""


def _is_whole(side: str, text: str) -> bool:
    """Whether code is a whole number, a length, or a name that the file declares as an integer, or as a constant with one."""
    if _NUMBER.fullmatch(side) or _LENGTH.fullmatch(side):
        return True
    if not re.fullmatch(r"[^\W\d]\w*", side):
        return False
    is_typed = (
        rf"\b(?:int|long|short|byte)\s+{side}\b(?!\()|\b{side}\s*:\s*[iu](?:8|16|32|64|128|size)\b"
    )
    is_constant = rf"(?m)^\s*(?:[\w ]+ )?{side}(?: ?: ?\w+| \w+)? = -?[\d_]+;?\s*(?:#.*|//.*)?$"
    return re.search(is_typed, text) is not None or (
        side.isupper() and re.search(is_constant, text) is not None
    )


def _of_empty(sign: str, left: str, right: str, equal: str) -> str:
    """``sign``, but ``equal`` for a length that would be compared as ``<= 0``."""
    return equal if sign == "<=" and right == "0" and _LENGTH.fullmatch(left) else sign
