"""An import that an edit needs is a hunk of its own, to be accepted without the rest and the other way round."""

import pytest

from editd.checks import check_hunks
from editd.checks.missing_imports import with_missing_imports
from editd.diff.document import Document
from editd.diff.edits import apply
from editd.refactor.computed import hunks_to

HEAD = "import os\n\n\n"
BODY = "def load(path):\n    return open(path).read()\n"
USES = BODY.replace("return open(path).read()", "return json.loads(open(path).read())")


def edited(old, new, selected=None, ends="\n"):
    """The hunks of an edit with those for missing imports."""
    document = Document.of(old.replace("\n", ends))
    hunks, _ = check_hunks(document, hunks_to(document, new), "use json", "python")
    lines = selected or (0, len(document.lines))
    return document, with_missing_imports(document, hunks, "use json", "python", lines)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("old", "new", "imported"),
    [
        (HEAD + BODY, HEAD + USES, "import json\n"),
        ('"""Text."""\n\nx = 1\n' + BODY, '"""Text."""\n\nx = 1\n' + USES, "import json\n\n"),
        ("import sys\n" + BODY, "import sys\n" + USES, "import json\n"),
    ],
)
def test_the_import_and_the_rest_are_accepted_alone(old, new, imported, ends):
    document, hunks = edited(old, new, ends=ends)
    first, second = hunks
    assert ("".join(first.new_lines), first.old_count) == (imported.replace("\n", ends), 0)
    assert first.note == "“json” is used now and was not imported."
    assert (first.suspect, second.suspect, second.note) == (None, None, None)
    assert apply([second], document.text, document) == new.replace("\n", ends)
    alone = apply([first], document.text, document)
    assert alone.replace("".join(first.new_lines), "", 1) == document.text
    assert "import json" in apply(hunks, document.text, document)


@pytest.mark.parametrize(
    ("old", "new", "selected"),
    [
        (HEAD + BODY, HEAD + USES, (3, 5)),  # the import would stand outside
        (HEAD + BODY, HEAD + BODY.replace("path", "name"), None),  # none is missing
        (HEAD + BODY, HEAD + USES.replace("json", "jsonlib"), None),  # no module of Python's
        (HEAD + BODY, "import json\n\n\n" + USES, None),
        ("import os\n" + "x = os.name\n", "x = os.name\n", None),  # its line is the hunk
    ],
)
def test_nothing_is_added(old, new, selected):
    document, hunks = edited(old, new, selected)
    assert [hunk.new_lines for hunk in hunks] == [x.new_lines for x in hunks_to(document, new)]
