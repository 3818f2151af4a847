"""Imports by kind: the unused ones go, those that are named or all; the order is the usual one."""

import pytest

from tests.unit.refactor.by_kind.check import check

TEXT = "import sys\nimport os\nimport json\n\nprint(sys.argv)\n"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the linter shouts F401 at me, make it happy", "import sys\n\nprint(sys.argv)\n"),
        ("json has no use here any longer", "import sys\nimport os\n\nprint(sys.argv)\n"),
        ("one of the imports has no use", None),  # two have none
    ],
)
def test_unused(sentence, expected):
    check("remove_unused_imports", "a.py", TEXT, sentence, expected)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the import block is a jumble", "import json\nimport os\nimport sys\n\nprint(sys.argv)\n"),
        ("imports by length please", None),
        ("the import block is a jumble, but not the first", None),
    ],
)
def test_sorted(sentence, expected):
    check("sort_imports", "a.py", TEXT, sentence, expected)
