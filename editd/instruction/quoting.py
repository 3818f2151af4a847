"""Quotes of the other kind around strings, where the string stays the same.

Docstrings keep three double quotes (PEP 257), attributes in JSX their own; a string that has the wanted
quote in it is left alone.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from editd.instruction.meant import Literal, Spans, with_spans
from editd.instruction.source import parses, tree_of

_SCRIPTS = ("javascript", "jsx", "typescript", "tsx")
_DELIMITED = re.compile(r"(?s)([A-Za-z]*)('''|\"\"\"|'|\")(.*)\2")


def with_quotes(wanted: str, text: str, language: str) -> Literal | None:
    """wanted: ``'`` or ``"``."""
    if language == "python":
        places = list(_of_python(text)) if parses(text, language) else None
    elif language in _SCRIPTS and (tree := tree_of(text, language)) is not None:
        strings = tree.nodes("string")
        places = [
            tree.span(one)
            for one in strings
            if one.parent is not None and one.parent.type != "jsx_attribute"
        ]
    else:
        places = None
    if not places:
        return None
    spans: Spans = []
    for start, end in places:
        found = _DELIMITED.fullmatch(text, start, end)
        if found is None:
            continue
        prefix, mark, said = found.groups()
        if mark[0] == wanted or (len(mark) == 3 and (wanted == "'" or said.endswith('"'))):
            continue
        if '"""' in said or (len(mark) == 1 and wanted in said):
            continue
        if len(mark) == 1 and "r" not in prefix.lower():
            said = re.sub(rf"\\({mark})|(\\.)", r"\1\2", said, flags=re.DOTALL)
        spans.append((start, end, f"{prefix}{wanted * len(mark)}{said}{wanted * len(mark)}"))
    return Literal((with_spans(text, spans),), is_single=True)


def _of_python(text: str) -> Iterator[tuple[int, int]]:
    """Where each string literal stands, those with fields included."""
    shift = "if 1:\n" if text[:1].isspace() else ""
    starts = [0]
    for line in (shift + text).split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    first, last = getattr(tokenize, "FSTRING_START", -1), getattr(tokenize, "FSTRING_END", -1)
    begun: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(shift + text).readline):
            start = starts[token.start[0] - 1] + token.start[1] - len(shift)
            end = starts[token.end[0] - 1] + token.end[1] - len(shift)
            if token.type == first:
                begun.append(start)
            elif token.type == last:
                start = begun.pop()
                if not begun:
                    yield start, end
            elif token.type == tokenize.STRING and not begun:
                yield start, end
    except (tokenize.TokenError, SyntaxError):
        return
