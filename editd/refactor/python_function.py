"""The one Python function of a name, and where its header ends."""

from __future__ import annotations

import io
import tokenize

from editd.syntax.code import Code
from editd.syntax.python_text import Function, FunctionOrClass, PythonText


def only_function(name: str, code: Code) -> tuple[PythonText, Function] | None:
    """The parsed text and the one function or method called ``name``, or ``Class.name``; any name if it is empty.
    ``None`` if there are none or several, or the text is no Python that parses.
    """
    python = code.python
    definitions = python.definitions(name) if python else []
    found = [definition for definition in definitions if isinstance(definition, Function)]
    return (python, found[0]) if python and len(found) == 1 else None


def header_colon(python: PythonText, function: FunctionOrClass) -> int | None:
    """The offset of the colon that ends the header of ``function``; ``None`` if its tokens cannot
    be read, or it has none.
    """
    start, end = python.span(function)
    depth = 0
    lines = python.text[start:end].split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(python.text[start:end]).readline):
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                if token.string == ":" and not depth:
                    row, column = token.start
                    return start + sum(len(line) + 1 for line in lines[: row - 1]) + column
    except (tokenize.TokenError, SyntaxError):
        return None
    return None


def body_start(python: PythonText, function: FunctionOrClass) -> tuple[int, str] | None:
    """The number (0-based) of the line after the header, and the body's indentation; ``None`` if code follows the
    header on its line, or its colon is not found. A comment may follow.
    """
    colon = header_colon(python, function)
    if colon is None:
        return None
    rest = python.text[colon:].split("\n", 1)[0][1:].strip()
    if rest and not rest.startswith("#"):
        return None
    line = python.text.count("\n", 0, colon) + 1
    return line, python.indent(python.first(function.body[0]))
