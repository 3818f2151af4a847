"""Which line opens a block, closes it, or is its text."""

import pytest

from editd.prompts.fence_lines import (
    FencedBlockReader,
    FenceLine,
    glued_fence,
    is_info,
    leaves_fence,
    opening_of,
    run_after,
    text_in_info,
)


@pytest.mark.parametrize(
    ("line", "opening"),
    [
        ("```", FenceLine("```")),
        ("```python", FenceLine("```", "python")),
        ("``` python title=a.py", FenceLine("```", "python title=a.py")),
        ("~~~yaml", FenceLine("~~~", "yaml")),
        ("  ```py\r", FenceLine("```", "py", 2)),
        ("\ufeff```py", FenceLine("```", "py")),
        ("\u200b```py", FenceLine("```", "py")),
        ("1. ```py", FenceLine("```", "py", 3)),
        ("- ```py", FenceLine("```", "py", 2)),
        ("Here it is: ```py", FenceLine("```", "py")),
        ("```a``` b", None),
        ("x ```py", None),
        ("``", None),
        ("", None),
    ],
)
def test_an_opening_fence_may_stand_behind_little(line, opening):
    assert opening_of(line) == opening


@pytest.mark.parametrize(
    ("words", "info"),
    [
        ("python", True),
        ("Dockerfile", True),
        ("C++", True),
        ("python:src/a.py", True),
        ("{.python .numberLines}", True),
        ('js {1,3} title="a b"', True),
        ("src/a.py", True),
        ("a = 3", False),
        ("A=3", False),
        ("a: 3", False),
        ("# Notes", False),
        ("assistant", False),
        ("I changed it.", False),
        ("<|im_end|>", False),
        ("", False),
    ],
)
def test_the_words_of_a_language_are_told_from_others(words, info):
    assert is_info(words) is info


@pytest.mark.parametrize(
    ("info", "text"),
    [("a = 3", "a = 3"), ("python a = 3", "a = 3"), ("python", ""), ("for the file", "")],
)
def test_text_on_the_line_of_a_fence_is_found(info, text):
    assert text_in_info(info, ["a = 1", "b = 2"]) == text


@pytest.mark.parametrize(
    ("line", "glued"),
    [("b = 2```", "```"), ("b = 2``", ""), ("```", ""), ("```x```", ""), ("b~~~", "")],
)
def test_a_fence_may_stand_at_the_end_of_a_line(line, glued):
    assert glued_fence(line, "```") == glued


def readings(opening, lines, region=""):
    """What each line is; where text follows a fence that perhaps closes the block, that is text."""
    block, found = FencedBlockReader(opening_of(opening), region.split("\n")), []
    for line in lines.split("\n"):
        if found and found[-1] == "perhaps":
            block.go_on()
        found.append(block.kind_of(line))
    return found


@pytest.mark.parametrize(
    ("opening", "lines", "last"),
    [
        ("```", "a\n```", "closing"),
        ("```", "a\n`````", "closing"),
        ("```", "a\n```<|im_end|>", "closing"),
        ("```", "a\n``` That is all.", "closing"),
        ("  ```", "  a\n  ```", "closing"),
        ("  ```", "a\n```", "closing"),
        ("```", "a\n  ```", "perhaps"),
        ("```", "a\n  ```\n  b\n  ```", "text"),
        ("```", "a\n  ```\n  b\n  ```\n```", "closing"),
        ("```", "a\n```bash\nb\n```", "text"),
        ("```", "a\n```bash\nb\n```\n```", "closing"),
        ("```", "a\n~~~\nb\n~~~\n```", "closing"),
        ("````", "a\n```", "perhaps"),
        ("````", "a\n```\nb\n```\n````", "closing"),
        ("```", "a = 1```", "perhaps"),
        ("~~~", "a\n```", "perhaps"),
        ("~~~", "a\n~~~", "closing"),
        ("```", "a\n```python", "perhaps"),
    ],
)
def test_a_block_ends_at_its_own_fence(opening, lines, last):
    assert readings(opening, lines)[-1] == last


def test_a_bare_fence_below_the_same_line_as_before_opens_a_block_of_the_text():
    region = "Run it:\n\n```\nmake\n```\n\nBye"
    assert readings("```", region + "\n```", region)[-1] == "closing"
    assert "closing" in readings("```", region, "")


def test_a_part_may_begin_inside_a_block():
    assert readings("````", "make test\n```\nmore\n````", "make\n```\nmore")[1] == "text"


@pytest.mark.parametrize(
    ("lines", "run"),
    [("```py", "```"), ("a\n```\nb\n```", ""), ("````\n```", "````"), ("```\n```py", "```")],
)
def test_an_open_block_is_followed(lines, run):
    is_open = ""
    for line in lines.split("\n"):
        is_open = run_after(line, is_open)
    assert is_open == run


@pytest.mark.parametrize(
    ("line", "leaves"),
    [
        ("```", True),
        ("\u200b```py", True),
        ("b: 2```", True),
        ("/// ```", False),
        (" * ```js", False),
        ("`x`", False),
    ],
)
def test_garbage_of_fences_is_seen(line, leaves):
    assert leaves_fence(line) is leaves
