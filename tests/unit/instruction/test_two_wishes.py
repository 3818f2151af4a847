"""Two wishes in one sentence: one answer, whether the words decide both or a model is asked for the second."""

import asyncio

import pytest

from editd.diff.document import Document
from editd.doors.door_client import DoorClient
from editd.instruction import read
from editd.instruction.answering import by_words, hunks_to
from editd.messages import Delta, EditRequest, EditResult

TEXT = "import os\n\n\ndef load(path):  # reads\n    return open(path)\n"


@pytest.mark.parametrize(
    ("instruction", "wishes"),
    [
        ("rename foo to bar and add a docstring", ("rename foo to bar", "add a docstring")),
        ("rename foo to bar, then give it a docstring", ("rename foo to bar", "give bar a docstring")),
        ("replace 'a and b' with 'c'; delete the comments", ("replace 'a and b' with 'c'", "delete the comments")),
        ("make it faster and simplify the loop", None),
        ("rename foo to bar", None),
        ("remove all comments and make it faster", None),
    ],
)  # fmt: skip
def test_where_one_ends_and_the_other_begins(instruction, wishes):
    assert read(instruction).wishes == wishes


def test_the_words_decide_both():
    request = EditRequest("1", TEXT, "rename load to fetch and remove all comments", path="a.py")
    assert by_words(request).text == TEXT.replace("load", "fetch").replace("  # reads", "")


def test_a_model_is_asked_for_the_second_and_both_are_one_answer():
    asked = []

    class Engine(DoorClient):
        async def ask(self, request):
            asked.append(request)
            new = request.text.replace("(path):", "(path, mode):")
            hunks = hunks_to(Document.of(request.text), new)
            yield Delta(request.request_id, 0, ())
            yield EditResult(request.request_id, "stop", text=new, hunks=hunks)

    async def connect():
        return Engine(connect)

    async def edit():
        request = EditRequest("1", TEXT, "rename load to fetch and add a parameter", path="a.py")
        return [m async for m in DoorClient(connect).edit(request)]

    delta, result = asyncio.run(edit())
    assert [r.instruction for r in asked] == ["add a parameter"]
    assert result.text == TEXT.replace("load(path)", "fetch(path, mode)")
    assert [(hunk.start, hunk.suspect) for hunk in result.hunks] == [(3, None)]
    assert len(delta.ops) == 3
