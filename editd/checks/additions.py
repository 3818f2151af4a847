"""Whether what is to be added to a definition is there, and everything else as it was.

"Document X", "log each call of X", "guard X", "X returns bool": how that is written is the model's business,
where it belongs is not. Python alone, by syntax tree. A sentence that asks for anything else besides is not
judged, nor a text that does not parse.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from editd.diff.document import Document, with_lf
from editd.diff.hunk import Hunk
from editd.instruction import Instruction
from editd.instruction.source import parse_python

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Added:
    """missing: what the answer does not add, and the line where; more: ids of hunks that change other things."""

    missing: str = ""
    line: int = 0
    more: frozenset[int] = frozenset()


def added(document: Document, hunks: Sequence[Hunk], said: Instruction) -> Added | None:
    """What an answer adds beside what the words name; ``None`` where they ask for no addition."""
    told = said.nameless
    kinds = [kind for kind in _KINDS if kind.words.search(told)]
    if not kinds or _OTHER.search(told):
        return None
    names = {name.rpartition(".")[2] for name in (*said.names, *said.words, *said.quoted)}
    old = _Module.of(document.model_text, names)
    text = _applied(document, hunks)
    new = _Module.of(text, names)
    if old is None or new is None or not old.named:
        return None
    if absent := [asked for asked in said.quoted if asked not in text]:
        return Added(f"“{absent[0]}”")
    if all(kind.found(old.named) == kind.found(new.named) for kind in kinds):
        first = old.named[0]
        return Added(f"{kinds[0].title} for “{first.name}”", first.lineno - 1 - old.shift)
    if new.without(kinds, old) == old.without(kinds, old):
        return Added()
    others = {
        hunk.id
        for hunk in hunks
        if (alone := _Module.of(_applied(document, [hunk]), names)) is not None
        and alone.without(kinds, old) != old.without(kinds, old)
    }
    return Added(more=frozenset(others or {hunk.id for hunk in hunks}))


@dataclass(frozen=True, slots=True)
class _Kind:
    """words: of a sentence that asks for it. title: with its article. things: those in a definition.
    strip: takes them out of one.
    """

    words: re.Pattern[str]
    title: str
    things: Callable[[_Definition], Iterator[ast.AST | str]]
    strip: Callable[[_Definition], None]

    def found(self, named: Sequence[_Definition]) -> list[str]:
        return [
            thing if isinstance(thing, str) else ast.dump(thing)
            for one in named
            for thing in self.things(one)
        ]


@dataclass(frozen=True, slots=True)
class _Module:
    """A parsed text. named: the definitions that the words name. shift: lines before the text."""

    tree: ast.Module
    named: list[_Definition]
    names: set[str]
    shift: int

    @classmethod
    def of(cls, text: str, names: set[str]) -> _Module | None:
        parsed = parse_python(text)
        if parsed is None:
            return None
        tree, shift = parsed
        return cls(tree, list(_named(tree, names)), names, shift)

    def without(self, kinds: Sequence[_Kind], old: _Module) -> str:
        """All but what these kinds add, and but imports that ``old`` has not, in the parser's words."""
        tree = copy.deepcopy(self.tree)
        for one in _named(tree, self.names):
            if _DOCSTRING not in kinds and ast.get_docstring(one) is None:
                one.name += " without a docstring"  # that something stands before it now
            for kind in kinds:
                kind.strip(one)
        had = {ast.unparse(node) for node in old.tree.body}
        tree.body = [node for node in tree.body if ast.unparse(node) in had or not _is_means(node)]
        return ast.dump(tree)


def _named(tree: ast.Module, names: set[str]) -> Iterator[_Definition]:
    for node in ast.walk(tree):
        if isinstance(node, _Definition) and node.name in names:
            yield node


def _applied(document: Document, hunks: Sequence[Hunk]) -> str:
    lines: list[str] = []
    done = 0
    for hunk in hunks:
        lines += [
            *document.model_lines[done : hunk.start],
            *with_lf(hunk.new_lines),
        ]
        done = hunk.start + hunk.old_count
    return "".join((*lines, *document.model_lines[done:]))


def _is_means(node: ast.stmt) -> bool:
    """An import, or ``logger = logging.getLogger(…)``."""
    return isinstance(node, ast.Import | ast.ImportFrom) or (
        isinstance(node, ast.Assign) and "getLogger(" in ast.unparse(node)
    )


# --- docstrings ---


def _docstring(one: _Definition) -> Iterator[str]:
    found = ast.get_docstring(one, clean=False)
    if found is not None:
        yield found


def _undocument(one: _Definition) -> None:
    if ast.get_docstring(one, clean=False) is not None:
        one.body = one.body[1:]


# --- logging calls ---


def _is_log(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _LEVELS
        and "log" in ast.unparse(function).lower()
    )


def _logs(one: _Definition) -> Iterator[ast.AST]:
    return filter(_is_log, ast.walk(one))


class _Unlogged(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if _is_log(node) else node


def _unlog(one: _Definition) -> None:
    _Unlogged().generic_visit(one)


# --- try ---


def _tries(one: _Definition) -> Iterator[ast.AST]:
    return (node for node in ast.walk(one) if isinstance(node, ast.Try))


class _Untried(ast.NodeTransformer):
    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        self.generic_visit(node)
        return [*node.body, *node.orelse, *node.finalbody]


def _untry(one: _Definition) -> None:
    _Untried().generic_visit(one)


# --- types ---


def _annotated(one: _Definition) -> Iterator[ast.arg | _Definition]:
    for node in ast.walk(one):
        if isinstance(node, ast.arg | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _types(one: _Definition) -> Iterator[ast.AST]:
    for node in _annotated(one):
        found = node.annotation if isinstance(node, ast.arg) else getattr(node, "returns", None)
        if found is not None:
            yield found


def _untype(one: _Definition) -> None:
    for node in _annotated(one):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif not isinstance(node, ast.ClassDef):
            node.returns = None


_LEVELS = frozenset(["debug", "info", "warning", "warn", "error", "critical", "exception", "log"])
_DOCSTRING = _Kind(
    re.compile(r"\b(?:doc-?string|document(?:ed)?\b|describe\b)", re.IGNORECASE),
    "a docstring",
    _docstring,
    _undocument,
)
_KINDS = (
    _DOCSTRING,
    _Kind(
        re.compile(r"\blog(?:s|ged|ging)?\b(?! (?:in|out)\b)", re.IGNORECASE),
        "a logging call",
        _logs,
        _unlog,
    ),
    _Kind(
        re.compile(
            r"\b(?:try|catch\w*|guard\w*|except\w*|handle|raised)\b|\bon \w*error\b", re.IGNORECASE
        ),
        "a “try”",
        _tries,
        _untry,
    ),
    _Kind(
        re.compile(
            r"\b(?:types?|annotat\w+|hints?|returns|returning|return type|declare)\b", re.IGNORECASE
        ),
        "a type",
        _types,
        _untype,
    ),
)
# Where a sentence asks for anything else, or for the contrary.
_OTHER = re.compile(
    r"\b(?:refactor|restructur|renam|extract|mov(?:e|ing)|fix|convert|chang|replac|rewrit|remov|delet|drop"
    r"|split|simplif|implement|creat|support|modif|optimi|test|class|without|no longer|instead|also|then"
    r"|comment|parameter|print)|\band (?!(?:return|except|catch)\b)|[.;]\s+\w|\n",
    re.IGNORECASE,
)
