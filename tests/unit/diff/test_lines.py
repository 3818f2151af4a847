"""The one splitter: the same lines wherever the borders of what it looks at lie."""

import random
import re
from itertools import product

import pytest

from editd.diff import document
from editd.diff.document import BOM, Document, split_lines
from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.frontends.lsp.documents import splice

BORDER = document._CHUNK


def one_by_one(text):
    """The lines of ``text``, read character by character."""
    found, line = [], ""
    for index, character in enumerate(text):
        line += character
        if character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n"):
            found.append(line)
            line = ""
    return [*found, line] if line else found


def check(text):
    expected = one_by_one(text)
    document = Document.of(text)
    assert split_lines(text) == expected, repr(text)
    assert list(document.lines) == one_by_one(text.removeprefix(BOM)), repr(text)
    assert list(document.model_lines) == [
        re.sub(r"\r\n?", "\n", line) for line in document.lines
    ], repr(text)
    assert document.model_text == "".join(document.model_lines), repr(text)
    assert [document.line_offset(at) for at in range(len(document.lines) + 1)] == [
        len(document.bom) + len("".join(document.lines[:at]))
        for at in range(len(document.lines) + 1)
    ], repr(text)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_all_mixtures_around_every_border(monkeypatch, size):
    monkeypatch.setattr(document, "_CHUNK", size)
    for length in range(7):
        for characters in product("\r\na", repeat=length):
            check("".join(characters))


@pytest.mark.parametrize("seed", range(200))
def test_long_texts(monkeypatch, seed):
    rng = random.Random(seed)
    monkeypatch.setattr(document, "_CHUNK", rng.randrange(1, 40))
    runs = ["\r", "\n", "\r\n", "\r\r\n", "\n\r", "\x0c", "\u2028", "\x85", "a", "é🙂", BOM]
    mark = rng.choice(["", BOM])
    check(mark + "".join(rng.choice(runs) * rng.randrange(4) for _ in range(60)))


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("run", ["\r\r\n", "\r\n", "\r\r", "\n\r\n", "\r\r\r\n", "\r\n\r\n"])
def test_an_edit_behind_the_border_of_a_long_text_changes_its_line(before, run):
    text = "x" * (BORDER - before) + run + "keep\nold\nkeep\n"
    expected = one_by_one(text)
    at = expected.index("old\n")
    document = Document.of(text)
    hunk = Hunk(1, at, 1, ("new\n",))
    assert apply([hunk], text, document) == text.replace("old", "new")
    changed = split_lines(text)
    splice(changed, (at, 0), (at, 3), "new")
    assert changed == one_by_one(text.replace("old", "new"))
