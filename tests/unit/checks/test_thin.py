"""Documentation that only repeats the name gets a note; what says more, or was there before, gets none."""

import pytest

from tests.unit.checks.test_checks import rewritten

PYTHON = "def {name}(path):\n    return open(path)\n"
JAVASCRIPT = "function {name}(path) {{\n  return open(path);\n}}\n"
NOTE = "This documentation only repeats the name “{name}”."


@pytest.mark.parametrize(
    ("name", "documentation", "is_thin"),
    [
        ("get_user", "Get user.", True),
        ("get_user", "Gets the users.", True),
        ("words_of", "Words of.", True),
        ("mean", "Return the mean.", True),
        ("getUser", "This function gets a user.", True),
        ("get_user", "Get the user of a session.", False),
        ("words_of", "Words of a file.", False),
        ("get_user", "Get user.\n\n    path: of the file.\n    ", False),
        ("tally", "Counts words.", False),
    ],
)
def test_by_its_words(name, documentation, is_thin):
    python = PYTHON.format(name=name)
    javascript = JAVASCRIPT.format(name=name)
    for path, before, after in (
        ("a.py", python, python.replace(":\n", f':\n    """{documentation}"""\n')),
        ("a.js", javascript, f"/** {documentation} */\n{javascript}"),
        ("b.js", javascript, "".join(f"// {x}\n" for x in documentation.split("\n")) + javascript),
    ):
        hunks, doubts = rewritten(before, after, f"Document {name}.", path)
        assert doubts == []
        assert [hunk.note for hunk in hunks] == [NOTE.format(name=name) if is_thin else None], path


def test_what_was_there_is_not_told_of_and_a_class_is_no_function_of_it():
    text = '''class Store:
    def load(self):
        """Load."""
        return 1
'''
    hunks, _ = rewritten(text, text.replace("return 1", "return 2"), "return 2", "a.py")
    assert [hunk.note for hunk in hunks] == [None]
    changed = text.replace("Store:\n", 'Store:\n    """Holds what was loaded."""\n')
    assert [hunk.note for hunk in rewritten(text, changed, "", "a.py")[0]] == [None]


def test_what_the_instruction_says_is_no_repetition():
    before = PYTHON.format(name="load")
    after = before.replace(":\n", ':\n    """Load."""\n')
    hunks, _ = rewritten(before, after, 'Add the docstring "Load." to load.', "a.py")
    assert [hunk.note for hunk in hunks] == [None]


def test_several_in_one_hunk_are_told_of_once():
    after = '''def load():
    """Load."""


def save():
    """Save."""
'''
    hunks, _ = rewritten("", after, "write two functions", "a.py")
    assert [hunk.note for hunk in hunks] == [NOTE.format(name="load")]
