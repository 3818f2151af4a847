"""Reads the findings that linters print, in the forms of ruff, ESLint, rustc, gofmt, tsc and most compilers.

A form is recognised by the output, not by the program's name, so that a linter can be started by any other program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_MOST_WORDS = 200  # characters of a message
_OF_DIFF = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
_LINES = (
    re.compile(
        r"(?P<path>.+?)\((?P<line>\d+),\d+\): (?:error|warning) (?P<rule>\w+): (?P<message>.+)"
    ),
    re.compile(r"(?P<path><[^>]+>|-|[^:\s][^:]*):(?P<line>\d+):(?:\d+:?)?\s+(?P<message>.+)"),
)
_RULE_FIRST = re.compile(r"(?:(?:error|warning): )?\[?(?P<rule>[A-Z]+\d+)\]?:? (?P<message>.+)")


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A linter's finding. path: as printed. line: 0-based. rule: its code; empty if it has none."""

    path: str
    line: int
    rule: str
    message: str

    @property
    def sentence(self) -> str:
        """The finding's own words, with its rule, on one line and not too long."""
        words = one_line(self.message).rstrip(".")
        return f"{words} ({self.rule})" if self.rule else words


def one_line(text: str) -> str:
    """``text`` on one line of printable characters, cut off with ``…`` if it is too long for a sentence."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= _MOST_WORDS else words[: _MOST_WORDS - 1] + "…"


def read_findings(output: str) -> list[LintFinding]:
    """The findings in a linter's output, in its order, by the first form in which any are found; empty if there are
    none or the form is unknown. Findings without a line are left out. Raises nothing.
    """
    for read in _FORMS:
        try:
            if found := [finding for finding in read(output) if finding.line >= 0]:
                return found
        except (
            ValueError,
            ArithmeticError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
        ):
            continue  # another form
    return []


def _of_ruff(output: str) -> Iterator[LintFinding]:
    """The findings of ``ruff check --output-format json``; raises as ``json.loads``, and for another shape."""
    for entry in json.loads(output):
        rule = entry["code"] or ""
        yield LintFinding(
            str(entry["filename"]),
            int(entry["location"]["row"]) - 1,
            str(rule),
            str(entry["message"]),
        )


def _of_eslint(output: str) -> Iterator[LintFinding]:
    """The findings of ``eslint --format json``; raises as ``_of_ruff``. A message without a line, about no text,
    gets the line -1.
    """
    for file in json.loads(output):
        for entry in file["messages"]:
            line = int(entry.get("line") or 0) - 1
            yield LintFinding(
                str(file["filePath"]), line, str(entry["ruleId"] or ""), str(entry["message"])
            )


def _of_rustc(output: str) -> Iterator[LintFinding]:
    """The findings of rustc and clippy with ``--error-format json``, or of cargo with ``--message-format json``.

    Raises as ``_of_ruff``. A message without a place, such as the number of warnings, is left out.
    """
    for line in output.splitlines():
        entry: Any = json.loads(line)
        entry = entry.get("message", entry) if entry.get("reason") else entry
        if not isinstance(entry, dict) or "spans" not in entry:
            continue
        place = next((span for span in entry["spans"] if span["is_primary"]), None)
        if place is not None:
            rule = (entry["code"] or {}).get("code", "")
            yield LintFinding(
                str(place["file_name"]),
                int(place["line_start"]) - 1,
                str(rule),
                str(entry["message"]),
            )


def _of_gofmt(output: str) -> Iterator[LintFinding]:
    """The lines that ``gofmt -d`` would write otherwise, one finding for each group of them."""
    path, line, in_group = "", -1, False
    for text in output.splitlines():
        if text.startswith("+++ "):
            path = text[4:].partition("\t")[0]
        elif head := _OF_DIFF.match(text):
            line, in_group = int(head[1]) - 1, False
        elif line >= 0 and text[:1] in ("-", "+", " "):
            if text[0] != " " and not in_group:
                yield LintFinding(path, line, "gofmt", "gofmt would format this otherwise")
            in_group = text[0] != " "
            line += text[0] != "+"


def _of_lines(output: str) -> Iterator[LintFinding]:
    """The findings in lines as ``path:line:column: message``, and as tsc without ``--pretty`` prints them; other
    lines are passed over.
    """
    for text in output.splitlines():
        match = next(filter(None, (form.fullmatch(text) for form in _LINES)), None)
        if match is None:
            continue
        fields = {"rule": "", **match.groupdict()}
        if not fields["rule"] and (coded := _RULE_FIRST.fullmatch(fields["message"])):
            fields |= coded.groupdict()
        yield LintFinding(
            fields["path"], int(fields["line"]) - 1, fields["rule"], fields["message"].strip()
        )


_FORMS: Sequence[Callable[[str], Iterator[LintFinding]]] = (
    _of_ruff,
    _of_eslint,
    _of_rustc,
    _of_gofmt,
    _of_lines,
)
