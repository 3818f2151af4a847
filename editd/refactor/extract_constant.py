"""Gives a number or text the name of a constant at the top of the file.

a.py, "pull the 30 days out into a constant called PAYMENT_DAYS"::

    from datetime import timedelta


    def due(issued):
        return issued + timedelta(days=30)

becomes::

    from datetime import timedelta

    PAYMENT_DAYS = 30


    def due(issued):
        return issued + timedelta(days=PAYMENT_DAYS)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.intents import ExtractConstant
from editd.refactor.candidates import Candidates, with_spans
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.tokens import Token

_TEXT = re.compile(r"([\"'])((?:(?!\1)[^\\\n])*)\1")
_DECLARED = {
    "python": re.compile(r"[A-Z][A-Z\d_]* *(?::[^=\n]*)?= *(?![\[({]$)[^\n]*[^\s\\,\[({]\n"),
    "go": re.compile(r"const \w+ = [^\n(]*\n"),
}
_IN_SCRIPTS = re.compile(r"(?:export )?const [A-Z][A-Z\d_]* = (?!require\b)[^\n]*[^{\[(,\s]\n")
_REQUIRED = re.compile(r"(?:const|let|var) .*\brequire\([^()]*\).*;?$")
_BEGINS = re.compile(
    r"(?:export )?(?:default )?(?:async )?(?:def|class|function|func|type|interface|@)\b|@"
)


def extract_constant(intent: ExtractConstant, code: Code) -> Candidates | None:
    """The text in which the constant stands behind the other constants at the top, else behind the imports, and takes the place of the one
    such literal, or of all that there are if the intent says so; a certain candidate.

    ``None`` in languages other than Python, JavaScript, TypeScript and Go; if the name is taken; if none or several literals are equal and
    one is meant; if it is the value of a constant already; or without a place.
    """
    if code.language not in ("python", "go", *SCRIPTS) or intent.name in code.names:
        return None
    if code.parses is False:
        return None
    places = _places(intent, code)
    if not places or (len(places) > 1 and not intent.are_all):
        return None
    at = _place(code)
    if any(_is_constant(x, code) for x in places):
        return None  # it has a name
    if at is None or any(code.text.count("\n", 0, x.start) < at[0] for x in places):
        return None
    literal = places[0].text
    end = ";" if code.language in SCRIPTS and ";\n" in code.text else ""
    word = "" if code.language == "python" else "const "
    line, is_behind_constants = at
    declared = f"{word}{intent.name} = {literal}{end}\n"
    start = code.line_starts[line] if line < len(code.lines) else len(code.text)
    gap = "" if is_behind_constants or not line else "\n"
    behind = "" if is_behind_constants or line else "\n"
    spans = [(start, start, f"{gap}{declared}{behind}")]
    spans += [(x.start, x.end, intent.name) for x in places]
    return Candidates((with_spans(code.text, spans),), is_certain=True)


def _places(intent: ExtractConstant, code: Code) -> Sequence[Token]:
    """The literals that are equal to the intent's, those that are passed by the name of its unit if there are any."""
    named = _TEXT.fullmatch(intent.value)
    found = []
    for token in code.tokens_of("number", "string"):
        own = _TEXT.fullmatch(token.text)
        is_equal = token.text == intent.value or (named and own and named[2] == own[2])
        if is_equal:
            found.append(token)
    unit = intent.unit.rstrip("s")
    passed = [x for x in found if unit and re.search(rf"\b{unit}s? ?[=:] ?$", code.text[: x.start])]
    return passed or found


def _is_constant(literal: Token, code: Code) -> bool:
    """Whether a literal is all that a constant is given: ``RATE = 0.19``."""
    line = code.lines[code.text.count("\n", 0, literal.start)].strip()
    return (
        re.fullmatch(rf"(?:[a-z]+ )*[A-Z][A-Z\d_]*\b.*= ?{re.escape(literal.text)};?", line)
        is not None
    )


def _place(code: Code) -> tuple[int, bool] | None:
    """The line (0-based) above which a constant goes, and whether others stand directly above it; ``None`` without imports and constants,
    unless the text begins with a definition.
    """
    lines = code.lines
    pattern = _IN_SCRIPTS if code.language in SCRIPTS else _DECLARED[code.language]
    first = next((n for n, line in enumerate(lines) if _BEGINS.match(line)), len(lines))
    constants = [n for n in range(first) if pattern.fullmatch(lines[n])]
    if constants:
        return constants[-1] + 1, True
    ends = [x.end_line for x in code.imports if not lines[x.line][:1].isspace() and x.line < first]
    if code.language in SCRIPTS:
        ends += [n + 1 for n, line in enumerate(lines[:first]) if _REQUIRED.match(line)]
    if code.language == "go":
        ends = [n + 1 for n, line in enumerate(lines[:first]) if re.match(r"import \"|\)$", line)]
    if ends:
        return max(ends), False
    return (0, False) if not first else None
