"""Statements that print, in each language: shared by ``delete_prints`` and ``prints_to_logging``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.syntax.code import Code
from editd.syntax.python_text import Statement, call_of, written
from editd.syntax.trees import Node, Tree

PRINTING_CALLS = {
    "javascript": r"console\.log",
    "go": r"fmt\.Print(?:ln|f)?|println|print",
    "rust": r"e?print(?:ln)?|dbg",
    "java": r"System\.(?:out|err)\.(?:print|println|printf)",
    "c": r"printf|puts|putchar",
}
"""Patterns of functions that print, as a call spells them."""

_TERMINAL = ("sys.stderr", "sys.stdout", "stderr", "stdout", "None")
_PLAIN_TEXT = re.compile(r"(?<![\w])(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')")
_EFFECT = re.compile(
    r"\.(?:pop\w*|shift|unshift|push\w*|append|add|remove\w*|delete|next\w*|read\w*|recv\w*|send\w*|write\w*|insert|extend|update|clear"
    r"|close|take|drain|poll|setdefault|increment\w*|get_nowait)\s*\(|\b(?:next|input|setattr)\s*\(|\bawait\b|\byield\b|:=|\+\+|--\w|\w--|<-\s*\w|[+*/-]="
)


def printing_calls(tree: Tree, pattern: str) -> Iterator[Node]:
    """Yield the calls, in order, whose function is spelled as ``pattern`` says, white space aside."""
    for node in tree.nodes("call_expression", "method_invocation", "macro_invocation"):
        code = tree.code(node)
        head = re.match(r"[\w.\s]*\w", code)
        if head and re.fullmatch(pattern, re.sub(r"\s", "", head[0])):
            yield node


def statement_of(call: Node) -> Node | None:
    """The statement that is nothing but this call, or the call itself where the grammar has no node
    for that; ``None`` if it is a part of an expression.
    """
    parent = call.parent
    if parent is None:
        return None
    if parent.type == "expression_statement":
        return parent
    # Go's grammar has had no node between, and a Rust block may end in a call without a semicolon.
    return call if parent.type in ("block", "statement_list", "source_file") else None


def has_effect(call: str) -> bool:
    """Whether the arguments of a call that prints, as they are written, do more than give values: they take something
    out of a list or a stream, wait, count up or assign. Calls of functions of the file count as values.
    """
    arguments = call[call.find("(") :]
    return _EFFECT.search(_PLAIN_TEXT.sub('""', arguments)) is not None


def defines_print(code: Code, pattern: str) -> bool:
    """Whether a text defines a function that is spelled as ``pattern`` says, so that its calls need not print."""
    return any(
        definition.is_block and not definition.owner and re.fullmatch(pattern, definition.name)
        for definition in code.definitions
    )


def is_to_a_file(node: Statement) -> bool:
    """Whether a statement is a print that may write to something else than the terminal: its ``file`` is neither
    ``None`` nor ``stdout`` or ``stderr`` (with or without ``sys.``), or it has ``**``.
    """
    call = call_of("print", node)
    files = (
        [argument for argument in call.keywords if argument.arg in ("file", None)] if call else []
    )
    return any(written(argument.value) not in _TERMINAL for argument in files)
