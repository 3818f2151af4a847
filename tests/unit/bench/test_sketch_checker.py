"""The benchmark's checker says how many texts a sketch can mean, by trying every place."""

from random import Random

import pytest

from benchmarks.apply.checker import verdict
from benchmarks.apply.pairs import Hunk, Pair
from benchmarks.apply.styles import STYLES

BEFORE = [
    "import os",
    "",
    "def f(a):",
    "    x = 1",
    "    return a",
    "",
    "def g(a):",
    "    x = 2",
    "    return a",
]
MARK = "# ...\n"


@pytest.mark.parametrize(
    ("sketch", "wanted"),
    [
        (f"{MARK}    x = 1\n    y = 1\ndef g(a):\n{MARK}", "unambiguous"),
        # the last line stands twice below the first one
        (f"{MARK}    x = 1\n    y = 1\n    return a\n{MARK}", "ambiguous"),
        (f"{MARK}    x = 2\n    y = 1\n    return a\n{MARK}", "unambiguous"),
        # the piece above takes the one place away
        (f"{MARK}def f(a):\n    return a\n{MARK}    x = 2\n    return a\n{MARK}", "unambiguous"),
        (f"{MARK}    y = 1\n    return a\n{MARK}", "none"),
        (f"{MARK}x = 1\ny = 1\nreturn a\n{MARK}", "ambiguous"),
        (f"{MARK}x = 2\ny = 1\nreturn a\n{MARK}", "unambiguous"),
        # without a marker what is below may go
        (f"{MARK}    x = 1\n    y = 1\ndef g(a):\n", "ambiguous"),
        (f"{MARK}    x = 2\n    y = 1\n    return a\n\n", "ambiguous"),
        # the new line stands right below, so it may be meant to move
        (f"{MARK}def f(a):\n    return a\n    x = 1\n{MARK}", "ambiguous"),
        ("@@ @@\n     x = 1\n+    y = 1\n     return a\n", "unambiguous"),
        ("@@ @@\n+    y = 1\n     return a\n", "ambiguous"),
        ("<<<<<<< SEARCH\n    x = 2\n=======\n    x = 3\n>>>>>>> REPLACE\n", "unambiguous"),
    ],
)  # fmt: skip
def test_it_counts_the_texts(sketch, wanted):
    assert verdict(BEFORE, sketch) == wanted


@pytest.mark.parametrize(
    ("style", "hunk"),
    [
        ("marker missing", Hunk(6, 9, ())),  # reads as a forgotten marker
        ("context above only", Hunk(3, 4, ())),
        ("whole blocks", Hunk(8, 9, ())),
        ("blank lines left out", Hunk(2, 5, ())),  # stands between blank lines
        ("dedented pieces", Hunk(3, 3, ("    ",))),  # loses its blanks
    ],
)
def test_a_sketch_that_cannot_show_its_change_is_not_made(style, hunk):
    pair, other = (
        Pair("x", "python", tuple(BEFORE), (one,)) for one in (hunk, Hunk(3, 4, ("    x = 3",)))
    )

    # Two lines of context would show enough of the deletion between blank lines, one does not.
    made = [STYLES[style](pair, Random(seed)) for seed in range(9)]
    assert None in made
    assert STYLES[style](other, Random(1))
