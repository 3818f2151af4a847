"""Two versions of one thing in an answer: the good, the new or the recommended one is taken, never both."""

import pytest

from editd.apply import Merged, merge
from editd.apply.paste.alternatives import choose_versions
from editd.apply.paste.recognise import CodeBlock

FILE = """\
import os


def load(path):
    return open(path).read()


def save(path, text):
    open(path, "w").write(text)
"""
OLD = "def load(path):\n    return open(path).read()\n"
UTF = 'def load(path):\n    return open(path, encoding="utf-8").read()\n'
WITH = "def load(path):\n    with open(path) as file:\n        return file.read()\n"


def fence(code):
    return f"```python\n{code}```\n\n"


def check(paste, new):
    """``new``: what the function becomes; ``None``: refused, with a sentence."""
    result = merge(FILE, paste, path="io_.py")
    if new is None:
        assert not isinstance(result, Merged)
        assert result.reading is None
        assert "several versions" in result.reason
        return
    text = result.text if isinstance(result, Merged) else result.reading.merged.text
    assert text == FILE.replace(OLD, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("❌ Instead of this, which leaks a file in a loop:", "✅ Do this:"),
        ("**Before:**", "**After:**"),
        ("### Bad", "### Good"),
        ("Current code:", "Updated code:"),
        ("Don't:", "Do:"),
        ("Old version (slow):", "New version (fast):"),
        ("Vorher", "Nachher"),
        ("Avant :", "Après :"),
        ("Antes:", "Después:"),
        ("修改前：", "修改后："),
        ("変更前", "変更後"),
        ("До:", "После:"),
    ],
)
@pytest.mark.parametrize(
    "shown", [OLD, OLD.replace("path", "name"), "    return open(path).read()\n"]
)
def test_of_an_old_and_a_new_block_the_new_one_is_taken(old, new, shown):
    changed = UTF if shown[0] == "d" else UTF.split("\n", 1)[1]
    check(f"{old}\n\n{fence(shown)}{new}\n\n{fence(changed)}", UTF)


@pytest.mark.parametrize(
    "labels",
    [("❌ Bad", "✅ Good"), ("Before", "After"), ("Wrong:", "Right:"), ("Old", "New (safe)")],
)
def test_of_two_versions_in_one_block_the_good_one_is_taken(labels):
    check(fence(f"# {labels[0]}\n{OLD}\n# {labels[1]}\n{UTF}"), UTF)
    check(fence(f"# {labels[1]}\n{UTF}\n# {labels[0]}\n{OLD}"), UTF)


@pytest.mark.parametrize(
    ("block", "known"),
    [
        (
            "# Good\ndef keep(box):\n    pass\n# Bad\nLIMITS = [1, 2]\n",
            (),
        ),  # no versions of one thing
        (f"# Bad\n{OLD}# Good\n{UTF}", ("# Bad", "# Good")),  # the file's own comments
        (f"# Bad\n{OLD}", ()),
    ],
)
def test_other_comments_are_no_labels(block, known):
    step = CodeBlock(tuple(block.splitlines()))
    assert choose_versions([step], block, known) == (step,)


@pytest.mark.parametrize(
    ("first", "second", "sentence", "new"),
    [
        ("### Option 1: an encoding", "### Option 2: a block", "", None),
        ("### Option 1: an encoding", "### Option 2 (recommended): a block", "", WITH),
        ("**Option A**", "**Option B**", "I'd go with option B, which closes the file.", WITH),
        ("**Option A**", "**Option B**", "Option A is shorter, but I recommend option B.", WITH),
        ("**Option A**", "**Option B**", "Option A is the best one here.", UTF),
        ("Approach 1:", "Approach 2:", "Both work.", None),
        ("方案一：", "方案二：", "", None),
        ("Use an encoding:", "Alternatively, close the file:", "", UTF),
        ("Use an encoding:", "Or, if you prefer a block:", "", UTF),
    ],
)
def test_an_option_is_taken_if_the_words_choose_it(first, second, sentence, new):
    check(f"{first}\n\n{fence(UTF)}{second}\n\n{fence(WITH)}{sentence}\n", new)


def test_options_in_one_block_are_refused():
    check(fence(f"# Option 1\n{UTF}\n# Option 2\n{WITH}"), None)


def test_steps_are_no_options():
    """Each of two functions, under headings that only look like those of options."""
    save = 'def save(path, text):\n    open(path, "w", encoding="utf-8").write(text)\n'
    paste = f"Version 2 of both:\n\n{fence(UTF)}Then the other one:\n\n{fence(save)}"
    result = merge(FILE, paste, path="io_.py")
    text = result.text if isinstance(result, Merged) else result.reading.merged.text
    assert text == FILE.replace(OLD, UTF).replace('"w")', '"w", encoding="utf-8")')
