"""Returns early: turns a function's last ``if`` around, with a return, and outdents its body.

Lines are outdented whole, so a string that goes over line ends leaves it to a model.

a.py, "use an early return in f"::

    def f(x):
        if x is not None:
            send(x)
            log(x)

becomes::

    def f(x):
        if x is None:
            return
        send(x)
        log(x)

a.rs, "return early in f"::

    fn f(x: Option<u8>) {
        if let Some(y) = x {
            send(y);
        }
    }

becomes::

    fn f(x: Option<u8>) {
        let Some(y) = x else {
            return;
        };
        send(y);
    }
"""

from __future__ import annotations

import ast
import re

from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import Code
from editd.syntax.python_text import Function, PythonText
from editd.syntax.trees import Node, Tree

_CONTRARY = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_FUNCTIONS = (
    "function_declaration", "function_definition", "function_item", "method_declaration",
    "method_definition", "generator_function_declaration",
)  # fmt: skip
_RETURNS = {
    "javascript": "return;", "jsx": "return;", "typescript": "return;", "tsx": "return;", "java": "return;",
    "c": "return;", "go": "return", "rust": "return;",
}  # fmt: skip
_PLACE = r"[*&]*(?:mut )?[\w.]+(?:::\w+)*"
_MAKES_NOTHING = re.compile(
    rf"{_PLACE}(?:\.as_(?:deref_)?(?:ref|mut|deref)\(\))?"
    rf"(?:\.\w+)?(?:\((?:{_PLACE}(?:, {_PLACE})*)?\))?(?:\.await)?"
)
_DECLARING = (
    "lexical_declaration", "declaration", "short_var_declaration", "var_declaration", "const_declaration",
    "let_declaration", "local_variable_declaration", "function_declaration", "class_declaration",
    "type_declaration", "function_item", "use_declaration",
)  # fmt: skip
_SIGNS = {"==": "!=", "!=": "==", "===": "!==", "!==": "==="}
_SIMPLE = (
    "identifier", "call_expression", "member_expression", "field_expression", "selector_expression",
    "method_invocation", "field_access", "macro_invocation", "subscript_expression", "this",
)  # fmt: skip


def return_early(name: str, code: Code) -> Candidates | None:
    """The text with the early return, as a certain candidate.

    ``None`` if not exactly one function of that name ends in an ``if`` that can be turned, or in a
    language without a row in ``_RETURNS``. name: empty for the only function of the text with that
    shape.
    """
    text, language = code.text, code.language
    if language == "python":
        python = code.python
        if python is None:
            return None
        functions = [x for x in python.definitions(name) if isinstance(x, Function)]
        found = [x for node in functions if (x := _returning(python, node))]
    else:
        tree = code.tree
        if tree is None or language not in _RETURNS:
            return None
        found = []
        for node in tree.nodes(*_FUNCTIONS):
            label = node.child_by_field_name("name") or node.child_by_field_name("declarator")
            is_called_so = label is not None and re.search(
                rf"\b{re.escape(name)}\b", tree.code(label)
            )
            if (not name or is_called_so) and (spans := _tree_returning(tree, node, language)):
                found.append(spans)
    return Candidates((with_spans(text, found[0]),), is_certain=True) if len(found) == 1 else None


def _returning(python: PythonText, function: Function) -> Spans | None:
    """The spans that turn the last ``if`` of a Python function around.

    ``None`` if it does not end in one, or it has an ``else``, an assignment or a comment in its
    head, or lines that cannot be outdented; or if the function is a generator.
    """
    node = function.body[-1]
    if not isinstance(node, ast.If) or node.orelse or isinstance(node.test, ast.NamedExpr):
        return None
    is_own = any(isinstance(x, ast.Yield | ast.YieldFrom) for x in ast.walk(function))
    first, last = python.first(node) + 1, python.last(node)
    start, end = python.span(node.test)
    head = python.text[end : python.line_start(first)]
    if python.last(node.test) != python.first(node) or head.strip() != ":" or is_own:
        return None
    outer = python.indent(python.first(node))
    inner = python.indent(python.first(node.body[0]))
    unit = inner.removeprefix(outer)
    if not inner.startswith(outer) or not unit or python.has_long_strings(first, last + 1):
        return None
    spans: Spans = []
    for at in range(first, last + 1):
        if not python.lines[at].strip():
            continue
        if not python.lines[at].startswith(outer + unit):
            return None
        place = python.line_start(at)
        spans.append((place + len(outer), place + len(outer) + len(unit), ""))
    head = f"{_contrary(python, node.test)}:\n{outer}{unit}return\n"
    return [(start, python.line_start(first), head), *spans]


def _contrary(python: PythonText, test: ast.expr) -> str:
    """The code of the opposite condition: without ``not``, with the opposite comparison, else
    behind ``not``, in brackets where needed.
    """
    code = python.code(test)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return python.code(operand)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if (
            type(operator) in _CONTRARY and "\n" not in code
        ):
            start, end = python.span(left)[1], python.span(right)[0]
            between = python.text[start:end]
            if re.fullmatch(r"\s*(==|!=|is\s+not|is|not\s+in|in)\s*", between):
                return f"{python.code(left)} {_CONTRARY[type(operator)]} {python.code(right)}"
        case ast.BoolOp() | ast.IfExp() | ast.Lambda():
            return f"not ({code})"
    return f"not {code}"


def _tree_returning(tree: Tree, function: Node, language: str) -> Spans | None:
    """The spans that turn the last ``if`` of a function around, in a language with braces.

    ``None`` if it does not end in one, it has an ``else`` or shares lines, its body cannot be
    outdented or declares a name that is used elsewhere, or the function may return a value.
    """
    body = function.child_by_field_name("body")
    statements = [x for x in body.named_children if "comment" not in x.type] if body else []
    if statements and statements[-1].type == "statement_list":
        statements = [x for x in statements[-1].named_children if "comment" not in x.type]
    node = statements[-1] if statements else None
    if node is not None and node.type == "expression_statement" and language == "rust":
        node = node.named_children[0]
    if body is None or node is None or node.type not in ("if_statement", "if_expression"):
        return None
    before = statements[-2] if len(statements) > 1 else None
    if before is not None and before.type == "attribute_item":
        return None  # it would be about the return alone
    block = node.child_by_field_name("consequence")
    condition = node.child_by_field_name("condition")
    has_more = node.child_by_field_name("alternative") or node.child_by_field_name("initializer")
    if block is None or condition is None or has_more or not _is_void(tree, function, language):
        return None
    opening = _let_else(tree, condition)
    if not tree.code(block).startswith("{") or (not opening and condition.type.startswith("let_")):
        return None
    text = tree.text
    start, end = tree.span(block)
    inner = text[start + 1 : end - 1]
    line = text[text.rfind("\n", 0, tree.span(node)[0]) + 1 : tree.span(node)[0]]
    closing = inner[inner.rfind("\n") + 1 :]
    lines = inner.split("\n")[1:-1]
    filled = [x for x in lines if x.strip()]
    if line.strip() or closing != line or not filled or inner.split("\n")[0].strip():
        return None
    depth = filled[0][: len(filled[0]) - len(filled[0].lstrip())]
    unit = depth.removeprefix(line)
    if (
        not unit
        or not depth.startswith(line)
        or not all(x.startswith((depth, "#")) for x in filled)
    ):
        return None
    if _has_long_strings(tree, start, end) or _declares(tree, block, function):
        return None
    if any(x.startswith("#") for x in filled):
        return None
    moved = "\n".join(line + x[len(depth) :] if x.strip() else x for x in lines)
    opening = opening or f"if {_tree_contrary(tree, condition)} {{"
    close = "};" if opening.startswith("let ") else "}"
    after = re.compile(r"[ \t]*;").match(text, tree.span(node)[1])
    stop = after.end() if after and language == "rust" else tree.span(node)[1]
    answer = f"{opening}\n{line}{unit}{_RETURNS[language]}\n{line}{close}\n{moved}"
    return [(tree.span(node)[0], stop, answer)]


def _let_else(tree: Tree, condition: Node) -> str:
    """``let Some(a) = b else {`` for Rust's ``if let Some(a) = b {``; empty for anything else.

    A temporary value of ``b``, such as a lock, lives until the end of an ``if let``, but not of a ``let``: so a ``b`` that
    makes one gives the empty text, too.
    """
    pattern, value = (condition.child_by_field_name(field) for field in ("pattern", "value"))
    if condition.type != "let_condition" or pattern is None or value is None:
        return ""
    if pattern.type == "or_pattern" or not _MAKES_NOTHING.fullmatch(tree.code(value)):
        return ""
    return f"let {tree.code(pattern)} = {tree.code(value)} else {{"


def _is_void(tree: Tree, function: Node, language: str) -> bool:
    """Whether the function's ``if`` may be turned around because nothing is returned after it.

    In C and Java its type must be ``void``, in Go and Rust it must have no result type; in JavaScript and TypeScript all but
    generators count, since their declarations do not tell.
    """
    if language in ("java", "c"):
        kind = function.child_by_field_name("type")
        declarator = function.child_by_field_name("declarator")
        is_pointer = declarator is not None and declarator.type == "pointer_declarator"
        return kind is not None and tree.code(kind) == "void" and not is_pointer
    if language == "go":
        return function.child_by_field_name("result") is None
    if language == "rust":
        return function.child_by_field_name("return_type") is None
    code = tree.code(function)
    return not re.match(r"(?:async )?(?:function\s*\*|\*)", code)


def _has_long_strings(tree: Tree, start: int, end: int) -> bool:
    """Whether a string or comment between these offsets goes over line ends."""
    return any(
        node.start_point[0] != node.end_point[0] and start <= tree.offset(node.start_byte) < end
        for node in tree.nodes()
        if ("string" in node.type or "comment" in node.type) and node.type != "string_fragment"
    )


def _declares(tree: Tree, block: Node, function: Node) -> bool:
    """Whether a name that is declared at the top of the block stands elsewhere in the function,
    too, as a word in any place.
    """
    inner = block.named_children
    if len(inner) == 1 and inner[0].type == "statement_list":
        inner = inner[0].named_children
    own: set[str] = set()
    waiting = [x for x in inner if x.type in _DECLARING]
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        for field in ("name", "pattern", "left", "declarator"):
            part = node.child_by_field_name(field)
            if part is not None and "=" not in (code := tree.code(part)):
                own.update(re.findall(r"[^\W\d]\w*", code))
    start, end = tree.span(function)
    first, last = tree.span(block)
    outside = tree.text[start:first] + tree.text[last:end]
    return bool(own & set(re.findall(r"[^\W\d]\w*", outside)))


def _tree_contrary(tree: Tree, condition: Node) -> str:
    """The code of the opposite condition, in brackets if it had some: without ``!``, with the
    opposite comparison, else behind ``!``.
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
    elif inner.type == "binary_expression" and sign in _SIGNS and operator is not None:
        start, end = tree.span(operator)
        first, last = tree.span(inner)
        contrary = tree.text[first:start] + _SIGNS[sign] + tree.text[end:last]
    elif inner.type in _SIMPLE:
        contrary = f"!{condition_text}"
    else:
        contrary = f"!({condition_text})"
    return f"({contrary})" if has_parentheses else contrary
