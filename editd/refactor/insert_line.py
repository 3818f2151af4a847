"""Writes a line as it is typed: at the top or the end of a file, or before or after the line that is named.

deploy.sh, "add set -euo pipefail at the top"::

    #!/bin/bash
    # Deploys the site.

    npm ci

becomes::

    #!/bin/bash
    # Deploys the site.

    set -euo pipefail

    npm ci

Dockerfile, "insert `EXPOSE 80` before CMD"::

    FROM nginx
    CMD ["nginx"]

becomes::

    FROM nginx
    EXPOSE 80
    CMD ["nginx"]
"""

from __future__ import annotations

import re
from pathlib import PurePath

from editd.intent.intents import InsertLine
from editd.refactor.candidates import Candidates
from editd.refactor.entries import is_program
from editd.refactor.masked import masked
from editd.syntax.code import Code
from editd.syntax.language import PROSE, SCRIPTS
from editd.syntax.python_statements import head_end, is_statement

_SHELLS = ("bash", "zsh", "sh")
_COMMENT = {"python": "#", "yaml": "#", "toml": "#", "dockerfile": "#", "ruby": "#", "sql": "--", "lua": "--", **dict.fromkeys(_SHELLS, "#")}  # fmt: skip
_UNKNOWN_TOP = ("json", "jsonc", "html", "xml", "vue", "svelte", "css", "scss")
_DIRECTIVE = re.compile(r"use (?:strict|client|server)")
# Files of which each line is an entry.
_ENTRIES = re.compile(
    r"\.\w*ignore|requirements[\w.-]*\.txt|constraints[\w.-]*\.txt|\.env[\w.-]*|CODEOWNERS"
)
_FEWEST_SORTED = 4
_SIGN = re.compile(r"[-=(){}\[\]:;#/<>$.*@&|!\"'+]|^[A-Z]{3,} ")
_IMPORT = re.compile(r"(?:import|from|use \w+::|using|#include|require|const \w+ = require)\b")
_COMMANDS = frozenset(
    [
        "echo",
        "exit",
        "cd",
        "source",
        "set",
        "shopt",
        "trap",
        "export",
        "unset",
        "wait",
        "umask",
        "ulimit",
        "exec",
    ]
)


def insert_line(intent: InsertLine, code: Code, path: str) -> Candidates | None:
    """The text with the line at its place, as a certain candidate: at the top below a shebang, the comment and Python's
    docstring there; beside the one line that is the anchor, or has it, with its indentation; without a place in a file
    of entries at the end or in their order, and the options of a shell at the top. The text itself, with
    ``nothing_to_do``, if the line stands there already.

    ``None`` for words without a sign that are neither marked as a line, an entry, nor a command; for an import at the top; if none or several lines have the anchor, or it is part of a longer statement; for a line that is no
    statement in Python, or has no place, as options of a shell have none beside others; for words in prose that are not marked as a line.
    """
    line, where = intent.line, intent.where
    is_entry = _ENTRIES.fullmatch(PurePath(path).name) is not None
    is_prose = code.language in PROSE and not is_entry
    if not code.text.endswith("\n") or (is_prose and not intent.is_marked):
        return None
    if not (intent.is_marked or is_entry or _SIGN.search(line) or _is_command(line, code)):
        return None
    is_code = is_program(code) and code.language not in (*_SHELLS, "dockerfile")
    if is_code and re.fullmatch(r"(?!(?:pass|break|continue|return)$)[^\W\d]\w*", line):
        return None  # a name is no statement
    if where == "top" and code.language not in _SHELLS and _IMPORT.match(line):
        return None
    if not where:
        where = (
            "entry"
            if is_entry
            else "top"
            if code.language in _SHELLS and line.startswith("set -")
            else ""
        )
    if not where:
        return None
    lines = code.lines
    if where in ("top", "end", "entry") and any(x.strip() == line for x in lines):
        return Candidates((code.text,), is_certain=True, nothing_to_do=f"“{line}” is there already")
    statement = _statement(line, code, intent)
    if statement is None:
        return None
    if line.startswith("set -") and any(x.startswith("set -") for x in lines):
        return None  # its options would be in two places
    if where in ("before", "after"):
        return _beside(intent, statement, code)
    if where == "top":
        return _at_top(statement, code)
    if code.language in _UNKNOWN_TOP:
        return None
    at = _place_of_entry(line, lines) if where == "entry" else len(lines)
    return Candidates(("".join([*lines[:at], f"{statement}\n", *lines[at:]]),), is_certain=True)


def _statement(line: str, code: Code, intent: InsertLine) -> str | None:
    """The line as it is written: a directive of JavaScript in quotes, with the file's semicolon; ``None`` for what is no
    statement or comment in Python, and for what is not marked and cannot be told from words.
    """
    if code.language in SCRIPTS and _DIRECTIVE.fullmatch(line):
        marks = [token.text[0] for token in code.tokens_of("string")]
        quote = '"' if marks.count('"') > marks.count("'") else "'"
        return f"{quote}{line}{quote}" + (";" if ";\n" in code.text else "")
    if code.language == "python" and intent.where in ("top", "end") and not is_statement(line):
        return None
    needs = code.language in (*SCRIPTS, "java", "rust", "c", "cpp", "csharp", "php")
    if (
        needs
        and ";\n" in code.text
        and re.search(r"[\w)\]\"']$", line)
        and re.match(r"[\w$.]+(?:\(| ?=|\s)", line)
        and not line.startswith(("//", "#", "@"))
    ):
        return f"{line};"
    return line


def _is_command(line: str, code: Code) -> bool:
    """Whether a line begins with a command of shells, or of the file."""
    first = line.split(maxsplit=1)[0]
    known = first in _COMMANDS or any(x.split()[:1] == [first] for x in code.lines)
    return code.language in _SHELLS and known


def _at_top(statement: str, code: Code) -> Candidates | None:
    """The text with the line at the top, a blank line below it; ``None`` where no place is known."""
    lines, language = code.lines, code.language
    if language in _UNKNOWN_TOP or language in PROSE:
        return None
    sign = _COMMENT.get(language, "//")
    at = 0
    if statement.startswith("#!"):
        return None if lines[0].startswith("#!") else _with(statement, 0, code)
    if lines[0].startswith(("#!", "<?php", "# syntax=")):
        at = 1
    if statement.startswith((sign, "/*")):
        behind = "\n" if language == "go" and statement.startswith("//go:") else ""
        return Candidates(
            ("".join([*lines[:at], f"{statement}\n{behind}", *lines[at:]]),), is_certain=True
        )
    if lines[at : at + 1] and lines[at].lstrip().startswith("/*"):
        while at < len(lines) and "*/" not in lines[at]:
            at += 1
        at += 1
    while at < len(lines) and lines[at].startswith(sign):
        at += 1
    if code.python is not None:
        at = max(at, head_end(code.python))
    if language in ("go", "java"):
        return None
    if at < len(lines) and at and not lines[at].strip():
        at += 1
    return _with(statement, at, code)


def _with(statement: str, at: int, code: Code) -> Candidates:
    """The text with the line above line ``at``, and a blank line below it if there is none, or one of its kind."""
    lines = code.lines
    below = lines[at].strip() if at < len(lines) else ""
    is_alike = below.split(" ")[0] == statement.split(" ", maxsplit=1)[0]
    gap = "\n" if below and not is_alike else ""
    return Candidates(
        ("".join([*lines[:at], f"{statement}\n{gap}", *lines[at:]]),), is_certain=True
    )


def _beside(intent: InsertLine, statement: str, code: Code) -> Candidates | None:
    """The text with the line before or after the one that the anchor names; ``None`` if there is none or several, or the
    line would stand inside a statement.
    """
    anchor, lines = intent.anchor, code.lines
    exact = [n for n, x in enumerate(lines) if x.strip().rstrip(";,") == anchor.rstrip(";,")]
    word = re.compile(
        rf"(?<![\w]){re.escape(anchor)}(?!\w)" if anchor[-1:].isalnum() else re.escape(anchor)
    )
    begins = [n for n, x in enumerate(lines) if re.match(rf"\s*{re.escape(anchor)}(?!\w)", x)]
    found = exact or begins or [n for n, x in enumerate(lines) if word.search(x)]
    if len(found) != 1:
        return None
    number = found[0]
    line = lines[number]
    if number and lines[number - 1].rstrip().endswith("\\"):
        return None
    if intent.where == "before":
        if number and lines[number - 1].lstrip().startswith("@"):
            return None
    else:
        end = _end_of(number, code)
        if end is None:
            return None
        number = end
    indent = line[: len(line) - len(line.lstrip())]
    if number in code.quoted_lines:
        return None
    new = "".join([*lines[:number], f"{indent}{statement}\n", *lines[number:]])
    return Candidates((new,), is_certain=True)


def _end_of(number: int, code: Code) -> int | None:
    """The number of the line after the statement that begins on a line; ``None`` if a block begins there, or it is not
    known where it ends.
    """
    lines = code.lines
    if lines[number].rstrip().endswith(":") and code.language in ("python", "yaml"):
        return None
    if lines[number].rstrip().endswith("{"):
        return None
    text = masked(code).split("\n")
    depth = 0
    for at in range(number, len(lines)):
        depth += sum(text[at].count(x) for x in "([{") - sum(text[at].count(x) for x in ")]}")
        if depth < 0:
            return None
        if depth == 0 and not lines[at].rstrip().endswith("\\"):
            return at + 1
    return None


def _place_of_entry(line: str, lines: list[str]) -> int:
    """The number of the line before which an entry goes: in order if at least four are in order, else at the end."""
    entries = [x.strip() for x in lines]
    keys = [x.lower() for x in entries]
    if len(keys) >= _FEWEST_SORTED and all(keys) and keys == sorted(keys):
        return sum(key < line.lower() for key in keys)
    return len(lines)
