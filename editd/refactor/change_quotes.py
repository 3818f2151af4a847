"""Changes quotes."""

from __future__ import annotations

import re

from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import read_code
from editd.syntax.language import SCRIPTS

_DELIMITED = re.compile(r"(?s)([A-Za-z]*)('''|\"\"\"|'|\")(.*)\2")


def change_quotes(wanted: str, text: str, language: str) -> Candidates | None:
    """wanted: ``'`` or ``"``."""
    if language == "python":
        tokens = read_code(text, language).parsed_tokens or ()
        places = [(one.start, one.end) for one in tokens if one.kind in ("string", "docstring")]
    elif language in SCRIPTS and (tree := read_code(text, language).tree) is not None:
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
    return Candidates((with_spans(text, spans),), is_certain=True)
