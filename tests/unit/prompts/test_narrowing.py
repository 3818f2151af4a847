"""Which lines alone an instruction can concern; nothing where more may change."""

from difflib import SequenceMatcher
from functools import cache

import pytest

from editd.intent import parse
from editd.prompts.narrowing import lines_concerned, short_parts
from tests.fixtures.proposed_edits import family_cases, library_files
from training.families import GENERATORS

TEXT = """\
import os
import re

LIMIT = 20


class Store:
    def load(self, path):
        total = 0
        for line in open(path):
            total += len(line)
        return total

    def save(self, path):
        print(path)
        # write it
        self.load(path)


def parse_header(text):
    name, _, value = text.partition(":")
    return name, value


def test_parse_header():
    assert parse_header("a:b") == ("a", "b")


class Totals:
    pass
"""
LINES = TEXT.splitlines(keepends=True)


def fits(_start, _end):
    return True


def check(instruction, *expected, lines=LINES, language="python"):
    """``expected``: lines as 1-based inclusive ``"10-20"``."""
    found = lines_concerned(lines, parse(instruction), language, fits)
    assert [f"{part.start + 1}-{part.end}" for part in found] == list(expected)


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("add a docstring to parse_header", ["20-22"]),
        ("surround `load` with try/except OSError and return None", ["8-12"]),
        ("Document save", ["14-17"]),
        ("insert a retry into Store.save", ["14-17"]),
        ("add an import of json", ["1-2"]),
        ("use shutil.copy in save", ["1-2", "14-17"]),  # shutil is not imported yet
        ("use os.replace in save", ["14-17"]),
        ("add a parameter `strict` to parse_header", ["18-28"]),  # and who calls it
        ("remove the function parse_header", ["18-28"]),
        ("there should be no function parse_header", ["18-28"]),
        ("the function parse_header needs another name: parse_line", ["18-28"]),
        ("let parse_header be called parse_line", ["18-28"]),
        ("set LIMIT to 30", ["4-4"]),
        ("delete every line that contains 'print'", ["13-17"]),
    ],
)
def test_what_is_named(instruction, expected):
    check(instruction, *expected)


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("rename every `total` to `amount`", ["7-14", "27-30"]),  # Totals may be meant, too
        ("please rename the variable path to file_name in this file", ["6-19"]),
        ("replace the string ':' with ';'", ["5-30"]),
        ("replace the string 'total' with 'sum'", ["7-14"]),
        ("rename nothing_here to x", []),
    ],
)
def test_what_is_renamed_wherever_it_is_mentioned(instruction, expected):
    check(instruction, *expected)


@pytest.mark.parametrize(
    "instruction",
    [
        "remove all comments",
        "delete the print calls",
        "convert to f-strings",
        "Replace tabs with spaces",
        "use snake_case instead of camelCase",
        "replace semicolons with newlines",
        "simplify this file",
        "make it faster",
        "add type hints to every function",
        "move parse_header below test_parse_header",
        "rename total to amount and simplify the loop in load",
        "make save like load",
        "change load and update its callers",
        "add a blank line before parse_header",
        "",
    ],
)
def test_what_may_concern_everything_concerns_everything(instruction):
    check(instruction)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\ny = 2\n", ["1-1"]),
        ("# me\n\nx = 1\n", ["1-2"]),
        ('"""Doc."""\n\nx = 1\n', ["1-2"]),
        ('# me\n"""Doc\n\nmore.\n"""\n\n\nx = 1\n', ["1-7"]),
        ("# me\n", ["1-1"]),
        ("", []),
    ],
)
def test_an_import_goes_below_the_header_of_a_file_that_has_none(text, expected):
    check("add an import of json", *expected, lines=text.splitlines(keepends=True))


def test_a_class_is_more_than_its_constructor():
    java = [
        "class Point {\n",
        "  int x;\n",
        "  Point(int x) {\n",
        "    this.x = x;\n",
        "  }\n",
        "}\n",
    ]
    check("document the class Point", "1-6", lines=java, language="java")


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("log when save is called", ["14-17"]),
        ("save has no docstring, write one", ["14-17"]),
        ("annotate path of load as str", ["8-12"]),
        ("load should return None on OSError", ["8-12"]),
        ("delete the method save", ["11-21"]),  # with two lines on each side that are not blank
        ("we need json, import it", ["1-4"]),
        ("total = 1 instead of 0", ["7-11"]),  # where it gets a number
        ("rename total to first", ["7-14", "27-30"]),
        ("the name total is bad, better: amount", ["7-14"]),
    ],
)
def test_a_model_that_does_only_what_is_said_needs_no_callers(instruction, expected):
    found = short_parts(LINES, parse(instruction), "python", fits)
    assert [f"{part.start + 1}-{part.end}" for part in found] == expected


def test_the_first_imports_are_enough_for_one_more():
    lines = ['"""Doc\n', *["\n"] * 200, '"""\n', "\n", "import os\n", "import re\n", *["\n"] * 20]
    lines += ["def f():\n", "    import io\n"]
    found = short_parts(lines, parse("import json"), "python", fits)
    assert [(part.start + 1, part.end) for part in found] == [(202, 207)]


def test_of_a_long_definition_the_first_lines_are_enough_for_a_docstring():
    body = [f"    line{n}()\n" for n in range(100)]
    lines = [
        "def f(\n",
        "    a,\n",
        "):\n",
        '    """Doc\n',
        "\n",
        '    more."""\n',
        *body,
        "f(1)\n",
    ]
    for instruction, expected in (
        ("log when f is called", "1-10"),
        ("wrap f in try/except", "1-106"),
    ):
        found = short_parts(lines, parse(instruction), "python", fits)
        assert [f"{part.start + 1}-{part.end}" for part in found] == [expected]


EVERYWHERE = {"delete-comments", "delete-prints", "f-strings", "no-change"}


@pytest.mark.parametrize(("narrow", "least"), [(lines_concerned, 30), (short_parts, 40)])
def test_the_right_answer_changes_no_line_outside(narrow, least):
    """Held-out edits of the standard library; blank lines behind a part are nobody's."""
    narrowed = 0
    for case in held_out():
        lines = case.before.splitlines(keepends=True)
        found = narrow(lines, parse(case.instruction), case.language, fits)
        narrowed += bool(found)
        for start, end in changed(lines, case.after.splitlines(keepends=True)) if found else ():
            assert any(part.start <= start <= end <= part.end for part in found), case.instruction
    assert narrowed >= least


@cache
def held_out():
    files = library_files(["json", "xmlrpc"])
    kinds = [kind for kind in GENERATORS if kind not in EVERYWHERE]
    return tuple(family_cases(files, kinds, 4, (400, 1000), seed=3))


def changed(old, new):
    """Runs of old lines that the new text does not have, without blank lines at their ends."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, _, _ in matcher.get_opcodes():
        text = "".join(old[start:end])
        if kind != "equal":
            before = len(text) - len(text.lstrip("\n"))
            behind = len(text) - len(text.rstrip("\n")) - 1
            yield (
                (start + before, max(start + before, end - max(0, behind)))
                if text.strip()
                else (
                    start,
                    start,
                )
            )
