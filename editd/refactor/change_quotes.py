"""Changes the quotes around strings where the string stays the same.

Docstrings keep three double quotes (PEP 257), attributes in JSX their own; a string that has the new quote in it
is left alone.

a.py, "use double quotes"::

    x = 'a', 'say "x"'

becomes::

    x = "a", 'say "x"'

a.py, "only HOST should have double quotes"::

    HOST = 'a'
    NAME = 'b'

becomes::

    HOST = "a"
    NAME = 'b'
"""

from __future__ import annotations

import re

from editd.intent.intents import ChangeQuotes
from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.refactor.delete_commented_code import commented_code
from editd.refactor.entries import lines_called
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS

_CONSTANT = re.compile(
    r"(?:export |static |public |private )*(?:(?:const|let|var|val|final)\b.*?\b)?(?P<name>[A-Z][A-Z\d_]*)\s*(?::[^=]+)?=(?!=)"
)
_UNSAFE = {  # what a string says otherwise in the new quotes
    "bash": {'"': r"[$`\\!]", "'": r"[$`\\]"},
    "css": {},
    "toml": {'"': r"\\", "'": r"\\"},
    "yaml": {'"': r"\\|''", "'": r"\\"},
}
_DELIMITED = re.compile(r"(?s)([A-Za-z]*)('''|\"\"\"|'|\")(.*)\2")


def change_quotes(intent: ChangeQuotes, code: Code) -> Candidates | None:
    """The text with its strings in ``intent.quote``, as a certain candidate, in Python, JavaScript, TypeScript, shells,
    CSS, TOML and YAML, even if none changes. Strings that have the new quote inside stay as they are, or would say something else; also template strings, attributes of JSX,
    and triple quotes if the new quote is single. ``None`` if it has no strings, does not parse, or in other languages.

    Only the strings that are ``intent.text``, if that is not empty, and only those in what ``intent`` names, or of its part, if it
    names anything, in all languages whose strings are known; ``None`` if there is none, also for one of several names, and if strings of commented-out code are meant and there are none.
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
    elif intent.text or intent.names or language in _UNSAFE:
        places = [(token.start, token.end) for token in code.tokens_of("string")]
    else:
        places = None
    if places and intent.text:
        places = [span for span in places if text[slice(*span)].strip("'\"") == intent.text]
    if places and (intent.names or intent.constants >= 0):
        places = _limited(intent, places, code)
    if places and intent.part:
        places = [span for span in places if _is_of(intent.part, span, code)]
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
        unsafe = _UNSAFE.get(language, {}).get(quote)
        if unsafe and re.search(unsafe, inside):
            continue
        if '"""' in inside or (len(mark) == 1 and quote in inside):
            continue
        if len(mark) == 1 and "r" not in prefix.lower():
            inside = re.sub(rf"\\({mark})|(\\.)", r"\1\2", inside, flags=re.DOTALL)
        spans.append((start, end, f"{prefix}{quote * len(mark)}{inside}{quote * len(mark)}"))
    if intent.with_comments:
        commented = _in_commented_code(quote, code)
        if not commented:
            return None
        spans += commented
    return Candidates((with_spans(text, spans),), is_certain=True)


def _is_of(part: str, span: tuple[int, int], code: Code) -> bool:
    """Whether a string stands in an import or a ``require`` (part ``imports``), or is a key (``keys``)."""
    start, end = span
    if part == "keys":
        return re.match(r"\s*:(?!:)", code.text[end:]) is not None
    line = code.lines[code.text.count("\n", 0, start)]
    is_import = any(x.start <= start < x.end for x in code.imports)
    return is_import or re.match(r"\s*(?:const|let|var)\b.*\brequire\(", line) is not None


def _in_commented_code(quote: str, code: Code) -> Spans:
    """The spans that write strings of commented-out code in other quotes; none if one has the new quote in it."""
    spans: Spans = []
    for number in commented_code(code):
        at, line = code.line_starts[number], code.lines[number]
        for found in re.finditer(
            r"(?P<mark>['\"])(?P<inside>(?:(?!(?P=mark))[^\\\n])*)(?P=mark)", line
        ):
            if found["mark"] != quote and quote not in found["inside"]:
                spans.append(
                    (at + found.start(), at + found.end(), f"{quote}{found['inside']}{quote}")
                )
    return spans


def _limited(
    intent: ChangeQuotes, places: list[tuple[int, int]], code: Code
) -> list[tuple[int, int]]:
    """The strings at ``places`` (start and end offsets) that stand in what the intent names, in order, each once: those
    that are a name themselves, or else stand on the lines of the definition or setting called so; and if the intent
    speaks of constants, those on lines that assign one.

    Empty if one of the names has no string, or the constants with strings are not as many as the intent says (0: any
    number).
    """
    found: set[tuple[int, int]] = set()
    for name in intent.names:
        own = [span for span in places if code.text[slice(*span)].strip("'\"") == name]
        lines = None if own else lines_called(name, code)
        own = own if lines is None else _on_lines(range(*lines), places, code)
        if not own:
            return []
        found.update(own)
    if intent.constants >= 0:
        numbers = [n for n, line in enumerate(code.lines) if _CONSTANT.match(line)]
        of_each = [own for n in numbers if (own := _on_lines(range(n, n + 1), places, code))]
        if not of_each or intent.constants not in (0, len(of_each)):
            return []
        found.update(span for own in of_each for span in own)
    return sorted(found)


def _on_lines(lines: range, places: list[tuple[int, int]], code: Code) -> list[tuple[int, int]]:
    """The spans that begin on these lines."""
    start, end = code.line_starts[lines.start], code.line_starts[lines.stop]
    return [span for span in places if start <= span[0] < end]
