"""Spaces of web pages and characters without a width go from code, and stay in what is text."""

import pytest

from editd.apply.stray_characters import without_strays

BUFFER = 'def load(path):\n    return open(path).read()\n\n\n# kept here\nname = "a b"\n'
NBSP, ZERO, JOINER, MARK = "\u00a0", "\u200b", "\u200d", "\ufeff"


@pytest.mark.parametrize(
    ("answer", "cleaned"),
    [
        (f"def load(path):\n{NBSP * 4}return 1\n", "def load(path):\n    return 1\n"),
        (f"{ZERO}def load(path):\n    return 1{ZERO}\n", "def load(path):\n    return 1\n"),
        (f"x{NBSP}={NBSP}1{MARK}\n", "x = 1\n"),
        (f'x{NBSP}= "a{NBSP}b{ZERO}"{NBSP}\n', f'x = "a{NBSP}b{ZERO}" \n'),
        (f"x = '👩{JOINER}👧'{ZERO}\n", f"x = '👩{JOINER}👧'\n"),
        (f"{NBSP}{NBSP}# oui{NBSP}: non{ZERO}\n", f"  # oui{NBSP}: non\n"),
        (f"#{NBSP}kept{NBSP}here\n", "# kept here\n"),  # the buffer's own line
        (f'name{NBSP}={NBSP}"a{NBSP}b"\n', 'name = "a b"\n'),
        ("plain = 1\n", "plain = 1\n"),
        (f"<<<<<<< SEARCH\n{NBSP}a{ZERO}\n=======\n", "<<<<<<< SEARCH\n a\n=======\n"),
    ],
)
@pytest.mark.parametrize("language", ["python", "go", "yaml"])
def test_code_has_none_of_them(answer, cleaned, language):
    assert without_strays(answer, BUFFER, language) == cleaned


@pytest.mark.parametrize("language", ["markdown", "text", "", "html"])
def test_prose_keeps_them(language):
    assert without_strays(f"a{NBSP}b{ZERO}\n", "", language) == f"a{NBSP}b{ZERO}\n"


def test_a_character_that_the_buffer_has_is_its_own():
    assert without_strays(f"a{NBSP}={ZERO} 1\n", f"b{NBSP}= 2\n", "python") == f"a{NBSP}= 1\n"
