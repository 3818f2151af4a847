"""Which findings are new, and whose."""

import pytest

from editd.checks.rewrite import Rewrite
from editd.diff.document import Document
from editd.diff.hunk import Hunk
from editd.linters.comparing import new_suspicions
from editd.linters.findings import LintFinding

TEXT = "import os\n\n\ndef f(a):\n    b = os.sep\n    return a\n\n\nx = 1\n"
UNUSED = "`os` imported but unused"
LONG = "Line too long"


def found(*places):
    return [LintFinding("-", line, rule, message) for line, rule, message in places]


@pytest.mark.parametrize(
    ("instruction", "hunks", "before", "after", "suspected"),
    [
        # new in a line that is written
        ("tidy", [(8, 1, ["x = y\n"])], [], [(8, "F821", "Undefined name `y`")], [1]),
        # the old text had it, above or below what moved
        ("tidy", [(0, 0, ["# a\n"])], [(8, "N1", "x")], [(9, "N1", "x")], []),
        # once more in an equal line
        ("tidy", [(9, 0, ["x = 1\n"])], [(8, "N1", "x")], [(8, "N1", "x"), (9, "N1", "x")], [1]),
        # the line that is changed had the same finding
        ("tidy", [(8, 1, ["x = 2\n"])], [(8, "E501", LONG)], [(8, "E501", LONG)], []),
        ("tidy", [(8, 1, ["x = 2\n"])], [(8, "E501", LONG)], [(8, "E502", LONG)], [1]),
        # another hunk's finding excuses nothing
        (
            "tidy",
            [(5, 1, ["    return b\n"]), (8, 1, ["x = 2\n"])],
            [(5, "E501", LONG)],
            [(8, "E501", LONG)],
            [2],
        ),
        # elsewhere: the hunk that takes the name away
        (
            "tidy",
            [(4, 1, ["    b = 1\n"]), (8, 1, ["x = 2\n"])],
            [],
            [(0, "F401", UNUSED)],
            [1],
        ),
        # what the instruction brings along, and what it asks to delete
        ("import sys", [(0, 0, ["import sys\n"])], [], [(0, "F401", "`sys` unused")], []),
        ("delete the function f", [(3, 3, [])], [], [(0, "F401", UNUSED)], []),
    ],
)
def test_new_findings(instruction, hunks, before, after, suspected):
    hunks = tuple(Hunk(n, at, count, tuple(new)) for n, (at, count, new) in enumerate(hunks, 1))
    document = Document.of(TEXT)
    rewrite = Rewrite(document, hunks, instruction, "python", ((0, len(document.lines)),))
    suspicions = new_suspicions(rewrite, "ruff", found(*before), found(*after))
    assert [suspicion.hunk_ids for suspicion in suspicions] == [(number,) for number in suspected]
    for suspicion in suspicions:
        assert suspicion.reason.startswith("ruff: ")
