"""Old texts that are not quite the file's: where they land, and where they must not."""

import json
from random import Random

import pytest

from editd.apply import Merged, merge
from editd.apply.readers.by_similar_lines import nearest_region

TEXT = """\
class Store:
    def load(self, path):
        # reads the file
        # once
        with open(path) as file:
            return file.read()

    def size(self, path):
        with open(path) as file:
            return len(file.read())
"""


def changed(old, new):
    """The text after one call with ``old`` and ``new`` if it lands, else ``None``."""
    result = merge(TEXT, json.dumps({"edits": [{"old": old, "new": new}]}), path="a.py")
    if isinstance(result, Merged):
        return result.text
    return result.reading.merged.text if result.reading and result.reading.is_confident else None


@pytest.mark.parametrize(
    ("old", "new", "was", "now"),
    [
        ("with open(path)  as file:\n    return file.read()", "with open(path) as file:\n    return file.read().strip()", "return file.read()", "return file.read().strip()"),
        ("    # reads the file once\n    with open(path) as file:\n        return file.read()", "    # reads the file once\n    with open(path) as file:\n        return file.read(1)", "return file.read()", "return file.read(1)"),
        ("    def size(self, name):\n        with open(path) as file:", "    def size(self, name):\n        with open(path, 'rb') as file:", "size(self, path):\n        with open(path) as", "size(self, path):\n        with open(path, 'rb') as"),
    ],
)  # fmt: skip
def test_lines_around_a_change_may_differ(old, new, was, now):
    assert was in TEXT
    assert changed(old, new) == TEXT.replace(was, now, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    with open(path) as handle:\n", "    with open(path, 'rb') as handle:\n"),  # the line itself differs
        ("    with open(path) as file:\n", "    with open(path, 'rb') as file:\n"),  # twice
        ("    def sizes(self, path):\n        pass\n", "    pass\n"),
        ("    return file.rea\n    return len(file.read())", "    return 1\n    return len(file.read())"),
    ],
)  # fmt: skip
def test_a_line_that_changes_must_be_the_files(old, new):
    assert changed(old, new) is None


@pytest.mark.parametrize("seed", range(60))
def test_an_old_text_that_stands_twice_never_lands(seed):
    draw = Random(seed)
    block = [f"value_{draw.randrange(3)} = {draw.randrange(3)}" for _ in range(3)]
    lines = [*block, "other = 1", *block, *(f"line_{n}" for n in range(draw.randrange(4)))]
    shown = [line.replace(" = ", draw.choice([" = ", "  = ", "= "])) for line in block]
    call = {"edits": [{"old": "\n".join(shown), "new": "\n".join([*shown[:2], "new = 1"])}]}
    result = merge("\n".join(lines) + "\n", json.dumps(call), path="a.py")
    assert not isinstance(result, Merged)
    assert result.reading is None or not result.reading.is_confident


def test_the_nearest_lines_are_shown_with_their_numbers():
    region = nearest_region(TEXT, "    def size(self, path):\n        with opened(path) as file:")
    assert region.splitlines() == [
        "     8 |     def size(self, path):",
        ">    9 |         with open(path) as file:",
    ]
    assert nearest_region(TEXT, "nothing") == ""
