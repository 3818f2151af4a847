"""Python's scopes: whether a name is a place's own."""

import pytest

from editd.syntax.code import read_code
from editd.syntax.places import place_of
from editd.syntax.python_scopes import is_local


@pytest.mark.parametrize(
    ("text", "place", "is_its_own"),
    [
        ("def f():\n    x = 1\n    return x\n", "f", True),
        ("def f(x):\n    def h():\n        return x\n    return h\n", "f", True),
        ("x = 1\n\n\ndef f():\n    return x\n", "f", False),
        ("def f():\n    global x\n    x = 1\n", "f", False),
        ("def f(x=0, y=x):\n    return x\n", "f", False),
    ],
)  # fmt: skip
def test_a_name_of_a_place(text, place, is_its_own):
    found = place_of(place, text, "python")
    assert is_local("x", found, read_code(text, "python").python) is is_its_own
