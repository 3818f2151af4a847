"""What the words want added to a definition is there, and nothing else has changed, or it is told."""

import pytest

from editd.checks import check_hunks
from editd.checks.literal import NOT_NAMED, compared
from editd.diff.document import Document
from editd.intent import parse
from editd.refactor.computed import hunks_to
from editd.syntax.language import language_of
from tests.fixtures.solved.edits import demo_folder, load_edits

TEXT = '''\
import os


def load(path, mode="r"):
    """Reads a file."""
    with open(path, mode) as file:
        return file.read()


def save(path, text):
    with open(path, "w") as file:
        file.write(text)
'''
SAVE = 'def save(path, text):\n    with open(path, "w") as file:\n        file.write(text)\n'
LOAD = '    """Reads a file."""\n'


def changed(*changes, text=TEXT):
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def marks_of(instruction, new, text=TEXT, selected=None):
    """What a person is told: the doubts, and the notes."""
    document = Document.of(text)
    hunks = hunks_to(document, new)
    said = compared(document, hunks, parse(instruction), "python", selected)
    marked, doubts = check_hunks(document, hunks, instruction, "python", comparison=said)
    return doubts, [hunk.note for hunk in marked if hunk.note]


DOCUMENTED = ("text):\n", 'text):\n    """Writes a file."""\n')
LOGGED = (LOAD, LOAD + '    logging.info("load called")\n')
IMPORTED = ("import os\n", "import logging\nimport os\n")
GUARDED = (SAVE, 'def save(path, text):\n    try:\n        with open(path, "w") as file:\n            file.write(text)\n    except OSError:\n        return None\n')  # fmt: skip
TYPED = ("def save(path, text)", "def save(path: str, text)")
SLIP = ("Reads a file", "Reads file")


@pytest.mark.parametrize(
    ("instruction", "changes"),
    [
        ("Add a docstring to save", [DOCUMENTED]),
        ("`save` lacks a docstring", [DOCUMENTED]),
        ("Let 'Writes a file.' be the docstring of save", [DOCUMENTED]),
        ("log each call of load", [LOGGED, IMPORTED]),
        ("insert a logging.info call in load", [LOGGED, IMPORTED]),
        ("guard save against OSError and return None", [GUARDED]),
        ("let path of save have the type str", [TYPED]),
        ("let path of save have the type str", [TYPED, ("\n\n\n", "\n\n")]),
    ],
)
def test_what_was_asked_for_has_no_mark(instruction, changes):
    assert marks_of(instruction, changed(*changes)) == ([], [])


@pytest.mark.parametrize(
    ("instruction", "changes", "missing"),
    [
        ("Add a docstring to save", [SLIP], "a docstring for “save”"),
        ("Let 'Saves.' be the docstring of save", [DOCUMENTED], '“"""Saves."""”'),
        ("log each call of load", [IMPORTED], "a logging call for “load”"),
        ("log each call of load", [(LOAD, LOAD + "    print(path)\n")], "a logging call for “load”"),
        ("guard save against OSError", [DOCUMENTED], "a “try” for “save”"),
    ],
)  # fmt: skip
def test_what_is_missing_is_doubted(instruction, changes, missing):
    doubts, _ = marks_of(instruction, changed(*changes))
    assert doubts == [f"The words ask for {missing}; this answer does not add it."]


def test_what_code_would_write_itself_is_doubted_by_its_line():
    doubts, _ = marks_of("let path of save have the type str", changed(DOCUMENTED))
    assert doubts == ["The words alone would change line 10; this answer leaves it."]


@pytest.mark.parametrize(
    ("instruction", "changes"),
    [
        ("Add a docstring to save", [DOCUMENTED, SLIP]),
        ("Add a docstring to save", [DOCUMENTED, ('"w"', '"wb"')]),
        ("log each call of load", [LOGGED, IMPORTED, (", mode)", ")")]),
        ("log each call of load", [(LOAD, '    logging.info("load called")\n' + LOAD), IMPORTED]),
        ("guard save against OSError", [GUARDED, SLIP]),
        ("let path of save have the type str", [TYPED, ("file.write(text)", "file.write(path)")]),
    ],
)
def test_what_else_changed_is_doubted(instruction, changes):
    assert marks_of(instruction, changed(*changes)) == ([NOT_NAMED], [])


@pytest.mark.parametrize(
    ("instruction", "changes"),
    [
        ("Add a docstring to save, retry it twice", [DOCUMENTED, ('"w"', '"wb"')]),
    ],
)
def test_where_the_words_may_say_more_it_is_a_note(instruction, changes):
    assert marks_of(instruction, changed(*changes)) == ([], [NOT_NAMED])


def test_only_the_hunk_that_does_it_is_doubted():
    document = Document.of(TEXT)
    hunks = hunks_to(document, changed(DOCUMENTED, SLIP))
    said = compared(document, hunks, parse("Add a docstring to save"), "python")
    assert said.more == {hunks[0].id}
    assert not said.is_computed


def test_nothing_is_missed_outside_the_selection():
    assert marks_of("Add a docstring to save", changed(SLIP), selected=(3, 6))[0] == [NOT_NAMED]


def test_an_answer_that_changes_nothing_says_what_was_asked_for():
    said = compared(Document.of(TEXT), (), parse("Add a docstring to save"), "python")
    expected = "Nothing changed; the words ask for a docstring for “save”."
    assert said.summary(is_changed=False) == expected


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        ("Rewrite save with try", TEXT),
        ("Add a docstring to absent", TEXT),
        ("Make save faster", TEXT),
        ("Add a docstring to save", "(\n" + TEXT),  # does not parse
    ],
)
def test_other_sentences_are_not_judged(instruction, text):
    document = Document.of(text)
    hunks = hunks_to(document, text.replace("Reads", "Loads"))
    assert compared(document, hunks, parse(instruction), "python") is None


def test_indented_pieces_are_judged():
    text = "    def save(self):\n        pass\n"
    new = text.replace("pass", 'pass\n        """Late."""')
    doubts, _ = marks_of("Add a docstring to save", new, text)
    assert doubts == ["The words ask for a docstring for “save”; this answer does not add it."]


@pytest.mark.parametrize("edit", load_edits(demo_folder()), ids=lambda edit: edit.name)
def test_what_the_demo_writes_has_no_mark(edit):
    document, language = Document.of(edit.before), language_of(edit.path)
    hunks = hunks_to(document, Document.of(edit.after).model_text)
    said = compared(document, hunks, parse(edit.instruction), language)
    marked, doubts = check_hunks(document, hunks, edit.instruction, language, comparison=said)
    assert (doubts, [hunk.suspect for hunk in marked if hunk.suspect]) == ([], [])
