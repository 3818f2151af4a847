"""Adds a docstring to a Python function."""

from __future__ import annotations

import re

from editd.intent.intents import AddDocstring
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.python_function import body_start, only_function
from editd.syntax.code import read_code
from editd.syntax.python_text import docstring_of


def add_docstring(
    intent: AddDocstring, text: str, *, may_replace: bool = False
) -> Candidates | None:
    """``None`` where the words would not stand in a docstring, or there is one; may_replace: that one becomes another."""
    only = only_function(intent.function, read_code(text, "python"))
    place = body_start(*only) if only else None
    said = intent.text
    if only is None or place is None or not said.strip():
        return None
    if "\\" in said or '"""' in said or said.endswith('"') or "\n" in said:
        return None
    if (present := docstring_of(only[1])) is not None:
        start, end = only[0].span(present)
        quotes = re.match(r"\"\"\"|'''|\"|'", text[start:end])
        if not may_replace or quotes is None or quotes[0][0] in said:
            return None
        new = f"{quotes[0]}{said}{quotes[0]}"
        return Candidates((with_spans(text, [(start, end, new)]),), is_certain=True)
    line, indent = place
    start = only[0].line_start(line)
    return Candidates(
        (with_spans(text, [(start, start, f'{indent}"""{said}"""\n')]),), is_certain=True
    )
