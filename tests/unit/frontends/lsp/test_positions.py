from __future__ import annotations

import random

import pytest
from lsprotocol.types import Position, Range

from editd.diff.document import split_lines
from editd.frontends.lsp.positions import (
    character_of,
    choose_encoding,
    column_of,
    end_of,
    place_of,
    position_of,
    selected_lines,
    text_edit,
)
from tests.unit.frontends.lsp.client import applied, units

ENCODINGS = ("utf-8", "utf-16", "utf-32")
# Characters of one to four bytes, a ZWJ family, a flag, combining marks, what splitlines splits at.
ODD = [
    "a",
    "é",
    "漢",
    "😀",
    "👩‍👩‍👧",
    "🇩🇪",
    "e\u0301",
    "\u2028",
    "\u2029",
    "\x0c",
    "\x0b",
    "\x85",
    "\x1c",
    "\t",
]


@pytest.mark.parametrize(
    ("line", "encoding", "character", "column"),
    [
        ("abc\n", "utf-16", 2, 2),
        ("a😀b\n", "utf-16", 3, 2),
        ("a😀b\n", "utf-16", 2, 1),  # between the halves: before the character
        ("a😀b\n", "utf-8", 5, 2),
        ("a😀b\n", "utf-8", 3, 1),
        ("a😀b\n", "utf-32", 2, 2),
        ("é漢😀x", "utf-8", 9, 3),
        ("😀😀😀", "utf-16", 4, 2),
        ("abc\n", "utf-16", 99, 3),  # beyond the end: before the line end
        ("abc\r\n", "utf-16", 4, 3),
        ("a😀\r\n", "utf-8", 99, 2),
        ("", "utf-8", 3, 0),
    ],
)
def test_column_of(line, encoding, character, column):
    assert column_of(line, character, encoding) == column


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_column_survives_the_way_there_and_back(encoding):
    random_ = random.Random(1)
    for _ in range(50):
        end = random_.choice(["", "\n", "\r\n"])
        line = "".join(random_.choices(ODD, k=random_.randrange(12))) + end
        for column in range(len(line) - len(end) + 1):
            character = character_of(line, column, encoding)
            assert character == units(line[:column], encoding)
            assert column_of(line, character, encoding) == column


@pytest.mark.parametrize(
    ("text", "end"),
    [("", (0, 0)), ("a", (0, 1)), ("a\n", (1, 0)), ("a\nb", (1, 1)), ("a\u2028b", (0, 3))],
)
def test_positions_beyond_the_text_mean_its_end(text, end):
    lines = split_lines(text)
    assert end_of(lines) == end
    assert place_of(lines, Position(99, 0), "utf-16") == end
    assert place_of(lines, Position(end[0], 99), "utf-16") == end


def test_the_position_of_a_line_beyond_the_last_is_the_end_of_the_text():
    assert position_of(["a\n", "b😀"], (2, 0), "utf-16") == Position(1, 3)
    assert position_of(["a\n"], (1, 0), "utf-16") == Position(1, 0)


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        ([], "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        (["utf-7", 3, "utf-8"], "utf-8"),
        (["ebcdic"], "utf-16"),
    ],
)
def test_the_client_s_first_known_encoding_is_chosen(offered, chosen):
    assert choose_encoding(offered) == chosen


def test_selected_lines_at_the_end_of_a_text_without_final_newline():
    lines = ["a\n", "b"]
    assert selected_lines(lines, Range(Position(1, 0), Position(1, 1)), "utf-8") == (1, 2)
    assert selected_lines(lines, Range(Position(5, 0), Position(9, 0)), "utf-8") is None


def check_edit(text, start, old_count, new_lines, encoding):
    lines = split_lines(text)
    edit = text_edit(lines, start, old_count, new_lines, encoding)
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    bare = split_lines(text.removeprefix(bom))
    expected = bom + "".join([*bare[:start], *new_lines, *bare[start + old_count :]])
    if edit is None:
        assert expected == text
        return None
    changes = [
        {
            "range": {
                "start": {"line": edit.range.start.line, "character": edit.range.start.character},
                "end": {"line": edit.range.end.line, "character": edit.range.end.character},
            },
            "newText": edit.new_text,
        }
    ]
    assert applied(text, changes, encoding) == expected
    return edit


@pytest.mark.parametrize(
    ("text", "start", "old_count", "new_lines", "range_", "new_text"),
    [
        ("one\ntwo\n", 1, 1, ["tWo\n"], (1, 1, 1, 2), "W"),
        ("one\ntwo\n", 2, 0, ["x\n"], (2, 0, 2, 0), "x\n"),
        ("one\ntwo", 1, 1, ["two\n", "x"], (1, 3, 1, 3), "\nx"),
        ("one\ntwo\n", 0, 1, [], (0, 0, 1, 0), ""),
        ("a\r\nb\r\n", 0, 1, ["a\n"], (0, 1, 1, 0), "\n"),  # never between CR and LF
        ("a😀b\n", 0, 1, ["a😀c\n"], (0, 3, 0, 4), "c"),
        ("\ufeffa\nb\n", 0, 1, ["A\n"], (0, 1, 0, 2), "A"),
        ("\ufeffa\nb\n", 0, 0, ["x\n"], (0, 1, 0, 1), "x\n"),
        ("one\ntwo\n", 0, 1, ["one\n"], None, ""),
    ],
)
def test_a_text_edit_replaces_only_what_differs(
    text, start, old_count, new_lines, range_, new_text
):
    edit = check_edit(text, start, old_count, new_lines, "utf-16")
    if range_ is None:
        assert edit is None
        return
    found = edit.range
    assert (found.start.line, found.start.character, found.end.line, found.end.character) == range_
    assert edit.new_text == new_text


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_fuzz_a_text_edit_does_what_its_hunk_says(encoding):
    for seed in range(200):
        check_some_edit(random.Random(seed), encoding)


def check_some_edit(random_, encoding):
    def line(end):
        return "".join(random_.choices(ODD, k=random_.randrange(4))) + end

    ends = random_.choice([["\n"], ["\r\n"], ["\n", "\r\n", "\r"]])
    lines = [line(random_.choice(ends)) for _ in range(random_.randrange(6))]
    if random_.random() < 0.5:
        lines.append(line("") or "x")
    text = ("\ufeff" if random_.random() < 0.2 else "") + "".join(lines)
    lines = split_lines(text.removeprefix("\ufeff"))
    start = random_.randrange(len(lines) + 1)
    old_count = random_.randrange(len(lines) - start + 1)
    at_end = start + old_count == len(lines)
    new_lines = [line(random_.choice(ends)) for _ in range(random_.randrange(3))]
    if at_end and old_count and random_.random() < 0.5:
        new_lines.append("last")
    if start == len(lines) and lines and not lines[-1].endswith(("\r", "\n")):
        return  # a line cannot be put after one without an end
    check_edit(text, start, old_count, new_lines, encoding)


def test_a_conversion_looks_at_one_line_of_a_long_document():
    class Counted(list):
        looked_at = 0

        def __getitem__(self, index):
            Counted.looked_at += 1
            return super().__getitem__(index)

        def __iter__(self):
            raise AssertionError("the whole document was read")

    lines = Counted(f"line {i} é\n" for i in range(50_000))
    assert place_of(lines, Position(40_000, 8), "utf-8") == (40_000, 8)
    assert position_of(lines, (49_999, 13), "utf-16") == Position(49_999, 13)
    assert Counted.looked_at <= 4
