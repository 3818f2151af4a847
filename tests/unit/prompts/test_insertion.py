"""Where a new definition goes that an instruction asks for, and how it stands there."""

import pytest

from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.engine.inserting import inserted
from editd.prompts.insertion import Insertion, insertion_of
from editd.syntax.code import read_code

CODE = """import os


def first(x):
    return x


class Store:
    def load(self):
        return 1

    def save(self):
        pass


def last():
    pass
"""
JS = "function a() {\n  return 1;\n}\n\nfunction b() {}\n"


@pytest.mark.parametrize(
    ("instruction", "cursor", "place"),
    [
        ("write a function that doubles x below this one", (4, 4), (5, "", 2)),
        ("Write a function that doubles x above this one.", (3, 5), (3, "", 2)),
        ("please add a method that counts after this", (9, 9), (10, "    ", 1)),
        ("add a method clear below save", None, (13, "    ", 1)),
        ("add a helper function before `last`, which logs", None, (15, "", 2)),
        ("create a class Cache below the class Store", None, (13, "", 2)),
        ("write a new helper here that adds two numbers", (5, 5), (5, "", 2)),
        ("write a function at the cursor that adds", (6, 6), (6, "", 2)),
        ("add a method here", (10, 10), (10, "    ", 1)),
        ("write a function below this one", (6, 6), (5, "", 2)),  # the last one above the cursor
        ("write a function below this one", None, None),
        ("add a docstring below this line", (4, 4), None),
        ("add a parameter after x", (4, 4), None),
        ("rename the function below this one", (4, 4), None),
        ("write a function that runs after login", (4, 4), None),
    ],
)
def test_the_place(instruction, cursor, place):
    found = insertion_of(instruction, read_code(CODE, "python"), cursor)
    assert found == (None if place is None else Insertion(*place))


MEMBERS = (
    "class C:\n    x = 1\n\n    y = 2\n\n    def m(self):\n        a = 1\n\n        return a\n"
)


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (2, (2, "    ", 1)),  # between fields
        (3, (9, "", 2)),
        (4, (4, "    ", 1)),
        (6, (9, "    ", 1)),
        (7, (9, "    ", 1)),  # a blank line of a function splits nothing
        (9, (9, "", 2)),
    ],
)
def test_here_is_beside_functions_and_between_members(line, place):
    code = read_code(MEMBERS, "python")
    assert insertion_of("add a method here", code, (line, line)) == Insertion(*place)


def test_other_languages():
    place = insertion_of("add a function below this one", read_code(JS, "javascript"), (1, 1))
    assert place == Insertion(3, "", 1)


WRITTEN = ["def new():\n", "    return 2\n"]


@pytest.mark.parametrize(
    ("text", "place", "written", "expected"),
    [
        (CODE, (5, "", 2), WRITTEN, ("    return x\n", "\n\ndef new():\n    return 2\n")),
        (CODE, (3, "", 2), ["\n", *WRITTEN, "\n"], ("import os\n\n\n", "def new():\n    return 2\n\n\n")),
        (CODE, (10, "    ", 1), WRITTEN, ("        return 1\n", "\n    def new():\n        return 2\n")),
        (CODE, (17, "", 2), ["    def new():\n", "\n", "        return 2\n"], ("def last():\n    pass\n", "\n\ndef new():\n\n    return 2\n")),
        (CODE.rstrip("\n"), (17, "", 2), WRITTEN, ("def last():\n    pass", "\n\n\ndef new():\n    return 2")),
        (CODE.replace("\n", "\r\n"), (5, "", 2), WRITTEN, ("    return x\r\n", "\r\n\r\ndef new():\r\n    return 2\r\n")),
    ],
)  # fmt: skip
def test_one_hunk_between_definitions(text, place, written, expected):
    document = Document.of(text)
    half = len(written) // 2
    parts = [written[:half], written[half:]]  # an answer may come in several hunks
    hunks = [Hunk(n + 1, place[0], 0, tuple(part)) for n, part in enumerate(parts)]
    (hunk,) = inserted(hunks, document, Insertion(*place))
    before, new = expected
    assert apply([hunk], text, document) == text.replace(before, before + new, 1)
    assert [(x.start, x.end) for x in hunk.origins] == [(0, len(line)) for line in hunk.new_lines]


def test_what_replaces_lines_or_is_empty_stays_as_it_is():
    document = Document.of(CODE)
    for hunks in ([Hunk(1, 4, 1, ("x\n",))], [Hunk(1, 5, 0, ("\n",))], []):
        assert inserted(hunks, document, Insertion(5, "", 2)) == hunks
