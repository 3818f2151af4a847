"""Deletes docstrings of a Python file; a body that would be empty gets ``pass``.

a.py, "delete the docstring of load"::

    def load(path):
        'Read a file.'
        return open(path).read()

becomes::

    def load(path):
        return open(path).read()
"""

from __future__ import annotations

from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import Code
from editd.syntax.python_text import Statement, docstring_of, is_text
from editd.syntax.words import as_word


def delete_docstrings(name: str, code: Code) -> Candidates | None:
    """The text without its docstrings and the blank lines below them, or without that of the one definition ``name``
    (empty for all); certain if ``__doc__`` is nowhere in it. A docstring that is all of a body becomes ``pass``.
    Unchanged if there is none.

    ``None`` if the text does not parse or is a part of a file, ``name`` is no single definition, or a docstring shares
    its lines, or another string follows it.
    """
    text = code.text
    python = code.python
    if python is None or python.is_part:
        return None
    named = python.definitions(name) if name else [python.tree, *python.definitions()]
    if name and len(named) != 1:
        return None
    spans: Spans = []
    for node in named:
        if (docstring := docstring_of(node)) is None:
            continue
        body: list[Statement] = node.body
        first, last = python.first(docstring), python.last(docstring) + 1
        if len(body) == 1 and node is not python.tree:
            spans.append((*python.span(docstring), "pass"))
            continue
        if not python.is_alone(docstring) or (body[1:] and is_text(body[1])):
            return None
        above = python.lines[first - 1].strip() if first else ""
        while last < len(python.lines) and not python.lines[last].strip():
            if node is python.tree and above:
                break  # the blank line below a file's first comments
            last += 1
        spans.append((python.line_start(first), python.line_start(last), ""))
    is_clear = not as_word("__doc__").search(text)
    return Candidates((with_spans(text, spans),), is_certain=is_clear)
