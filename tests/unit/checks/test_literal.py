"""An answer beside what the words alone say: agreed with, doubted, noted, or neither."""

import pytest

from editd.checks.literal import AGREES, compared
from editd.diff.document import Document
from editd.intent import parse
from editd.refactor.computed import hunks_to

TEXT = """\
import os


def load(path):
    total = 0
    for line in open(path):
        # total of all
        total += len(line)
    return total


def save():
    print("total", load("x"))
"""


def said_of(instruction, *changes, language="python", text=TEXT, selected=None):
    """``changes``: (old, new) in turn."""
    new = text
    for old, by in changes:
        assert old in new
        new = new.replace(old, by)
    document = Document.of(text)
    return compared(document, hunks_to(document, new), parse(instruction), language, selected)


@pytest.mark.parametrize(
    ("instruction", "changes"),
    [
        ("rename total to amount", [("total", "amount")]),
        ("rename total to amount", [("total =", "amount ="), ("total +=", "amount +="), ("return total", "return amount")]),
        ("rename total to amount", [("total", "amount"), ("\n\n\n", "\n\n")]),  # blank lines
        ("delete the print statements", [('    print("total", load("x"))\n', "")]),
        ("add an import of json", [("import os\n", "import os\nimport json\n")]),
        ("add an import of json", [("import os\n", "import json\nimport os\n")]),
        ("remove all comments", [("        # total of all\n", "")]),
        ("rename absent to present", []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["python"])
def test_every_usual_reading_agrees(instruction, changes, language):
    said = said_of(instruction, *changes, language=language)
    assert said.agrees
    assert (said.doubt, said.more) == ("", frozenset())
    assert said.summary(is_changed=True) == AGREES


@pytest.mark.parametrize("language", ["python", "perl", ""])
def test_a_line_that_every_reading_changes_is_missed(language):
    said = said_of("rename total to amount", ("total = 0", "amount = 0"), language=language)
    missed = "lines 8 and 9" if language == "python" else "lines 7, 8, 9 and 13"
    assert said.doubt == f"The words alone would change {missed}; this answer leaves them."


@pytest.mark.parametrize(
    ("instruction", "changes", "doubt"),
    [
        ("add an import of json", [("import os", "import os, sys")], "The words ask for “import json”; this answer does not add it."),
        ("delete the function save", [("load(path)", "load(path, mode)")], "The words alone would change lines 12 and 13; this answer leaves them."),
        ("delete the lines that contain 'total'", [("    total = 0\n", "")], "The words alone would change lines 7, 8, 9 and 13; this answer leaves them."),
    ],
)  # fmt: skip
def test_doubts(instruction, changes, doubt):
    assert said_of(instruction, *changes).doubt == doubt


def test_what_no_reading_changes_is_a_note():
    said = said_of("rename total to amount", ("total", "amount"), ("import os\n", ""))
    assert said.doubt == ""
    assert said.more == {1}
    assert not said.agrees


def test_a_line_that_comes_twice_is_more():
    twice = ("    return total\n", "    return total\n    return total\n")
    assert said_of("add an import of json", ("import os", "import json\nimport os"), twice).more


def test_an_answer_that_changes_nothing_says_which_lines_are_meant():
    said = said_of("rename the function load to read")
    assert said.summary(is_changed=False) == "Nothing changed; the words mean lines 4 and 13."


def test_only_the_selected_lines_can_be_missed():
    first = ("total = 0", "amount = 0")
    assert said_of("rename total to amount", first, selected=(3, 5)).doubt == ""


@pytest.mark.parametrize(
    "instruction",
    ["make it faster", "Replace tabs with spaces", "rename total to amount and log it"],
)
def test_open_sentences_have_no_literal_meaning(instruction):
    assert said_of(instruction, ("total", "amount")) is None
