"""A docstring whose text stands in the sentence, for the definition that its other words mean."""

import pytest

from editd.intent import parse
from editd.refactor.by_kind.docstring import READERS
from editd.refactor.by_kind.request import KindRequest
from editd.syntax.code import read_code
from editd.syntax.language import language_of

PYTHON = """\
class TokenStream:
    def peek(self):
        return self.items[0]


def open_stream(path):
    return TokenStream(path)
"""
RUST = """\
fn area(w: u32) -> u32 {
    w * w
}
"""
FILES = {"a.py": PYTHON, "b.rs": RUST}


def check(sentence, path, line):
    """The sentence adds the line, or nothing if that is empty."""
    code = read_code(FILES[path], language_of(path, ""))
    request = KindRequest(sentence, "docstring", parse(sentence), code, path)
    texts = [x.texts[0].splitlines() for x in READERS["docstring"](request)]
    added = [line for text in texts for line in text if line not in code.text.splitlines()]
    assert [x.strip() for x in added] == ([line] if line else [])


@pytest.mark.parametrize(
    ("sentence", "path", "line"),
    [
        (
            'the stream class is undocumented, it should say "Reads tokens."',
            "a.py",
            '"""Reads tokens."""',
        ),
        (
            "open_stream really deserves a docstring: Open the stream of a file.",
            "a.py",
            '"""Open the stream of a file."""',
        ),
        ("put 'Look at the next token.' over peek", "a.py", '"""Look at the next token."""'),
        (
            'this file lacks a module docstring, "Streams of tokens."',
            "a.py",
            '"""Streams of tokens."""',
        ),
        ('area has no doc comment, "The area of a square."', "b.rs", "/// The area of a square."),
    ],
)
def test_is_read(sentence, path, line):
    check(sentence, path, line)


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("peek needs a docstring", "a.py"),
        ("peek: return early where no items are", "a.py"),
        ('a docstring for peek instead of the comment: "Look ahead."', "a.py"),
        ('a docstring for peek and open_stream: "Read it all."', "a.py"),
        ('document peek with "Look ahead." or "Peek at it."', "a.py"),
        ('document the writer with "Writes tokens to a file."', "a.py"),
        ('document peek with "Look ahead." Then rename it to next. And "a b c".', "a.py"),
    ],
)
def test_what_is_not_clear_is_left(sentence, path):
    check(sentence, path, "")
