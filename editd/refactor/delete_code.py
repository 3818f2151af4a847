"""Deletes the lines that a request describes: a statement, an entry of settings, an element of a list, an import.

a.py, "delete the call to log"::

    def load(path):
        log(path)
        return read(path)

becomes::

    def load(path):
        return read(path)

a.json, "remove the lint script"::

    {
      "scripts": {
        "test": "jest",
        "lint": "eslint src"
      }
    }

becomes::

    {
      "scripts": {
        "test": "jest"
      }
    }

a.sh, "delete git pull"::

    git pull
    npm ci

becomes::

    npm ci
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.intents import DeleteCode
from editd.refactor.candidates import Candidates, Lines, with_spans
from editd.refactor.delete_lines import drop_lines, drop_statements
from editd.refactor.described_lines import described_lines
from editd.refactor.entries import is_program, lines_called
from editd.refactor.used_names import is_used_elsewhere
from editd.syntax.code import Code

_JSON = ("json", "jsonc")


def delete_code(intent: DeleteCode, code: Code) -> Candidates | None:
    """The text without the described lines, as a certain candidate, with a statement that does nothing in an emptied
    block; in JSON also without the comma that would be the last. Blank lines beside them go where they would double.

    ``None`` also if what a described line defines is used elsewhere, unless its code, or the line itself, is spoken of. If not as many lines fit as the description says, and it names a place of one line: without the element of a list on
    that line. ``None`` if there is not exactly one such element either, or a described line is part of a longer one, as
    by a backslash.
    """
    found = described_lines(intent.described, intent.within, code)
    if not found and intent.within:
        return _without_element(intent, code)
    described = intent.described
    is_cited = (
        described.first > 0 or described.noun == "line" or any(x in described.code for x in "=(")
    )
    if (
        is_program(code)
        and not is_cited
        and any(is_used_elsewhere(*lines, code) for lines in found)
    ):
        return None
    return without_lines(found, code)


def without_lines(found: Sequence[Lines], code: Code) -> Candidates | None:
    """The text without these ranges of lines, as a certain candidate: with a statement that does nothing in an emptied
    block, in JSON and SQL without the comma that would be the last, and without blank lines that would double.

    ``None`` if there are none, or one is a part of a longer line, as by a backslash.
    """
    lines = code.lines
    if not found or any(_is_continued(start, end, lines) for start, end in found):
        return None
    ranges = [_with_gap(start, end, lines) for start, end in found]
    numbers = [number for start, end in ranges for number in range(start, end)]
    if code.language in (*_JSON, "sql"):
        return Candidates((_without_last_comma(ranges, lines),), is_certain=True)
    new = drop_statements(code, numbers) if code.parses else drop_lines(lines, numbers)
    return Candidates((new,), is_certain=True)


def _without_element(intent: DeleteCode, code: Code) -> Candidates | None:
    """The text without the element of a list that the intent describes and a comma beside it, as a certain candidate;
    ``None`` if the place that the intent names is not exactly one line, or not exactly one element of a list on it is
    the described code, in any quotes.
    """
    place = lines_called(intent.within, code)
    if place is None or place[1] - place[0] != 1:
        return None
    start = code.line_starts[place[0]]
    line = code.lines[place[0]]
    element = rf"([\"']?){re.escape(intent.described.code.strip(chr(34) + chr(39)))}\1"
    found = list(re.finditer(rf"(?<=[\[,])[ \t]*{element}[ \t]*(?=[,\]])", line))
    if len(found) != 1:
        return None
    first, last = found[0].span()
    if line[last] == ",":
        last += (
            1 + len(line[last + 1 :]) - len(line[last + 1 :].lstrip(" \t"))
            if line[first - 1] == "["
            else 1
        )
    elif line[first - 1] == ",":
        first -= 1
    return Candidates(
        (with_spans(code.text, [(start + first, start + last, "")]),), is_certain=True
    )


def _is_continued(start: int, end: int, lines: Sequence[str]) -> bool:
    """Whether the line before, or the last one, goes on behind a backslash."""
    ends = [lines[at].rstrip() for at in (start - 1, end - 1) if at >= 0]
    return any(line.endswith("\\") for line in ends)


def _with_gap(start: int, end: int, lines: Sequence[str]) -> Lines:
    """The lines to delete so that no blank lines double: ``start .. end`` (end exclusive), with all blank ones below if
    a blank line or the file's beginning is above; at the end of the file with all blank ones above and below.
    """
    above = not start or not lines[start - 1].strip()
    below = end
    while below < len(lines) and not lines[below].strip():
        below += 1
    if (below == len(lines) and below > end) or end == len(lines):
        while start and not lines[start - 1].strip():
            start -= 1
        return start, below
    return (start, below) if above and below > end else (start, end)


def _without_last_comma(ranges: Sequence[Lines], lines: Sequence[str]) -> str:
    """The lines of JSON or SQL without these ranges, and without commas before a closing bracket, unless
    the file had such ones.
    """
    dropped = {number for start, end in ranges for number in range(start, end)}
    rest = [line for number, line in enumerate(lines) if number not in dropped]
    text = "".join(rest)
    return re.sub(r",(\s*[}\])])", r"\1", text) if _lacks_last_commas(lines) else text


def _lacks_last_commas(lines: Sequence[str]) -> bool:
    """Whether no comma of JSON stands before a closing bracket."""
    return re.search(r",\s*[}\])]", "".join(lines)) is None
