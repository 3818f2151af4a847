'''Adds a docstring to a Python function, or replaces the one that it has.

a.py, "document load with 'Read a file.'"::

    def load(path):
        return open(path).read()

becomes::

    def load(path):
        """Read a file."""
        return open(path).read()
'''

from __future__ import annotations

import re

from editd.intent.intents import AddDocstring
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.python_function import body_start, only_function
from editd.syntax.code import Code
from editd.syntax.python_text import docstring_of


def add_docstring(
    intent: AddDocstring, code: Code, *, may_replace: bool = False
) -> Candidates | None:
    """The text with the docstring as the first line of the function's body, as a certain candidate.

    ``None`` if not exactly one function has the name, or its body begins on the line of its header; if the docstring is
    blank, has a line end, a backslash or three double quotes in it, or ends with a double quote; or if the function has
    a docstring.

    may_replace: the docstring that the function has is replaced, in its own quotes; ``None`` if that has a prefix
    (``r``), or the new one contains a character of these quotes.
    """
    text = code.text
    only = only_function(intent.function, code)
    first_line = body_start(*only) if only else None
    docstring = intent.text
    if only is None or first_line is None or not docstring.strip():
        return None
    if "\\" in docstring or '"""' in docstring or docstring.endswith('"') or "\n" in docstring:
        return None
    if (present := docstring_of(only[1])) is not None:
        start, end = only[0].span(present)
        quotes = re.match(r"\"\"\"|'''|\"|'", text[start:end])
        if not may_replace or quotes is None or quotes[0][0] in docstring:
            return None
        new = f"{quotes[0]}{docstring}{quotes[0]}"
        return Candidates((with_spans(text, [(start, end, new)]),), is_certain=True)
    line, indent = first_line
    start = only[0].line_start(line)
    return Candidates(
        (with_spans(text, [(start, start, f'{indent}"""{docstring}"""\n')]),), is_certain=True
    )
