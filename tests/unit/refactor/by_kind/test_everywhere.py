"""Edits of all places of one kind: all of them, those of a function, those that words, quoted texts or code choose."""

import pytest

from tests.unit.refactor.by_kind.check import check

PRINTS = """import sys


def load(path):
    print("DEBUG path", path)
    print("loading")
    return path


def save(path):
    print("DEBUG saved", path)
    sys.stdout.write("done")
"""


def without(*parts):
    return "".join(x for x in PRINTS.splitlines(True) if not any(part in x for part in parts))


@pytest.mark.parametrize(
    ("sentence", "gone"),
    [
        ("my terminal is full of junk, can all the prints disappear", ["print("]),
        ("the prints in load have to vanish", ['path", path', "loading"]),
        ("both DEBUG prints were a mistake of mine", ["DEBUG"]),
        ("whoever reads 'loading' needs nothing of it, that print can go", ["loading"]),
        ("prints begone, but keep the one with loading", ["DEBUG"]),
        ("the print in save is noise", ["DEBUG saved"]),
    ],
)
def test_prints(sentence, gone):
    check("prints_delete", "a.py", PRINTS, sentence, without(*gone))


@pytest.mark.parametrize(
    "sentence",
    [
        "that print is noise",  # there are three
        "all three prints in load can go",  # there are two
        "the prints should vanish except in save",
        "the prints may go if nobody needs them, but only in tests",
    ],
)
def test_prints_that_are_left(sentence):
    check("prints_delete", "a.py", PRINTS, sentence, None)


STRINGS = """def title(name, row):
    head = "Row " + name
    tail = "%s of %d" % (name, row)
    return head, tail
"""


@pytest.mark.parametrize(
    ("sentence", "old", "new"),
    [
        (
            "the percent formatting looks ancient, f-string it",
            '"%s of %d" % (name, row)',
            'f"{name} of {row}"',
        ),
        ("head deserves an f-string", '"Row " + name', 'f"Row {name}"'),
        ("no more gluing with a plus, take an f-string", '"Row " + name', 'f"Row {name}"'),
    ],
)
def test_formatted_strings(sentence, old, new):
    check("fstrings", "a.py", STRINGS, sentence, STRINGS.replace(old, new))


@pytest.mark.parametrize(
    "sentence", ["that string deserves an f-string", "an f-string for the footer"]
)
def test_formatted_strings_that_are_left(sentence):
    check("fstrings", "a.py", STRINGS, sentence, None)


QUOTED = """const a = 'x';
const b = "y";
"""


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("single -> double", QUOTED.replace("'x'", '"x"')),
        ("prettier wants every string with single quotes", QUOTED.replace('"y"', "'y'")),
        ("the quotes are a mess, make them consistent", None),
    ],
)
def test_quotes(sentence, expected):
    check("quotes", "a.js", QUOTED, sentence, expected)


FILES = """def load(path):
    f = open(path)
    text = f.read()
    f.close()
    return text


def save(path, text):
    out = open(path, "w")
    out.write(text)
    out.close()
"""
LOADED = FILES.replace(
    "    f = open(path)\n    text = f.read()\n    f.close()\n",
    "    with open(path) as f:\n        text = f.read()\n",
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("load forgets its handle when read throws, a with block helps", LOADED),
        ("the handle that only reads should sit in a with block", None),
        ("that file should sit in a with block", None),
    ],
)
def test_files(sentence, expected):
    check("with_open", "a.py", FILES, sentence, expected)
