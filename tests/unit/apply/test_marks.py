"""What a mark says: nothing, a note or a suspect, and which readings are certain."""

import pytest

from editd.apply import Merged, merge
from editd.apply.doubts.marks import confirmed, is_certain
from editd.apply.doubts.table import BY_NAME
from editd.apply.outcome import sentence_for_reader
from editd.apply.reading import ChangedLines, Reading, capped
from editd.apply.resolve import merge_request
from editd.apply.text.file_lines import FileLines
from editd.messages import EditRequest, EditResult

FILE = '''\
import os

LIMIT = 10


class Cart:
    """What a customer buys."""

    tax = 1.2

    def __init__(self, items):
        # never empty
        self.items = items

    def total(self, rate):
        amount = 0
        for item in self.items:
            amount += item.price
        amount += 1
        return amount

    def clear(self):
        self.items = []


def main():
    print(Cart([]).total(1))
'''
TOTAL = FILE[FILE.index("    def total") : FILE.index("\n    def clear")]
CLASS = FILE[FILE.index("class Cart") : FILE.index("\n\ndef main")]
INIT = CLASS[CLASS.index("    def __init__") : CLASS.index("\n    def total")]


def check(paste, kind, sentence="", file=FILE, path="cart.py"):
    """``kind``: certain, note, suspect (the hunks' marks), or none; sentence: a part of the first hunk's mark."""
    result = merge(file, paste, path=path)
    if isinstance(result, Merged):
        assert kind == "certain"
        return
    if result.reading is None:
        assert kind == "none"
        return
    hunks = result.reading.merged.hunks
    suspects = [hunk.suspect for hunk in hunks if hunk.suspect]
    assert ("suspect" if suspects else "note") == kind, (suspects, result.reason)
    marks = suspects or [hunk.note for hunk in hunks if hunk.note]
    assert sentence in marks[0]
    assert not any("show more" in mark or "sketch with" in mark for mark in marks)


@pytest.mark.parametrize(
    ("old", "is_whole", "replaced"),
    [
        # statements of a function may go
        (TOTAL, True, {"        amount += 1\n": ""}),
        (TOTAL, True, {"rate": "rate, tax", "+= 1": "+= 2"}),
        (CLASS, True, {"= []": "= {}"}),
        (CLASS, True, {"        # never empty\n": "        # never empty!\n"}),
        # a comment goes, and nothing comes for it; code goes, and a comment comes for it
        (CLASS, False, {"        # never empty\n": ""}),
        (INIT, False, {"        # never empty\n": ""}),
        (TOTAL, False, {"        amount += 1\n": "        # ... as it was\n"}),
        # a member goes, or gets another name
        (CLASS, False, {"    tax = 1.2\n\n": ""}),
        (CLASS, False, {"tax = ": "fee = "}),
        # no definition
        ("LIMIT = 10\n", False, {"10": "11"}),
    ],
)  # fmt: skip
def test_a_whole_definition_is_certain_if_nothing_unmentioned_goes(old, is_whole, replaced):
    new = old
    for before, after in replaced.items():
        assert before in new
        new = new.replace(before, after)
    start = FILE[: FILE.index(old)].count("\n")
    lines = FileLines(FILE.splitlines(), "python")
    change = ChangedLines(start, start + old.count("\n"), tuple(new.splitlines()), BY_NAME)
    found = confirmed(Reading((change,), BY_NAME), lines)
    assert is_certain(found) is is_whole
    assert not is_certain(capped(found, "Why."))


def test_two_whole_methods_are_certain():
    check(
        f"{TOTAL.replace('+= 1', '+= 2')}\n    def clear(self):\n        self.items = {{}}\n",
        "certain",
    )


@pytest.mark.parametrize(
    ("paste", "kind", "sentence"),
    [
        # new code without a place: a note, but not if prose or a marker may give it one
        ("def pay(cart):\n    return cart\n", "note", "does not show where this belongs"),
        ("Add this beside the other one:\n\n```python\ndef pay(cart):\n    return cart\n```\n", "suspect", "does not show where"),
        ("# ...\n\ndef pay(cart):\n    return cart\n\n# ...\n", "suspect", "does not show where"),
        # a version of one line
        ("LIMIT = 100\n", "note", "new version of what stands at line 3"),
        # new lines beside one that a class has once
        ("class Cart:\n    # ...\n    tax = 1.2\n    fee = 3\n    # ...\n", "note", "does not show of this stays"),
        ("class Cart:\n    # ...\n    tax = 1.2\n    fees = {\n    # ...\n", "suspect", ""),
        # a method at the end of its class, as it is shown
        ("class Cart:\n    # ... existing methods ...\n\n    def size(self):\n        return len(self.items)\n", "note", "where this belongs"),
        # what may lose code stays a suspect
        ("```python\nclass Cart:\n    # ...\n    tax = 1.2\n    fee = 3\n    def tot", "suspect", ""),
    ],
)  # fmt: skip
def test_what_was_right_in_95_of_100_answers_is_a_note(paste, kind, sentence):
    check(paste, kind, sentence)


def test_much_that_goes_is_a_suspect():
    long = "def fill(box):\n" + "".join(f"    box.put({n}, {n} + 1)\n" for n in range(20))
    check(
        "def fill(box):\n    box.put_all()\n", "suspect", "Most of lines", f"{long}    return box\n"
    )


@pytest.mark.parametrize(
    ("whole", "seen"),
    [
        ("A could go; show more lines around the change.", "A could go; look whether it is right."),
        ("“for (;;)” is new; the nearest is line 2, “for (;)”; add a marker.", "“for (;;)” is new; the nearest is line 2, “for (;)”; look whether it is right."),
        ("A goes; look whether it should stay.", "A goes; look whether it should stay."),
        ("A goes.", "A goes."),
    ],
)  # fmt: skip
def test_who_sees_a_reading_is_not_told_what_to_paste(whole, seen):
    assert sentence_for_reader(whole) == seen


def test_a_reading_without_a_mark_is_not_called_suspect():
    result = merge_request(EditRequest("1", FILE, "", path="cart.py", sketch="LIMIT = 100\n"))
    assert isinstance(result, EditResult)
    assert [hunk.suspect for hunk in result.hunks] == [None]
    assert result.suspects == (result.summary,)
