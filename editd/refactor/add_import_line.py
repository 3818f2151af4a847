"""Adds an import in the words of its language, in order where the imports are, or beside the one that is named.

a.go, "import "time""::

    package a

    import (
        "fmt"
        "os"
    )

becomes::

    package a

    import (
        "fmt"
        "os"
        "time"
    )

a.js, "require cors"::

    const express = require('express');

    express();

becomes::

    const express = require('express');
    const cors = require('cors');

    express();

a.py, "add "import sys" after import os"::

    import os
    import re

becomes::

    import os
    import sys
    import re
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.intents import AddImportLine
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code
from editd.syntax.imports import IMPORT_LINE
from editd.syntax.language import SCRIPTS

_REQUIRED = re.compile(r"require (?:the )?[\"'`]?(?P<module>[@\w./-]+?)[\"'`]?", re.IGNORECASE)
_WRITTEN_REQUIRE = re.compile(r"(?:const|let|var)\b.*\brequire\(.+\);?")


def add_import_line(intent: AddImportLine, code: Code) -> Candidates | None:
    """The text with the import, as a certain candidate: before or after the import that ``intent.beside`` names; else
    among the last run of imports, in order if they are, behind them if not (in Go in their group, if they have one).

    ``None`` if the words are no import of the text's language, a line of the text is the same import already, the text
    has no imports, not exactly one import is the one beside which it goes, or the line above has no line end.
    """
    lines = code.lines
    imports = import_lines(code)
    statement = _written(intent, [lines[number] for number in imports], code)
    if not statement or not imports:
        return None
    if any(line.strip().rstrip(";") == statement.strip().rstrip(";") for line in lines):
        return None
    indent = ""
    if code.language == "go" and statement.startswith('"'):
        group = [number for number in imports if lines[number].lstrip().startswith('"')]
        if group:
            imports, indent = group, re.match(r"\s*", lines[group[0]])[0]  # type: ignore[index]
        else:
            statement = f"import {statement}"
    place = _beside(intent, imports, lines) if intent.beside else _place(statement, imports, lines)
    if place is None or (place and not lines[place - 1].endswith("\n")):
        return None
    new = "".join([*lines[:place], f"{indent}{statement}\n", *lines[place:]])
    return Candidates((new,), is_certain=True)


def import_lines(code: Code) -> list[int]:
    """The numbers (0-based) of the lines that are an import as a whole, as ``_is_import`` says."""
    return [number for number, line in enumerate(code.lines) if _is_import(number, line, code)]


def _is_import(number: int, line: str, code: Code) -> bool:
    """Whether a line (0-based ``number``) is a whole import at the margin, or one of a group on a
    line of its own; in JavaScript also a ``require``. Lines inside strings are none.
    """
    if number in code.quoted_lines:
        return False
    if code.imports and any(x.line <= number < x.end_line for x in code.imports):
        return any(x.end_line - x.line == 1 and x.line == number for x in code.imports)
    is_require = code.language in SCRIPTS and re.match(r"(?:const|let|var)\b.*\brequire\(", line)
    return bool(is_require) or (
        bool(IMPORT_LINE.match(line)) and not line.startswith((" ", "\t")) and not code.imports
    )


def _written(intent: AddImportLine, imports: Sequence[str], code: Code) -> str:
    """The import as the language writes it, with the others' quotes and end (JavaScript), without ``import`` in Go.
    Empty if it is none of the language, or the language is not known here; in Python also for a plain ``import x``
    without a place, which ``add_import`` does.

    imports: the lines of those that the text has.
    """
    language = code.language
    bare = intent.statement.rstrip(" ;")
    if language in SCRIPTS:
        return _of_script(bare, imports)
    if language == "go":
        found = re.fullmatch(r"(?:import )?\"?([\w./-]+)\"?", bare)
        return f'"{found[1]}"' if found else ""
    if language in ("java", "kotlin", "scala"):
        end = ";" if language == "java" else ""
        return f"{bare}{end}" if re.fullmatch(r"import (?:static )?[\w.]+\.[\w*]+", bare) else ""
    if language == "rust":
        found = re.fullmatch(r"(?:use|import) ([\w:]+(?:::\{[\w, ]+\}|::\*)?(?: as \w+)?)", bare)
        return f"use {found[1]};" if found and "::" in found[1] else ""
    if language in ("c", "cpp"):
        found = re.fullmatch(
            r"(?:#\s*)?(?:include|import) (?P<open>[<\"]?)(?P<path>[\w./]+)[>\"]?", bare
        )
        if found is None:
            return ""
        return (
            f'#include "{found["path"]}"' if found["open"] == '"' else f"#include <{found['path']}>"
        )
    if language != "python" or not (intent.beside or bare.startswith("from ")):
        return ""  # without a place "import x" is the rule's
    is_python = re.fullmatch(
        r"import [\w., ]+(?: as \w+)?|from [\w.]+ import [\w, ]+(?: as \w+)?", bare
    )
    return bare if is_python else ""


def _of_script(bare: str, imports: Sequence[str]) -> str:
    """An import of JavaScript or TypeScript, with the quotes that ``imports`` have more of (single
    ones if as many), and a semicolon if any of them ends with one; empty if it is no whole one.

    "require x" becomes a ``const`` named after the module; empty if none of ``imports`` has
    ``require(``, or the module's last part makes no name.
    """
    quote = (
        '"'
        if sum(line.count('"') for line in imports) > sum(line.count("'") for line in imports)
        else "'"
    )
    end = ";" if any(line.rstrip().endswith(";") for line in imports) else ""
    if found := _REQUIRED.fullmatch(bare):
        module = found["module"]
        parts = re.split(r"[-_./]", module.rsplit("/", 1)[-1])
        name = parts[0] + "".join(part.title() for part in parts[1:])
        is_usual = any("require(" in line for line in imports)
        return (
            f"const {name} = require({quote}{module}{quote}){end}"
            if is_usual and name.isidentifier()
            else ""
        )
    is_whole = re.fullmatch(
        r"import (?:type )?(?:[\w$]+|\{[^{}]+\}|\* as [\w$]+|[\w$]+, ?\{[^{}]+\}) from [\"'][^\"']+[\"']|import [\"'][^\"']+[\"']",
        bare,
    )
    if not is_whole and not _WRITTEN_REQUIRE.fullmatch(bare):
        return ""
    return re.sub(r"[\"']([^\"']+)[\"']", rf"{quote}\1{quote}", bare) + end


def _beside(intent: AddImportLine, imports: Sequence[int], lines: Sequence[str]) -> int | None:
    """The number (0-based) of the line before which the import goes to stand right before (``intent.is_before``) or
    after the import that is named: by its whole line, or else by a word in it; ``None`` if none or several have that.
    """
    anchor = intent.beside.rstrip(";")
    exact = [number for number in imports if lines[number].strip().rstrip(";") == anchor]
    word = re.compile(rf"(?<![\w]){re.escape(anchor)}(?![\w])")
    found = exact or [number for number in imports if word.search(lines[number])]
    if len(found) != 1:
        return None
    return found[0] if intent.is_before else found[0] + 1


def run_for(statement: str, imports: Sequence[int], lines: Sequence[str]) -> list[int]:
    """The last imports that stand without a gap; in Go of those that are the standard library's, if ``statement`` is, or of the others."""
    runs = [[imports[0]]]
    for number in imports[1:]:
        if number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    path = re.fullmatch(r"\s*(?P<path>\"[^\"]+\")\s*", statement)
    kin = [run for run in runs if _is_of_go(lines[run[0]]) == _is_of_go(statement)] if path else []
    return (kin or runs)[-1]


def _is_of_go(line: str) -> bool:
    """Whether an import of Go is of its standard library: no dot in the first part of its path."""
    return "." not in line.strip(' \t\n"').partition("/")[0]


def _place(statement: str, imports: Sequence[int], lines: Sequence[str]) -> int:
    """The number (0-based) of the line before which the import goes: among the last imports that stand without a gap,
    in order if they are several and in order (by their text), else behind the last.
    """
    run = run_for(statement, imports, lines)
    keys = [lines[number].strip() for number in run]
    before = [number for number in run if lines[number].strip() < statement]
    if len(run) > 1 and keys == sorted(keys):
        return before[-1] + 1 if before else run[0]
    return run[-1] + 1
