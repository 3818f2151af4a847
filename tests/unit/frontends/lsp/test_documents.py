from __future__ import annotations

import random
import sys
import time

import pytest
from lsprotocol.types import (
    Position,
    Range,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
    TextDocumentItem,
)

from editd.diff.document import split_lines
from editd.frontends.lsp.documents import DocumentStore, splice
from editd.frontends.lsp.placed_hunks import DocumentChange
from tests.unit.frontends.lsp.client import position_at

PIECES = [
    "a",
    "bc",
    "é",
    "😀",
    "👩‍👩‍👧",
    "漢字",
    "\u2028",
    "\x0c",
    "\x85",
    " ",
    "\n",
    "\n",
    "\r\n",
    "\r",
]


def opened(text, encoding="utf-16"):
    store = DocumentStore()
    store.encoding = encoding
    store.open(TextDocumentItem("u", "python", 1, text))
    return store


def change(start, end, text):
    return TextDocumentContentChangePartial(Range(Position(*start), Position(*end)), text)


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "expected"),
    [
        ("abc", (0, 3), (0, 3), "X", "abcX"),  # pygls: abXc
        ("abc", (0, 99), (9, 0), "X", "abcX"),
        ("a\x0cb\nc\n", (1, 0), (1, 1), "C", "a\x0cb\nC\n"),  # pygls counts three lines
        ("a\u2028b\nc\n", (1, 0), (1, 1), "C", "a\u2028b\nC\n"),
        ("a\nb\n", (2, 0), (2, 0), "c", "a\nb\nc"),
        ("", (0, 0), (0, 0), "x\n", "x\n"),
        ("a\r\nb", (0, 5), (0, 5), "!", "a!\r\nb"),  # never between CR and LF
        ("a\rb\nc", (1, 0), (1, 1), "", "a\r\nc"),  # CR and LF meet: one line end
        ("a\r", (1, 0), (1, 0), "\n", "a\r\n"),
        ("a\nb", (0, 1), (1, 0), "\r", "a\rb"),
        ("one\ntwo\n", (1, 3), (0, 0), "x", "x\n"),  # a range given backwards
    ],
)
def test_changes(text, start, end, new, expected):
    document = opened(text).change("u", 2, [change(start, end, new)])
    assert document.text == expected
    assert list(document.lines) == split_lines(expected)
    assert document.version == 2


def test_a_whole_new_text_and_several_changes_in_one_notification():
    store = opened("a\n")
    document = store.change(
        "u",
        5,
        [
            TextDocumentContentChangeWholeDocument("one\ntwo\n"),
            change((0, 0), (0, 1), "O"),
            change((1, 0), (1, 1), "T"),
        ],
    )
    assert document.text == "One\nTwo\n"


def test_a_snapshot_stays_as_it_was():
    store = opened("a\nb\n")
    before = store.get("u")
    store.change("u", 2, [change((0, 0), (1, 0), "")])
    assert (before.text, before.version) == ("a\nb\n", 1)
    store.close("u")
    assert store.get("u") is None
    assert store.change("u", 3, [change((0, 0), (0, 0), "x")]) is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_fuzz_changes_in_every_encoding(encoding):
    for seed in range(60):
        check_some_changes(random.Random(seed), encoding)


def check_some_changes(random_, encoding):
    def some(most):
        return "".join(random_.choices(PIECES, k=random_.randrange(most)))

    text = some(30)
    store = opened(text, encoding)
    for version in range(2, 20):
        start = random_.randrange(len(text) + 1)
        end = random_.randrange(start, min(len(text), start + 8) + 1)
        # A client cannot point between CR and LF.
        start -= text[start - 1 : start + 1] == "\r\n"
        end += text[end - 1 : end + 1] == "\r\n"
        new = some(4)
        positions = (position_at(text, place, encoding) for place in (start, end))
        spot = Range(*(Position(p["line"], p["character"]) for p in positions))
        document = store.change("u", version, [TextDocumentContentChangePartial(spot, new)])
        text = text[:start] + new + text[end:]
        assert document.text == text
        assert list(document.lines) == split_lines(text)


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "told"),
    [
        # A copy of a line put before it does not make it the first of the two.
        ("x\nx\n", (1, 0), (1, 0), "x\n", DocumentChange(1, 0, 1)),
        ("x\nx\n", (0, 0), (0, 0), "x\n", DocumentChange(0, 0, 1)),
        ("x\nx\n", (0, 0), (1, 0), "", DocumentChange(0, 1, 0)),
        ("x\nx\n", (1, 0), (2, 0), "", DocumentChange(1, 1, 0)),
        ("a\nb\n", (0, 1), (0, 1), "\n", DocumentChange(1, 0, 1)),  # Enter at a line's end
        ("a\nb\n", (1, 0), (1, 0), "\n", DocumentChange(1, 0, 1)),  # Enter at a line's start
        ("ab\nc\n", (0, 1), (0, 1), "\n", DocumentChange(0, 1, 2)),
        ("ab\nc\n", (0, 0), (0, 0), "ab\nz", DocumentChange(0, 1, 2)),  # the old ab is zab now
        ("a\nb\n", (0, 1), (1, 1), "", DocumentChange(1, 1, 0)),  # line b, joined backwards
        ("a\nb\nc\n", (0, 1), (1, 0), "", DocumentChange(0, 2, 1)),
        ("a\nb\nc\n", (0, 0), (3, 0), "a\nB\nc\n", DocumentChange(1, 1, 1)),  # a formatter's way
        ("a\nb\n", (2, 0), (2, 0), "c", DocumentChange(2, 0, 1)),
        ("a\nb", (1, 1), (1, 1), "\nc", DocumentChange(1, 1, 2)),  # b has an end now: touched
        ("a\rb\nc\n", (1, 0), (1, 1), "", DocumentChange(0, 2, 1)),
    ],
)
def test_a_change_is_told_by_the_lines_that_it_touches(text, start, end, new, told):
    lines = split_lines(text)
    assert splice(lines, start, end, new) == told


def test_typing_into_a_document_of_50000_lines_is_fast():
    text = "".join(f"value_{i} = compute({i})  # é\n" for i in range(50_000))
    store = opened(text)
    began = time.process_time()
    for _ in range(20):
        split_lines(text)
    twenty_splits = time.process_time() - began
    began = time.process_time()
    for version in range(2, 202):
        store.change("u", version, [change((25_000, 3), (25_000, 3), "x")])
    # A document split anew at each of 200 keystrokes would cost ten times as much.
    assert time.process_time() - began < twenty_splits
    assert store.get("u").lines[25_000].startswith("val" + 200 * "x")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_keystroke_in_a_long_line_takes_no_step_for_each_character(encoding):
    units = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]

    def num_calls(count):
        store = opened("😀" * count + "\n", encoding)
        at = (0, units * (count - 3))
        events = []
        before = sys.getprofile()
        sys.setprofile(lambda _frame, event, _argument: events.append(event))
        try:
            store.change("u", 2, [change(at, at, "x")])
        finally:
            sys.setprofile(before)
        assert store.get("u").text == "😀" * (count - 3) + "x" + "😀" * 3 + "\n"
        return sum(event in ("call", "c_call") for event in events)

    # Ten halvings more, for each of the two ends of the range.
    assert num_calls(102_400) <= num_calls(100) + 100
