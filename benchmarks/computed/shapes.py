"""Files in ``with``, early returns, parameters, docstrings: undone again, both texts are the same tree."""

from __future__ import annotations

import ast
import re
from collections import Counter
from random import Random

from benchmarks.computed.posing import ENDINGS, Posed
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit
from editd.syntax.outline import outline


def with_open(text: str, language: str, _rng: Random) -> Posed | None:
    """A file that opens and closes: with every ``with`` undone it is the same tree as before."""
    if language != "python" or not re.search(
        r"^\s*(\w+) = open\((?s:.*?)^\s*\1\.close\(\)", text, re.MULTILINE
    ):
        return None

    def judge(new: str) -> bool:
        try:
            old, changed = (ast.dump(_Unwith().visit(ast.parse(source))) for source in (text, new))
        except SyntaxError:
            return False
        return old == changed

    return text, "use with open", judge


class _Unwith(ast.NodeTransformer):
    """A ``with`` of one name as assignment and close."""

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        name = node.items[0].optional_vars
        if not isinstance(name, ast.Name):
            return node
        close = ast.Attribute(ast.Name(name.id, ast.Load()), "close", ast.Load())
        return [
            ast.Assign([name], node.items[0].context_expr),
            *node.body,
            ast.Expr(ast.Call(close, [], [])),
        ]


def early(text: str, language: str, _rng: Random) -> Posed | None:
    """A function that ends in an ``if``: outside of it nothing changes, inside only what turns it round."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    found = [
        definition
        for definition in outline(lines, language)
        if definition.is_block and 4 < definition.end - definition.start < 60
    ]
    names = Counter(definition.name for definition in found)
    for definition in found:
        body = "".join(lines[definition.start : definition.end])
        last = re.search(r"^([ \t]+)if\b(?!.*\n\1(?! |\t)(?!}|\)).*)(?s:.*)", body, re.MULTILINE)
        if (
            names[definition.name] == 1
            and last
            and re.fullmatch(r"\w+", definition.name)
            and "else" not in last[0]
        ):
            break
    else:
        return None
    if (
        compute_edit(
            EditRequest(
                "1",
                text,
                f"use an early return in {definition.name}",
                path=f"a{ENDINGS[language][0]}",
            )
        )
        is None
    ):
        return None  # the shape is mostly another

    def judge(new: str) -> bool:
        if language == "python":
            return ast.dump(_Late(definition.name).visit(ast.parse(new))) == ast.dump(
                _Late(definition.name).visit(ast.parse(text))
            )
        pair = [sorted(re.findall(r"\w+", each)) for each in (text, new)]
        added = Counter(pair[1]) - Counter(pair[0])
        return added == Counter(["return"]) and not Counter(pair[0]) - Counter(pair[1])

    return text, f"use an early return in {definition.name}", judge


class _Late(ast.NodeTransformer):
    """A function's early returns as an ``if`` around the rest, their conditions without negations."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        if node.name != self._name:
            return node
        for at in reversed(range(len(node.body) - 1)):
            match node.body[at]:
                case ast.If(test=test, body=[ast.Return(value=None)], orelse=[]):
                    contrary = ast.UnaryOp(ast.Not(), test)
                    node.body[at:] = [ast.If(_positive(contrary), node.body[at + 1 :], [])]
        last = node.body[-1]
        if isinstance(last, ast.If):
            last.test = _positive(last.test)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # noqa: N815


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}  # fmt: skip


def _positive(test: ast.expr) -> ast.expr:
    """Without ``not not``, and ``not a == b`` as ``a != b``."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.UnaryOp(op=ast.Not(), operand=inner)):
            return _positive(inner)
        case ast.UnaryOp(
            op=ast.Not(), operand=ast.Compare(left=left, ops=[op], comparators=[right])
        ) if type(op) in _OPPOSITE:
            return ast.Compare(left, [_OPPOSITE[type(op)]()], [right])
    return test


_NAME = "new_parameter"


def parameter(text: str, language: str, rng: Random) -> Posed | None:
    """A parameter that one function gets and passes on: taken out everywhere, it is the same tree as before."""
    if language != "python":
        return None
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    names = Counter(function.name for function in functions)
    posed = [
        (function, call.func.id)
        for function in functions
        for call in ast.walk(function)
        if names[function.name] == 1
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
    ]
    if not posed:
        return None
    function, callee = rng.choice(posed)

    def judge(new: str) -> bool:
        undone = _Without()
        changed = undone.visit(ast.parse(new))
        nodes = [node for statement in function.body for node in ast.walk(statement)]
        passed = sum(_is_call_of(node, callee) for node in nodes)
        same = ast.dump(changed) == ast.dump(ast.parse(text))
        return same and (undone.parameters, undone.passed) == (1, passed)

    instruction = f"add a parameter `{_NAME}` with default 30 to `{function.name}` and pass it on to `{callee}`"
    return text, instruction, judge


def _is_call_of(node: ast.AST, name: str) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return name in (getattr(called, "id", ""), getattr(called, "attr", ""))


class _Without(ast.NodeTransformer):
    """Without the new parameter, and without what passes it on; both are counted."""

    parameters = passed = 0

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        self.generic_visit(node)
        if node.args and node.args[-1].arg == _NAME:
            self.parameters += 1
            del node.args[-1], node.defaults[-1]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        others = [keyword for keyword in node.keywords if keyword.arg != _NAME]
        self.passed += len(node.keywords) - len(others)
        node.keywords = others
        return node


def docstrings(text: str, language: str, _rng: Random) -> Posed | None:
    """A file with docstrings: without them, and with ``pass`` in bodies of nothing else, it is the same tree."""
    if language != "python" or not any(map(_documented, ast.walk(ast.parse(text)))):
        return None

    def judge(new: str) -> bool:
        bare = ast.parse(text)
        for node in filter(_documented, ast.walk(bare)):
            empty = [] if isinstance(node, ast.Module) else [ast.Pass()]
            node.body = node.body[1:] or empty  # type: ignore[attr-defined]
        return ast.dump(ast.parse(new)) == ast.dump(bare)

    return text, "delete the docstrings", judge


def _documented(node: ast.AST) -> bool:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None
