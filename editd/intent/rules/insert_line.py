"""Insert a line: how people ask for a line of any file, as they type it, at a place."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED
from editd.intent.intents import InsertLine
from editd.intent.rules.guess import Guess

_PUT = r"(?:(?P<verb>add|insert|put|write|append|prepend|place|include)(?: in)?)"
_LINE = r"(?P<kind>(?:the |a |this )(?:new )?(?:line|instruction|directive|statement|rule|pragma|command|entry):? )?(?P<line>.+?)"
_FILE = r"(?: of (?:the |this )?(?:file|script|page|document|dockerfile|module))?"
_VERY = r"(?:very |absolute )?"
_PLACES = (
    ("top", rf"(?:(?:at|to|on) the {_VERY}(?:top|beginning|start|head){_FILE}|as the {_VERY}first line{_FILE}|(?:right |directly )?(?:after|below|under) the shebang(?: line)?)"),
    ("end", rf"(?:(?:at|to) the {_VERY}(?:end|bottom){_FILE}|as the {_VERY}last line{_FILE})"),
    ("before", r"(?:(?:right |directly |just |immediately )?(?:before|above|in front of) (?P<anchor>.+))"),
    ("after", r"(?:(?:right |directly |just |immediately )?(?:after|below|under|behind|underneath) (?P<anchor>.+))"),
)  # fmt: skip
_FORMS = tuple(
    (where, re.compile(form, re.IGNORECASE | re.DOTALL))
    for where, place in _PLACES
    for form in (rf"{_PUT} {_LINE},? {place}", rf"{place},? {_PUT} {_LINE}")
)
_BARE = re.compile(
    rf"{_PUT} {_LINE}(?P<file> to (?:the |this |my )?(?:\.?gitignore|\.?dockerignore|requirements(?:\.txt)?|file|list))?",
    re.IGNORECASE,
)
_ANCHOR = re.compile(
    rf"(?:the |that )?(?:(?:line|call|statement|entry) (?:with |that says |containing |of )?)?(?P<anchor>{QUOTED}|.+?)(?: (?:line|statement|call|instruction))?",
    re.IGNORECASE,
)

_INTO = re.compile(r" (?:to|into) (?:the |our |my )?[\w-]+$")  # "3.8 to the matrix": an element


def _inserted(text: str) -> InsertLine | None:
    """The intent of a request for a line at a place of the file; ``None`` for another request."""
    for where, form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        anchor = ""
        if where in ("before", "after"):
            named = _ANCHOR.fullmatch(found["anchor"].strip())
            anchor = _unquoted(named["anchor"]) if named else ""
            if not anchor:
                continue
        line = _line(found)
        if line is not None:
            return InsertLine(line[0], where, anchor, line[1])
    if found := _BARE.fullmatch(text):
        line = _line(found)
        is_single = line is not None and (
            line[1] or " " not in line[0] or line[0].startswith("set -")
        )
        if line is not None and is_single:
            return InsertLine(line[0], "", "", line[1] or bool(found["file"]))
    return None


def _line(found: re.Match[str]) -> tuple[str, bool] | None:
    """The line of a request, and whether it is marked as one; ``None`` for words that begin as a description does."""
    line = found["line"].strip()
    is_quoted = re.fullmatch(QUOTED, line) is not None
    is_marked = is_quoted or bool(found["kind"])
    line = _unquoted(line) if is_quoted else line
    if "\n" in line or not re.search(r"\w", line):
        return None
    if not is_marked and re.match(
        r"(?:an?|the|some|more|another|missing|this|that|these|those|it|them)(?: |$)",
        line,
        re.IGNORECASE,
    ):
        return None
    if not is_marked and _INTO.search(line):
        return None
    return line, is_marked


def _unquoted(text: str) -> str:
    """A text without the quotes around it."""
    return text[1:-1] if re.fullmatch(QUOTED, text) else text


INSERT_LINE = Guess(
    "insert-line",
    reads=_inserted,
    examples=(
        ("add set -euo pipefail at the top", InsertLine("set -euo pipefail", "top")),
        (
            "insert `EXPOSE 80` before `CMD`",
            InsertLine("EXPOSE 80", "before", "CMD", is_marked=True),
        ),
        (
            "add the line DEBUG=1 after PORT=80",
            InsertLine("DEBUG=1", "after", "PORT=80", is_marked=True),
        ),
        ("put *.log at the end of the file", InsertLine("*.log", "end")),
        ("add .env to the gitignore", InsertLine(".env", "", is_marked=True)),
    ),
    near_misses=(
        "add a comment at the top",
        "add some error handling at the top of the file",
        "put the imports at the top",
        "put it above the app.db import",
    ),
)
"""A line as it is typed."""
