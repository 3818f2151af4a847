"""Changes the quotes around strings where the string stays the same.

Docstrings keep three double quotes (PEP 257), attributes in JSX their own; a string that has the new quote in it
is left alone.

a.py, "use double quotes"::

    x = 'a', 'say "x"'

becomes::

    x = "a", 'say "x"'
"""

from __future__ import annotations

import re

from editd.intent.intents import ChangeQuotes
from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS

_DELIMITED = re.compile(r"(?s)([A-Za-z]*)('''|\"\"\"|'|\")(.*)\2")


def change_quotes(intent: ChangeQuotes, code: Code) -> Candidates | None:
    """The text with its strings in ``intent.quote``, as a certain candidate, in Python, JavaScript and TypeScript, even
    if none changes. Strings that have the new quote inside stay as they are, also template strings, attributes of JSX,
    and triple quotes if the new quote is single. ``None`` if it has no strings, does not parse, or in other languages.

    Only the strings that are ``intent.text``, if that is not empty, in all languages whose strings are known; ``None``
    if there is none.
    """
    text, language, quote = code.text, code.language, intent.quote
    if language == "python":
        tokens = code.parsed_tokens or ()
        places = [
            (token.start, token.end) for token in tokens if token.kind in ("string", "docstring")
        ]
    elif language in SCRIPTS and (tree := code.tree) is not None:
        places = [
            tree.span(node)
            for node in tree.nodes("string")
            if node.parent is not None and node.parent.type != "jsx_attribute"
        ]
    elif intent.text:
        places = [(token.start, token.end) for token in code.tokens_of("string")]
    else:
        places = None
    if places and intent.text:
        places = [span for span in places if text[slice(*span)].strip("'\"") == intent.text]
    if not places:
        return None
    spans: Spans = []
    for start, end in places:
        found = _DELIMITED.fullmatch(text, start, end)
        if found is None:
            continue
        prefix, mark, inside = found.groups()
        if mark[0] == quote or (len(mark) == 3 and (quote == "'" or inside.endswith('"'))):
            continue
        if '"""' in inside or (len(mark) == 1 and quote in inside):
            continue
        if len(mark) == 1 and "r" not in prefix.lower():
            inside = re.sub(rf"\\({mark})|(\\.)", r"\1\2", inside, flags=re.DOTALL)
        spans.append((start, end, f"{prefix}{quote * len(mark)}{inside}{quote * len(mark)}"))
    return Candidates((with_spans(text, spans),), is_certain=True)
