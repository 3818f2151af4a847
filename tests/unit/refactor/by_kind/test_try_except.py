"""A ``try`` around what may fail, with what is done on an error, wherever in a sentence each stands."""

import pytest

from editd.intent import parse
from editd.refactor.by_kind.request import KindRequest
from editd.refactor.by_kind.try_except import READERS
from editd.syntax.code import read_code
from editd.syntax.language import language_of

PYTHON = """\
import json
import logging

log = logging.getLogger(__name__)


def load(path):
    handle = open(path)
    return json.load(handle)


def save(path, rows):
    for row in rows:
        path.write_text(row)
        audit(row)
"""
SCRIPT = """\
async function fetchAll(url) {
  const res = await client.get(url);
  return res.rows;
}

function parseRow(text) {
  return JSON.parse(text);
}

main();
"""
FILES = {"a.py": PYTHON, "b.js": SCRIPT}


def check(sentence, path, lines):
    """The sentence adds these lines, indentation aside, or nothing if they are none."""
    code = read_code(FILES[path], language_of(path, ""))
    request = KindRequest(sentence, "try_except", parse(sentence), code, path)
    texts = [x.texts[0].splitlines() for x in READERS["try_except"](request)]
    old = [x.strip() for x in code.text.splitlines()]
    assert [x.strip() for text in texts for x in text if x.strip() not in old] == lines


@pytest.mark.parametrize(
    ("sentence", "path", "lines"),
    [
        (
            "a missing file must not kill load, so its whole body belongs in a try; on FileNotFoundError return None",
            "a.py",
            ["try:", "except FileNotFoundError:", "return None"],
        ),
        (
            'the text is written to a full disk now and then: wrap the write and the audit line in a try, on OSError log.exception("lost")',
            "a.py",
            ["try:", "except OSError:", 'log.exception("lost")'],
        ),
        (
            "json.load chokes on broken files, catch json.JSONDecodeError there and hand back []",
            "a.py",
            ["try:", "except json.JSONDecodeError:", "return []"],
        ),
        (
            "wrap what parseRow does in try/catch and return { rows: [] } from the catch",
            "b.js",
            ["try {", "} catch (error) {", "return { rows: [] };", "}"][:3],
        ),
        (
            "the call of main at the bottom wants a try/catch that hands the error to console.error",
            "b.js",
            ["try {", "} catch (error) {", "console.error(error);"],
        ),
    ],
)
def test_is_read(sentence, path, lines):
    check(sentence, path, lines)


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("wrap json.load in a try", "a.py"),
        ("put a try/except OSError around the network call and return None", "a.py"),
        ("wrap the body of load in try/except OSError, close the handle and re-raise", "a.py"),
        ("wrap the open in try/except OSError, return None, and finally close it", "a.py"),
        ("load and save should catch OSError and return None", "a.py"),
        ("JSON.parse throws: try/catch around it, and tell the user about it", "b.js"),
    ],
)
def test_what_is_not_clear_is_left(sentence, path):
    check(sentence, path, [])
