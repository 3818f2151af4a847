"""Deletes docstrings."""

from __future__ import annotations

import ast

from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import read_code
from editd.syntax.python_text import docstring_of, is_text
from editd.syntax.words import as_word


def delete_docstrings(name: str, text: str) -> Candidates | None:
    """A Python text without its docstrings, or without that of the one definition ``name``.

    A body that would be empty gets ``pass``. Of a text that reads ``__doc__`` nothing is decided.
    """
    python = read_code(text, "python").python
    if python is None or python.is_part:
        return None
    named = python.definitions(name) if name else [python.tree, *python.definitions()]
    if name and len(named) != 1:
        return None
    spans: Spans = []
    for node in named:
        if (said := docstring_of(node)) is None:
            continue
        body: list[ast.stmt] = node.body
        first, last = python.first(said), python.last(said) + 1
        if len(body) == 1 and node is not python.tree:
            spans.append((*python.span(said), "pass"))
            continue
        if not python.is_alone(said) or (body[1:] and is_text(body[1])):
            return None
        above = python.lines[first - 1].strip() if first else ""
        while last < len(python.lines) and not python.lines[last].strip():
            if node is python.tree and above:
                break  # the blank line below a file's first comments
            last += 1
        spans.append((python.line_start(first), python.line_start(last), ""))
    is_clear = not as_word("__doc__").search(text)
    return Candidates((with_spans(text, spans),), is_certain=is_clear)
