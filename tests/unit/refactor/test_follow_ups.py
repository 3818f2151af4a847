"""A follow-up is computed on the earlier answer, where its words decide, and answered as a change of the buffer."""

import pytest

from editd.diff.document import Document
from editd.diff.edits import apply
from editd.messages import EditRequest
from editd.messages.options import EditOptions
from editd.plan import AskModel, Computed, plan

BUFFER = (
    "import os\n\n\ndef add(total):\n    return total\n\n\ndef other(total):\n    return total\n"
)
RENAMED = BUFFER.replace("add(total):\n    return total", "add(amount):\n    return amount")
LONGER = BUFFER.replace("    return total\n\n", "    print(total)\n    return total\n\n", 1)


def planned(instruction, based_on, **fields):
    request = EditRequest("1", BUFFER, instruction, "a.py", based_on=based_on, **fields)
    return plan(request, words_first=True)


@pytest.mark.parametrize(
    ("instruction", "based_on", "selected", "new"),
    [
        ("rename amount to sum_", RENAMED, None, RENAMED.replace("amount", "sum_")),
        ("rename amount to sum_", RENAMED, (3, 5), RENAMED.replace("amount", "sum_")),
        ("rename amount to total", RENAMED, None, BUFFER),
        (
            "rename total to sum_ in add",
            LONGER,
            (3, 5),
            LONGER.replace(
                "add(total):\n    print(total)\n    return total",
                "add(sum_):\n    print(sum_)\n    return sum_",
            ),
        ),
    ],
)
def test_the_words_decide(instruction, based_on, selected, new):
    lines = {"start_line": selected[0], "end_line": selected[1]} if selected else {}
    found = planned(instruction, based_on, **lines)
    assert isinstance(found, Computed)
    result = found.result
    assert result.text == new
    assert apply(result.hunks, BUFFER, Document.of(BUFFER)) == new
    assert result.stats.written_by == "words"


@pytest.mark.parametrize(
    ("instruction", "based_on", "fields"),
    [
        ("make it nicer", RENAMED, {}),
        ("rename missing to sum_", RENAMED, {}),
        ("rename amount to sum_", RENAMED, {"start_line": 7, "end_line": 9}),
        ("rename amount to sum_", RENAMED, {"options": EditOptions(way="model")}),
        ("rename amount to sum_", RENAMED, {"prediction": BUFFER}),
        ("", RENAMED, {}),
    ],
)
def test_the_model_is_asked_where_they_do_not(instruction, based_on, fields):
    assert isinstance(planned(instruction, based_on, **fields), AskModel)
