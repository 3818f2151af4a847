"""The check that the tests of the readers by kind share: a reader is given the kind, so that no weight decides a test."""

from editd.intent import parse
from editd.refactor.by_kind import READERS, read_as
from editd.syntax.code import read_code
from editd.syntax.language import language_of


def check(kind, path, text, sentence, expected):
    """Check the one text that the reader of a kind makes; ``None`` where it leaves the sentence."""
    assert done(kind, path, text, sentence) == expected


def done(kind, path, text, sentence):
    """The one text that the reader of a kind makes; ``None`` where it leaves the sentence."""
    code = read_code(text, language_of(path, ""))
    assert kind in READERS
    found = read_as([kind], parse(sentence), code, path)
    return found and found.texts[0]
