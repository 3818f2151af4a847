"""The likeliest merge: what a model that merges is drafted from. It may be wrong, never missing."""

import random

import pytest

from editd.apply.best_guess import best_guess, paste_for_model

FILE = """\
import os


def load(path):
    text = read(path)
    return parse(text)


def save(path, data):
    text = form(data)
    write(path, text)


def drop(path):
    text = read(path)
    return text
"""


def edited(*replacements):
    text = FILE
    for old, new in replacements:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("sketch", "after"),
    [
        # certain: the merge itself
        (
            "# ...\ndef save(path, data):\n    check(data)\n    text = form(data)\n# ...\n",
            edited(("    text = form", "    check(data)\n    text = form")),
        ),
        # one line of context that stands twice: the one in order
        (
            "# ...\ndef save(path, data):\n    pass\n# ...\n    text = read(path)\n    log(text)\n# ...\n",
            edited(
                ("    text = form(data)\n", "    pass\n    text = form(data)\n"),
                ("    return text\n", "    log(text)\n    return text\n"),
            ),
        ),
        # nothing below it: lines like the new ones give way
        (
            "# ...\ndef save(path, data):\n    text = form(data, 2)\n# ...\n",
            edited(("form(data)", "form(data, 2)")),
        ),
        # no line of the file at all: beside the lines that are like it
        ("# ...\n    write(path, text, True)\n# ...\n", edited(("text)\n\n\ndef drop", "text, True)\n\n\ndef drop"))),
        # indented otherwise as a whole
        (
            "    def drop(path):\n        text = read(path)\n        log(1)\n        return text\n",
            edited(("    return text\n", "    log(1)\n    return text\n")),
        ),
    ],
)  # fmt: skip
def test_the_likeliest_reading(sketch, after):
    found = best_guess(FILE, sketch, "a.py")
    assert "".join(text for text, _ in found.segments) == after
    kept = "".join(text for text, source in found.segments if source == "buffer")
    assert all(line in FILE for line in kept.splitlines())


@pytest.mark.parametrize(
    ("sketch", "spacing"),
    [
        ("# ...\n    text = form(data)\n    if text:\n        write(path, text)\n", False),
        ("# ...\n    text = form(data)\n    log(text)\n    write(path, text)\n# ...\n", False),
        ("# ...\n    text = form(data)\n\n    write(path, text)\n# ...\n", True),
    ],
)
def test_whether_white_space_changes(sketch, spacing):
    assert best_guess(FILE, sketch, "a.py").spacing is spacing


def test_a_model_is_shown_the_paste_without_its_wrapping():
    sketch = "Here is the code:\n\n```python\n# ...\n    write(path)\n```\n\nIt is shorter.\n"
    assert paste_for_model(FILE, sketch, "a.py") == "# ...\n    write(path)\n"
    patch = "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-import os\n+import sys\n"
    assert paste_for_model(FILE, patch, "a.py") == patch
    other = "--- b.py\n+++ b.py\n@@ -1 +1 @@\n-import re\n+import io\n"
    own = "<<<<<<< SEARCH\nimport os\n=======\nimport sys\n>>>>>>> REPLACE\n"
    assert paste_for_model(FILE, other + patch, "a.py") == own


@pytest.mark.parametrize("seed", range(30))
def test_any_two_texts_have_a_reading(seed):
    rng = random.Random(seed)
    lines = [
        "a = 1",
        "  b",
        "}",
        "",
        "# ...",
        "```",
        "@@ -1 +1 @@",
        "-a = 1",
        "\t\tc",
        "é 😀",
        "...",
    ]
    text, sketch = (
        "".join(f"{rng.choice(lines)}\n" for _ in range(rng.randrange(20))) for _ in "ab"
    )
    found = best_guess(text, sketch, rng.choice(["a.py", "a.md", ""]))
    assert all(source in ("buffer", "sketch") for _, source in found.segments)
    assert all(part in text or source == "sketch" for part, source in found.segments)
