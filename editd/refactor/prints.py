"""Statements that print, taken out or turned into log calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from editd.intent.intents import AddImport
from editd.refactor.adding import imported
from editd.refactor.candidates import Literal, Spans, that_stays, whole_lines, with_spans
from editd.syntax.python_text import PythonText, read_python
from editd.syntax.tokens import SCRIPTS, Tree, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = {
    "javascript": r"console\.log",
    "go": r"fmt\.Print(?:ln|f)?|println|print",
    "rust": r"e?print(?:ln)?",
    "java": r"System\.(?:out|err)\.(?:print|println|printf)",
    "c": r"printf|puts|putchar",
}
"""What prints, as a call spells it."""
WITH_A_STATEMENT = frozenset(
    """
    if_statement else_clause for_statement for_in_statement while_statement do_statement enhanced_for_statement with_statement
    """.split()  # noqa: SIM905
)
"""What can consist of one statement without braces."""
_BLOCKS = frozenset(
    """
    program statement_block class_static_block switch_case switch_default block source_file statement_list
    compound_statement translation_unit constructor_body expression_case default_case communication_case
    switch_block_statement_group
    """.split()  # noqa: SIM905
)


def without_prints(said: str, text: str, language: str) -> Literal | None:
    """The text without its statements that print; said: the instruction."""
    names = {
        name: re.search(rf"\b{name}", said, re.IGNORECASE)
        for name in ("console", "printf", "println")
    }
    if language == "python":
        return None if any(names.values()) else _without_python_prints(text)
    tree = tree_of(text, language)
    pattern = _CALLS.get("javascript" if language in SCRIPTS else language)
    if tree is None or pattern is None:
        return None
    if any(found and name not in pattern for name, found in names.items()):
        return None
    spans: Spans = []
    stays: Spans = []
    calls = list(_calls(tree, pattern))
    if language == "rust" and len(calls) < sum(
        bool(re.fullmatch(pattern, tree.code(one))) for one in tree.nodes("identifier")
    ):
        return Literal((text,))  # inside another macro, whose syntax nobody knows
    for call in calls:
        statement = _statement_of(call)
        if statement is None:
            stays.append((*tree.span(call), ""))
        elif statement.parent is None or statement.parent.type not in _BLOCKS:
            if statement.parent is None or statement.parent.type not in WITH_A_STATEMENT:
                return Literal((text,))  # between directives of a preprocessor, in a label
            spans.append((*tree.span(statement), "{}"))
        else:
            start, end = tree.span(statement)
            spans.append(whole_lines(text, start, end) or (start, end, ""))
    if not spans:
        return Literal((text,), is_single=not re.search(r"console\.|print|System\.out", text))
    what = that_stays(text, ("other places", stays))
    return Literal((with_spans(text, spans),), is_single=True, stays=what)


def _calls(tree: Tree, pattern: str) -> Iterator[Node]:
    for node in tree.nodes("call_expression", "method_invocation", "macro_invocation"):
        code = tree.code(node)
        head = re.match(r"[\w.\s]*\w", code)
        if head and re.fullmatch(pattern, re.sub(r"\s", "", head[0])):
            yield node


def _statement_of(call: Node) -> Node | None:
    """The statement that is nothing but this call."""
    parent = call.parent
    if parent is None:
        return None
    if parent.type == "expression_statement":
        return parent
    # Go's grammar has had no node between, and a Rust block may end in a call without a semicolon.
    return call if parent.type in ("block", "statement_list", "source_file") else None


# Python


def _has_own_print(tree: ast.Module) -> bool:
    """Whether ``print`` is, somewhere in the file, something else than Python's."""
    methods = {
        id(one) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body
    }
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name="print") | ast.AsyncFunctionDef(name="print"):
                if id(node) not in methods:
                    return True
            case ast.arg(arg="print") | ast.Name(id="print", ctx=ast.Store()):
                return True
            case ast.alias(name=name, asname=asname) if (asname or name) == "print":
                return True
    return False


def _printing(node: ast.stmt) -> ast.Call | None:
    """The call that a statement that prints is."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print")) as call):
            return call
    return None


def _without_python_prints(text: str) -> Literal | None:
    python = read_python(text)
    if python is None or _has_own_print(python.tree):
        return None
    spans: Spans = []
    stays: Spans = []
    is_alone = True
    for body in python.bodies():
        prints = [node for node in body if _printing(node)]
        kept = [node for node in prints if _is_to_a_file(node)]
        stays += [(*python.span(node), "") for node in kept]
        gone = [node for node in prints if node not in kept]
        for node in gone:
            is_alone = is_alone and python.is_alone(node)
            first = python.first(node)
            left = f"{python.indent(first)}pass\n" if gone == body and node is body[-1] else ""
            is_module = body is python.tree.body
            start, end = python.line_start(first), python.line_start(python.last(node) + 1)
            spans.append((start, end, "" if is_module else left))
    bare = with_spans(text, [(start, end, "") for start, end, _ in spans])
    readings = dict.fromkeys((with_spans(text, spans), bare))
    return Literal(
        tuple(readings),
        is_alone and bool(spans or stays or "print" not in text),
        that_stays(text, ("prints to a file", stays)),
    )


def _is_to_a_file(node: ast.stmt) -> bool:
    """Whether a print may write to something else than the terminal."""
    call = _printing(node)
    files = [one for one in call.keywords if one.arg in ("file", None)] if call else []
    return any(ast.unparse(one.value) not in _TERMINAL for one in files)


_TERMINAL = ("sys.stderr", "sys.stdout", "stderr", "stdout", "None")


def logging_prints(text: str, language: str) -> Literal | None:
    """The text with log calls where it printed, in the file's own manner.

    Without a logger in it, a Python text gets ``import logging``; other languages are left to a model.
    """
    if language in SCRIPTS:
        return _with_script_logger(text, language)
    python = read_python(text) if language == "python" else None
    if python is None or python.is_part or _has_own_print(python.tree):
        return None
    prints = [node for body in python.bodies() for node in body if _printing(node)]
    logger, defined, is_imported = _logger(python.tree)
    spans: Spans = []
    stays: Spans = []
    for node in prints:
        call = _logged(node, python, f"{logger}.info")
        if call is None:
            stays.append((*python.span(node), ""))
        elif defined is not None and node in python.tree.body and node.lineno < defined:
            return None
        else:
            spans.append(call)
    if not spans:
        return Literal((text,), is_single=not prints)
    new = with_spans(text, spans)
    if not is_imported:
        with_import = imported(AddImport("logging"), new)
        if with_import is None:
            return None
        new = with_import.readings[0]
    return Literal((new,), is_single=True, stays=that_stays(text, ("prints that do more", stays)))


def _logger(tree: ast.Module) -> tuple[str, int | None, bool]:
    """What the text logs with, the line that defines it, and whether it is there."""
    name, defined, is_imported = "logging", None, False
    for node in tree.body:
        if isinstance(node, ast.Import):
            is_imported |= any(one.name == "logging" and one.asname is None for one in node.names)
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call(func=called)) if (
                ast.unparse(called).endswith(("getLogger", "get_logger"))
            ):
                return target, node.lineno, True
    return name, defined, is_imported


def _logged(node: ast.stmt, python: PythonText, function: str) -> tuple[int, int, str] | None:
    """A print as a log call; ``None`` if it does what a log call does not."""
    call = _printing(node)
    if call is None or call.keywords or not call.args:
        return None
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    start, end = python.span(call.func)
    if len(call.args) == 1:
        return start, end, function
    start, end = python.span(node)
    if "\n" in python.text[start:end]:
        return None
    pieces, values = [], []
    for one in call.args:
        code = python.code(one)
        plain = re.fullmatch(r"(['\"])((?:(?!\1)[^\\]|\\.)*)\1", code)
        if plain and isinstance(one, ast.Constant) and '"' not in plain[2]:
            pieces.append(re.sub(r"\\'", "'", plain[2]).replace("%", "%%"))
        else:
            pieces.append("%s")
            values.append(
                f"({code})" if isinstance(one, ast.NamedExpr | ast.GeneratorExp) else code
            )
    message = " ".join(pieces)
    if not values:
        message = message.replace("%%", "%")
    arguments = ", ".join([f'"{message}"', *values])
    return start, end, f"{function}({arguments})"


def _with_script_logger(text: str, language: str) -> Literal | None:
    """``console.log`` of one thing, where the text has a logger of its own."""
    tree = tree_of(text, language)
    found = re.search(
        r"^(?:import (?:\{ ?)?|(?:export )?(?:const|let|var) )(logger|log)\b(?= \}? ?from| ?\}| ?=| from)",
        text,
        re.MULTILINE,
    )
    if tree is None or found is None:
        return None
    spans: Spans = []
    stays: Spans = []
    for call in _calls(tree, _CALLS["javascript"]):
        arguments = call.child_by_field_name("arguments")
        function = call.child_by_field_name("function")
        given = (
            [one for one in arguments.named_children if "comment" not in one.type]
            if arguments
            else []
        )
        is_one = len(given) == 1 and given[0].type != "spread_element"
        if _statement_of(call) is not None and is_one and function is not None:
            spans.append((*tree.span(function), f"{found[1]}.info"))
        else:
            stays.append((*tree.span(call), ""))
    if not spans:
        return None
    what = that_stays(text, ("calls that do more", stays))
    return Literal((with_spans(text, spans),), is_single=True, stays=what)
