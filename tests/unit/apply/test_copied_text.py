"""What a copy adds or drops at the edges of code: invisible characters, a comma; and code for a notebook's JSON."""

import pytest

from editd.apply import Merged, merge
from editd.apply.paste.invisible import without_invisible

PYTHON = 'def load(path):\n    return open(path).read()\n\n\nNAME = "a\u00a0b"\n'
OBJECT = "module.exports = {\n  dev: {\n    port: 80,\n  },\n  prod: {\n    port: 81,\n  },\n};\n"
JSON = '{\n  "scripts": {\n    "a": "x",\n    "b": "y"\n  },\n  "files": {\n    "c": "1"\n  }\n}\n'
NOTEBOOK = (
    '{\n "cells": [\n  {\n   "source": [\n    "import os\\n",\n    "x = 1\\n"\n   ]\n  }\n ]\n}\n'
)


def check(file, paste, path, new):
    result = merge(file, paste, path=path)
    text = result.text if isinstance(result, Merged) else result.reading.merged.text
    assert text == new


@pytest.mark.parametrize(
    ("paste", "path", "shown"),
    [
        # an indentation, an end, between two words
        ("\u00a0\u00a0x = 1", "a.py", "  x = 1"),
        ("\u200bx = 1\u200b", "a.py", "x = 1"),
        ("x\u00a0= 1  # a\u00a0b", "a.py", "x = 1  # a\u00a0b"),
        ("x\u200b = '\u200b'", "a.js", "x = '\u200b'"),
        # then all of it comes from the copy, in strings too
        ("\u00a0\u00a0x = '\u00a0'", "a.py", "  x = ' '"),
        ("x = '\u00a0'", "a.py", "x = '\u00a0'"),
        # a line of the file stays
        ('NAME = "a\u00a0b"\n\u00a0\u00a0y', "a.py", 'NAME = "a\u00a0b"\n  y'),
        # in text they may be meant
        ("\u00a0\u00a0Oui\u00a0!", "a.md", "  Oui\u00a0!"),
        ("Oui\u00a0!", "a.html", "Oui\u00a0!"),
    ],
)
def test_invisible_characters_go_where_code_has_none(paste, path, shown):
    from editd.syntax.language import language_of

    known = {line.strip() for line in PYTHON.split("\n")}
    assert without_invisible(paste, known, language_of(path)) == shown


@pytest.mark.parametrize("form", ["{new}", "<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"])
@pytest.mark.parametrize("blank", ["\u00a0", "\u202f", " "])
def test_a_copy_from_a_chat_is_merged_as_it_was_shown(form, blank):
    old = PYTHON.split("\n\n", maxsplit=1)[0] + "\n"
    new = old.replace("path)", 'path, "rb")', 2).replace('load(path, "rb")', "load(path)")
    paste = form.format(old=old, new=new).replace("    ", 4 * blank) + "\u200b"
    check(PYTHON, paste, "a.py", PYTHON.replace(old, new))


@pytest.mark.parametrize(
    ("file", "paste", "path", "replaced"),
    [
        (OBJECT, "  dev: {\n    port: 8080,\n  }\n", "c.js", ("80,", "8080,")),
        (OBJECT, "  prod: {\n    port: 8181,\n  }\n", "c.js", ("81,\n  },", "8181,\n  }")),
        (JSON, '  "scripts": {\n    "a": "z",\n    "b": "y"\n  }\n', "a.json", ("x", "z")),
        (JSON, '    "a": "z"\n', "a.json", ('"x"', '"z"')),
        (JSON, '    "b": "z",\n', "a.json", ('"y"', '"z"')),
        ("x = 1,\ny = 2\n", "x = 1\ny = 2\n", "a.py", ("1,", "1")),  # no list
    ],
)
def test_a_comma_that_parts_two_elements_stays(file, paste, path, replaced):
    assert file.count(replaced[0]) == 1
    check(file, f"```\n{paste}```\n", path, file.replace(*replaced))


def test_code_for_a_notebook_is_refused_with_a_sentence():
    refused = merge(NOTEBOOK, "```python\nimport os\nx = 2\n```\n", path="a.ipynb")
    assert not isinstance(refused, Merged)
    assert refused.reading is None
    assert "notebook" in refused.reason
    check(NOTEBOOK, '```json\n    "x = 2\\n"\n```\n', "a.ipynb", NOTEBOOK.replace("x = 1", "x = 2"))
