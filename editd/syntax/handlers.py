"""The functions that are known by what calls them: handlers of routes, events and commands, with a name of their own or without.

"the delete route" is the function that ``router.delete('/books', …)`` gets, "the ping handler" is ``on_ping``, "GET /books" has the
decorator ``@app.get("/books")``. Words for a handler have a blank, which no name has.
"""

from __future__ import annotations

import re

from editd.syntax.code import Code
from editd.syntax.trees import Node
from editd.syntax.words import words_in_name

_GLUE = frozenset(
    """
    the a an on of for in handle handler handlers route endpoint callback hook listener command cmd view do event request method http
    api
    """.split()  # noqa: SIM905
)
_PATH = re.compile(r"(?<!\w)/[\w/:.{}<>*-]*")
_STRING = re.compile(r"[\"'`]([^\"'`]*)[\"'`]")
_FUNCTIONS = (
    "arrow_function", "function_expression", "function", "func_literal", "lambda_expression", "closure_expression",
)  # fmt: skip
_ARGUMENTS = ("arguments", "argument_list")
_CALLS = ("call_expression", "method_invocation")


def is_for_handler(name: str) -> bool:
    """Whether a location is words for a handler, and no name."""
    return " " in name


def handler_name(words: str, code: Code) -> str:
    """The name of the one function that the words for a handler mean, by its own name or its decorators; empty for none or several.
    Any other name is returned as it is.
    """
    if not is_for_handler(words):
        return words
    named, path = _parts_of(words)
    found = set()
    for definition in code.definitions:
        if not definition.is_block:
            continue
        own = set(words_in_name(definition.name)) - _GLUE
        lines = code.lines[definition.start : definition.end]
        marks = "".join(x for x in lines if x.lstrip().startswith("@"))
        if (not path and own and own == named) or _fits(marks, named, path):
            found.add(definition.qualified)
    return found.pop() if len(found) == 1 else ""


def handler_node(words: str, code: Code) -> Node | None:
    """The one function without a name that is given to a call which has the words for a handler; ``None`` for none or several, and
    where no tree is known.
    """
    if code.tree is None or not is_for_handler(words):
        return None
    named, path = _parts_of(words)
    found = []
    for node in code.tree.nodes(*_FUNCTIONS):
        call = node.parent.parent if node.parent and node.parent.type in _ARGUMENTS else None
        if call is None or call.type not in _CALLS:
            continue
        head = code.text[code.tree.span(call)[0] : code.tree.span(node)[0]]
        if "{" not in head and _fits(head, named, path):
            found.append(node)
    return found[0] if len(found) == 1 else None


def _parts_of(words: str) -> tuple[set[str], str]:
    """The words that say which handler is meant, and the path of a route; empty for none."""
    path = _PATH.search(words)
    bare = words.replace(path[0], " ") if path else words
    return set(words_in_name(bare)) - _GLUE, path[0] if path else ""


def _fits(head: str, named: set[str], path: str) -> bool:
    """Whether the code before a handler has all words for it, and its path as a whole text."""
    if not head or not (named or path):
        return False
    return named <= set(words_in_name(head)) and (not path or path in _STRING.findall(head))
