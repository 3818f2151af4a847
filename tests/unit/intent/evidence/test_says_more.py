"""A request that is a list, or that chooses among the things it is about, is not read by evidence or without its asides."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

TEXT = """def area(w, h):
    # local result
    result = w * h
    print("result", result)
    return result


def half(w):
    result = w / 2  # TODO check
    print(result)
    return result
"""


@pytest.mark.parametrize(
    "sentence",
    [
        "delete the comments, that is those before a statement",
        "delete the comments: i.e. the ones about results",
        "delete the prints, we need the first one",
        "half needs a type for its result, and the comment about checking can be deleted",
        "the output of area should be rounded, and the print in half can be removed",
        "results of half should be dropped after 10 minutes",
        "rename result to size, its use in half is fine as it is",
        "The code has two problems:\n- area does not check w\n- delete the comments",
    ],
)
def test_a_choice_or_a_list_is_left(sentence):
    assert compute_edit(EditRequest("1", TEXT, sentence, path="a.py")) is None


def test_the_same_without_it_is_done():
    assert compute_edit(EditRequest("1", TEXT, "delete the comments, they are old", path="a.py"))
