"""Constructs of a Python text: docstrings, log calls, ``try`` and others, and the text without them.

By syntax tree, so that white space, quotes and comments are no difference. ``constructs`` chooses the language.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from editd.syntax.constructs import ConstructKind, StatementBlock
from editd.syntax.imports import PYTHON_IMPORTS
from editd.syntax.python_text import Function
from editd.syntax.python_tokens import python_tokens
from editd.syntax.python_tree import parse_python

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_LEVELS = frozenset(["debug", "info", "warning", "warn", "error", "critical", "exception", "log"])
_OLD_FIELD = re.compile(r"%(?:\((\w+)\))?[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|(%%)")
_NEW_FIELD = re.compile(r"(\{\{|\}\})|\{(\w*)(?:![rsa])?(?::[^{}]*)?\}")
_MAY_RAISE = (
    ast.Call,
    ast.Raise,
    ast.Subscript,
    ast.Attribute,
    ast.BinOp,
    ast.For,
    ast.While,
    ast.With,
)
"""Nodes with which a statement may raise an error."""


@dataclass(frozen=True, slots=True)
class LogCall:
    """A statement that calls a logger, as the parser writes it.

    is_always_reached: it stands below no condition, and below no statement that may return.
    """

    text: str
    is_always_reached: bool


@dataclass(frozen=True)
class PythonConstructs:
    """A text that parses, as ``Constructs`` has it. shift: lines that the tree has before the text."""

    text: str
    tree: ast.Module
    shift: int

    def definitions_named(self, names: Collection[str]) -> dict[str, list[Definition]]:
        """Functions and classes whose own name is in ``names``, in a list by their qualified names
        (``Class.method``); all of them if ``names`` is empty.
        """
        found: dict[str, list[Definition]] = {}
        for path, node in self._definitions:
            if not names or node.name in names:
                found.setdefault(path, []).append(node)
        return found

    def functions_named(self, names: Collection[str]) -> list[Function]:
        """The functions of these names; all of them if ``names`` is empty."""
        named = self.definitions_named(names).values()
        return [node for nodes in named for node in nodes if isinstance(node, Function)]

    def line_of(self, node: Definition) -> int:
        """The 0-based line of a definition's name."""
        return node.lineno - 1 - self.shift

    def texts_of(
        self, kind: ConstructKind, within: Sequence[Definition] | None = None
    ) -> list[str]:
        """The constructs of ``kind`` in these definitions, by default in the text, as the parser
        writes them; of comments always those of the whole text.
        """
        if kind == "comment":
            return self.comments
        of_kind = _KINDS[kind]
        places: Sequence[ast.AST] = [self.tree] if within is None else within
        return [text for place in places for text in of_kind.texts(place)]

    @cached_property
    def comments(self) -> list[str]:
        """The comments, without white space at their ends."""
        tokens = python_tokens(self.text) or ()
        return [token.text.rstrip() for token in tokens if token.kind == "comment"]

    def without(
        self, kinds: Collection[ConstructKind], names: Collection[str], *, is_result: bool
    ) -> str:
        """A dump of the syntax tree without constructs of these kinds, in the definitions of these names or, if it
        defines none, in the whole text; to be compared with another dump.

        Imports, loggers and every ``pass`` are left out everywhere: they are means. A definition that has lost its
        docstring differs unless docstrings are left out. Of the kind ``type`` only the types of parameters in
        ``names`` are left out, if there are such; with is_result those of results, too, or alone. Comments are
        never part of it.
        """
        tree = self._new_tree()
        if "docstring" not in kinds:
            _mark_lost_docstrings(tree)
        places: list[ast.AST] = [
            node for node in ast.walk(tree) if isinstance(node, Definition) and node.name in names
        ] or [tree]
        for place in places:
            for kind in kinds:
                if kind == "type":
                    _untype(place, names, is_result=is_result)
                elif kind != "comment":
                    _KINDS[kind].strip(place)
        return ast.dump(_Bare().visit(tree))

    def without_definitions(self, definitions: Sequence[Definition]) -> str:
        """A dump of everything but these definitions (found by line and name), the imports, the loggers and every
        ``pass``, to be compared with another.
        """
        places = {(node.lineno, node.name) for node in definitions}

        class WithoutDefinitions(ast.NodeTransformer):
            def generic_visit(self, node: ast.AST) -> ast.AST:
                for field in ("body", "orelse", "finalbody"):
                    body = getattr(node, field, None)
                    if isinstance(body, list):
                        setattr(node, field, [child for child in body if not _is_listed(child)])
                return super().generic_visit(node)

        def _is_listed(node: ast.AST) -> bool:
            return isinstance(node, Definition) and (node.lineno, node.name) in places

        return ast.dump(_Bare().visit(WithoutDefinitions().visit(self._new_tree())))

    def blocks(self) -> Iterator[StatementBlock]:
        """Yield the body of each statement that has one, ``except`` included, with the statement's
        first line. Bodies of ``else`` and ``finally`` are left out; an empty one does nothing but
        ``pass`` or the like.
        """
        lines = self.text.split("\n")
        for node in ast.walk(self.tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(node, ast.stmt | ast.ExceptHandler):
                line = node.lineno - 1 - self.shift
                if 0 <= line < len(lines):
                    yield StatementBlock(lines[line].strip(), line, all(map(_does_nothing, body)))

    def log_calls(self, function: Function) -> list[LogCall]:
        """The statements of a function that call a logger, those of functions inside it included."""
        direct = set(_reached(function))
        return [
            LogCall(ast.unparse(node), node in direct)
            for node in ast.walk(function)
            if _is_log(node)
        ]

    def handler_results(self, function: Function) -> set[str] | None:
        """The values, as the parser writes them, that handlers of errors anywhere in a function
        return; ``None`` if it has no handler. A bare ``return`` has none.
        """
        handlers = [node for node in ast.walk(function) if isinstance(node, ast.ExceptHandler)]
        if not handlers:
            return None
        return {
            ast.unparse(node.value)
            for handler in handlers
            for node in ast.walk(handler)
            if isinstance(node, ast.Return) and node.value is not None
        }

    def raising_outside_try(self, function: Function) -> list[bool] | None:
        """For each statement at the top of a function's body that is no ``try`` and no docstring, whether it may
        raise an error: it calls, subscripts or the like, at any depth, and is no log call.

        ``None`` if the function has no ``try``, at any depth.
        """
        body = function.body
        if ast.get_docstring(function, clean=False) is not None:
            body = body[1:]
        if not any(isinstance(node, ast.Try) for node in ast.walk(function)):
            return None
        return [_may_raise(node) for node in body if not isinstance(node, ast.Try)]

    def _new_tree(self) -> ast.Module:
        """A tree that may be changed; to parse again is faster than to copy."""
        parsed = parse_python(self.text)
        return self.tree if parsed is None else parsed[0]

    @cached_property
    def _definitions(self) -> list[tuple[str, Definition]]:
        return list(_definitions_in(self.tree, ""))


def normalised(expression: str) -> str:
    """A Python expression as the parser writes it. Raises ``SyntaxError`` if it does not parse."""
    return ast.unparse(ast.parse(expression))


def _definitions_in(node: ast.AST, path: str) -> Iterator[tuple[str, Definition]]:
    """Yield the definitions below ``node``, at any depth, with their qualified names; path: the
    qualified name of the definition around it, or empty.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            qualified = f"{path}.{child.name}".lstrip(".")
            yield qualified, child
            yield from _definitions_in(child, qualified)
        else:
            yield from _definitions_in(child, path)


def _does_nothing(node: ast.stmt) -> bool:
    """Whether a statement is ``pass``, ``...`` or a string."""
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and (node.value.value is ... or isinstance(node.value.value, str))
    )


def _reached(function: Function) -> Iterator[ast.AST]:
    """Yield the statements of a function that each call of it reaches: those of its body up to the
    first that may return, this one too.

    Of a ``with`` or ``try`` also its first statement; nothing deeper.
    """
    for node in function.body:
        yield node
        if isinstance(node, ast.With | ast.AsyncWith | ast.Try):
            yield node.body[0]
        if any(isinstance(child, ast.Return) for child in ast.walk(node)):
            return


def _may_raise(node: ast.stmt) -> bool:
    """Whether a statement, other than a log call, has an expression or a block that may raise an error."""
    return any(isinstance(child, _MAY_RAISE) for child in ast.walk(node)) and not _is_log(node)


def _mark_lost_docstrings(tree: ast.Module) -> None:
    """Rename, in place, each definition without a docstring, so that a lost docstring differs from
    a docstring taken out.
    """
    for node in ast.walk(tree):
        if isinstance(node, Definition) and ast.get_docstring(node, clean=False) is None:
            node.name += " without a docstring"


class _Bare(ast.NodeTransformer):
    """Takes out imports and loggers, and a ``pass`` beside other statements; fills empty bodies with one."""

    def visit(self, node: ast.AST) -> Any:
        return None if isinstance(node, PYTHON_IMPORTS) else super().visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Take imports, and every ``pass`` out of the node's bodies, at any depth and in place; an
        emptied body of anything but a module gets a ``pass`` back. Returns the node.
        """
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                others = [x for x in body if not isinstance(x, ast.Pass)]
                is_needed = field == "body" and not isinstance(node, ast.Module)
                setattr(node, field, others or [ast.Pass()] * is_needed)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        return None if "getLogger(" in ast.unparse(node) else node


@dataclass(frozen=True, slots=True)
class _Kind:
    """texts: writes each construct below a node. strip: takes them out of the tree."""

    texts: Callable[[ast.AST], Iterator[str]]
    strip: Callable[[ast.AST], object]


def _docstrings(place: ast.AST) -> Iterator[str]:
    """Yield the docstring of a definition, without those inside it; of anything else those of all
    modules and definitions in it.
    """
    nodes = [place] if isinstance(place, Definition) else ast.walk(place)
    for node in nodes:
        if isinstance(node, Definition | ast.Module):
            found = ast.get_docstring(node, clean=False)
            if found is not None:
                yield found


def _undocument(place: ast.AST) -> None:
    """Take docstrings out of the tree, in place: of ``place`` alone if it is a definition, else of every definition and
    module in it. Empty docstrings stay. A body may be left empty.
    """
    nodes = [place] if isinstance(place, Definition) else ast.walk(place)
    for node in nodes:
        if isinstance(node, Definition | ast.Module) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:]


def _is_log(node: ast.AST) -> bool:
    """Whether a statement is a call of a logger: ``x.level(…)`` with "log" anywhere in the name
    before the bracket, in any case.
    """
    call = node.value if isinstance(node, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _LEVELS
        and "log" in ast.unparse(function).lower()
    )


def _is_print(node: ast.AST) -> bool:
    """Whether a statement is a call of ``print`` or ``pprint``."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func) in (
        "print",
        "pprint",
        "pprint.pprint",
    )


def _statements(fits: Callable[[ast.AST], bool]) -> _Kind:
    """A kind of constructs (how to list their texts, and how to take them out of a tree) that are whole statements:
    those that ``fits`` accepts. Only expression statements are taken out.
    """

    class WithoutStatements(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
            return None if fits(node) else node

    def texts(place: ast.AST) -> Iterator[str]:
        return (ast.unparse(node) for node in ast.walk(place) if fits(node))

    return _Kind(texts, lambda place: WithoutStatements().generic_visit(place))


def _imports(place: ast.AST) -> Iterator[str]:
    """The imports below a node."""
    return (ast.unparse(node) for node in ast.walk(place) if isinstance(node, PYTHON_IMPORTS))


def _tries(place: ast.AST) -> Iterator[str]:
    """Yield, for each ``try`` below a node, the word with its handlers in a single text; its other
    blocks are left out.
    """
    for node in ast.walk(place):
        if isinstance(node, ast.Try | ast.TryStar):
            yield " ".join(["try", *map(ast.unparse, node.handlers)])


class _Untried(ast.NodeTransformer):
    """Puts the statements of each ``try`` in its place, without the handlers."""

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        self.generic_visit(node)
        return [*node.body, *node.orelse, *node.finalbody]


def _annotated(place: ast.AST) -> Iterator[ast.arg | ast.AnnAssign | Function]:
    """Yield ``place`` and the nodes below it that are parameters (a lambda's, too), variables with a type, or functions (for
    their results).
    """
    for node in ast.walk(place):
        if isinstance(node, ast.arg | ast.AnnAssign | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _types(place: ast.AST) -> Iterator[str]:
    """Yield the types below a node, each behind the name of its parameter or variable and a colon,
    or behind ``->:`` for a result.
    """
    for node in _annotated(place):
        if isinstance(node, ast.AnnAssign):
            yield f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}"
            continue
        hint = node.annotation if isinstance(node, ast.arg) else node.returns
        if hint is not None:
            name = node.arg if isinstance(node, ast.arg) else "->"
            yield f"{name}: {ast.unparse(hint)}"


class _Untyped(ast.NodeTransformer):
    """Takes the type off variables that get a value; a field of a class without one is more than a type."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None or (self.names and ast.unparse(node.target) not in self.names):
            return node
        return ast.Assign([node.target], node.value, lineno=node.lineno)


def _untype(place: ast.AST, names: Collection[str], *, is_result: bool) -> None:
    """Take types out of a tree, in place.

    By default all; of variables those that get a value in the same statement. If ``names`` has parameters of the
    tree, only theirs and those of variables of these names. With is_result results' alone, or results' and the
    named parameters', but no variables'.
    """
    nodes = list(_annotated(place))
    named = [x for x in nodes if isinstance(x, ast.arg) and x.arg in names]
    for node in nodes:
        if isinstance(node, ast.arg):
            if node in named or not (named or is_result):
                node.annotation = None
        elif not isinstance(node, ast.AnnAssign) and (is_result or not named):
            node.returns = None
    if not is_result:
        _Untyped({x.arg for x in named}).visit(place)


class _Formatted(ast.NodeTransformer):
    """Makes one node of every way to put values into a text: its words and the values in their order."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        return _joined([x.value if isinstance(x, ast.FormattedValue) else x for x in node.values])

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace ``"words" % values``, and what is inside of it, with the made-up call of ``_joined``, so that it
        equals an f-string of the same text; unchanged if it is no such text, has no field, or a field has no value.
        """
        self.generic_visit(node)
        words = _words(node.left) if isinstance(node.op, ast.Mod) else None
        if words is None:
            return node
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return _filled(_OLD_FIELD, words, values) or node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace ``"words".format(values)``, and what is inside of it, with the made-up call of ``_joined``, so
        that it equals an f-string of the same text; unchanged if it is no such call, has no field, or a field has
        no value.
        """
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Attribute) and node.func.attr == "format"):
            return node
        words = _words(node.func.value)
        if words is None:
            return node
        named = {x.arg: x.value for x in node.keywords if x.arg}
        return _filled(_NEW_FIELD, words, node.args, named) or node


def _words(node: ast.AST) -> str | None:
    """The value of a string constant; ``None`` for any other node."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _filled(
    field: re.Pattern[str],
    words: str,
    values: Sequence[ast.expr],
    named: dict[str, ast.expr] | None = None,
) -> ast.AST | None:
    """The words of a format with its values between them, as one node; ``None`` if it has no field,
    or a field has no value.

    field: ``_OLD_FIELD`` for ``%``, ``_NEW_FIELD`` for ``format``. named: values by keyword. How a
    field formats its value is lost.
    """
    parts: list[ast.expr] = []
    done = number = 0
    for at in field.finditer(words):
        escaped = at[2] if field is _OLD_FIELD else at[1]
        name = (at[1] if field is _OLD_FIELD else at[2]) or ""
        parts.append(ast.Constant(words[done : at.start()]))
        done = at.end()
        if escaped:
            parts.append(ast.Constant(escaped[0]))
            continue
        if not name:
            name, number = str(number), number + 1
        if name.isdigit() and int(name) < len(values):
            parts.append(values[int(name)])
        elif named and name in named:
            parts.append(named[name])
        else:
            return None
    parts.append(ast.Constant(words[done:]))
    return _joined(parts) if len(parts) > 1 else None


def _joined(parts: Sequence[ast.expr]) -> ast.AST:
    """A made-up call that stands for a text of these parts in order; neighbouring words become a
    single part, empty ones vanish.
    """
    merged: list[ast.expr] = []
    for part in parts:
        text, before = _words(part), _words(merged[-1]) if merged else None
        if text is not None and before is not None:
            merged[-1] = ast.Constant(before + text)
        elif text != "":
            merged.append(part)
    return ast.Call(ast.Name("text of"), merged, [])


def _formats(place: ast.AST) -> Iterator[str]:
    """Yield, as the parser writes them, the texts below a node that get their values by ``%`` or
    ``format``.
    """
    for node in ast.walk(place):
        is_old = (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mod)
            and _words(node.left) is not None
        ) or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "format"
            and _words(node.func.value) is not None
        )
        if is_old:
            yield ast.unparse(node)


_KINDS: dict[ConstructKind, _Kind] = {
    "docstring": _Kind(_docstrings, _undocument),
    "log": _statements(_is_log),
    "print": _statements(_is_print),
    "try": _Kind(_tries, lambda place: _Untried().generic_visit(place)),
    "type": _Kind(_types, lambda _: None),
    "import": _Kind(_imports, lambda _: None),
    "f-string": _Kind(_formats, lambda place: _Formatted().generic_visit(place)),
}
