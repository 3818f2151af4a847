"""Puts a new import where the words say that it goes.

a.py, "from pathlib import Path, below the csv line"::

    import csv
    import math

becomes::

    import csv
    from pathlib import Path
    import math

a.go, "add errors to the imports, first in the list"::

    package a

    import (
        "fmt"
        "os"
    )

becomes::

    package a

    import (
        "errors"
        "fmt"
        "os"
    )
"""

from __future__ import annotations

import re

from editd.diff.matching import changes
from editd.intent.intents import ImportPlace
from editd.refactor.add_import_line import import_lines, run_for
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code


def place_import(place: ImportPlace, added: Candidates, code: Code) -> Candidates | None:
    """``added``, the text with a new import on a line of its own, with that line where ``place`` says, as a certain candidate.

    ``None`` if it is no certain candidate with one new line, no or several imports have the text beside which it goes, the import
    that is to follow does not, or the text has imports that are not in the order in which it is to be.
    """
    if added.problem or not added.is_certain or added.texts[0] == code.text:
        return None
    lines, new = code.lines, added.texts[0].splitlines(keepends=True)
    [change, *others] = changes(lines, new)
    written = new[change.new_start : change.new_end]
    if others or change.old_start != change.old_end or len(written) != 1:
        return None
    [line] = written
    imports = import_lines(code)
    if line[:1] in " \t":  # in a group
        imports = [number for number in imports if lines[number][:1] in " \t"]
    at = _line_of(place, line, imports, code) if imports else None
    if at is None or (at and not lines[at - 1].endswith("\n")):
        return None
    return Candidates(("".join([*lines[:at], line, *lines[at:]]),), is_certain=True)


def _line_of(place: ImportPlace, line: str, imports: list[int], code: Code) -> int | None:
    """The number (0-based) of the line before which the new ``line`` goes; ``None`` without such a place. imports: the lines of those
    that the text has.
    """
    match place.where:
        case "first":
            return _first(imports, code)
        case "last":
            return imports[-1] + 1
        case "in order":
            return _in_order(line, imports, code)
    found = _having(place.beside, imports, code)
    if len(found) != 1:
        return None
    at = found[0] + (place.where == "after")
    if place.end and _having(place.end, imports, code) != [at]:
        return None
    return at


def _first(imports: list[int], code: Code) -> int | None:
    """The line of the first import that is none from ``__future__``; ``None`` if all are."""
    return next((n for n in imports if not code.lines[n].startswith("from __future__")), None)


def _having(text: str, imports: list[int], code: Code) -> list[int]:
    """The lines of the imports that are the text, or else have it as words."""
    plain_text = re.sub(r"[\"'`;]", "", text)
    plain = {number: re.sub(r"[\"'`;]", "", code.lines[number]).strip() for number in imports}
    if exact := [number for number in imports if plain[number] == plain_text]:
        return exact
    word = re.compile(rf"(?<![\w-]){re.escape(plain_text)}(?![\w-])")
    found = [number for number in imports if word.search(plain[number])]
    whole = re.compile(
        rf"(?:import|use|from) {re.escape(plain_text)}\b(?![.:/])|(?:^|[./]){re.escape(plain_text)}$"
    )
    return [n for n in found if whole.match(plain[n])] or found if len(found) > 1 else found


def _in_order(line: str, imports: list[int], code: Code) -> int | None:
    """The line of the first import of the last run that sorts after ``line``, or behind the last; ``None`` if the run is in no order:
    neither by its lines nor, in Python, plain imports before the others.
    """
    run = run_for(line, imports, code.lines)
    for key in (_by_statement, _by_module):
        keys = [key(code.lines[number]) for number in run]
        if keys == sorted(keys):
            return next((n for n in run if key(code.lines[n]) > key(line)), run[-1] + 1)
    return None


def _by_statement(line: str) -> tuple[bool, str]:
    """The sort key of an import by its line, plain imports before those of names."""
    return line.startswith("from "), line.strip().rstrip(";").lower()


def _by_module(line: str) -> tuple[bool, str]:
    """The sort key of an import by its module."""
    found = re.search(r"(?:\bfrom |\brequire\()[\"']?([\w@./-]+)|^(?:import|from) ([\w.]+)", line)
    return False, (found[1] or found[2] if found else line).lower()
