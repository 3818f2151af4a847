"""Hunks applied, as offsets, and as a patch."""

import os
import subprocess
from shutil import which

import pytest

from editd.diff.document import Document
from editd.diff.edits import apply, to_replacements, unified
from editd.diff.hunk import Hunk, TextReplacement
from editd.diff.streaming import StreamingDiff
from tests.replacements import apply_replacements


def hunks_between(before, after):
    document = Document.of(after)
    diff = StreamingDiff(Document.of(before), final_newline=document.ends_with_newline)
    diff.push(document.model_text)
    diff.finish()
    return diff.hunks


def test_apply_keeps_everything_else_byte_for_byte():
    text = "\ufeffa\r\nb\u2028\n\fc\r"
    assert apply([Hunk(1, 1, 1, ("B\n",))], text) == "\ufeffa\r\nB\n\fc\r"
    assert apply([], text) == text


@pytest.mark.parametrize(
    ("hunks", "message"),
    [
        ([Hunk(1, 1, 1, ()), Hunk(2, 1, 0, ("x\n",)), Hunk(3, 0, 1, ())], "begins before line 2"),
        ([Hunk(1, 2, 2, ())], "not in a text of 3 lines"),
        ([Hunk(1, 4, 0, ())], "not in a text of 3 lines"),
        ([Hunk(1, 0, 1, ("x",))], "without an end before another line"),
        ([Hunk(1, 2, 1, ("x", "y\n"))], "without an end before another line"),
        ([Hunk(1, 3, 0, ("x\n",))], "after a line without an end"),
        ([Hunk(1, 0, 1, ("x\n",), done=False)], "not done"),
        ([Hunk(1, 1, -1, ())], "begins before line 0"),
    ],
)
def test_hunks_that_do_not_fit_are_refused(hunks, message):
    with pytest.raises(ValueError, match=message):
        apply(hunks, "a\nb\nc")


@pytest.mark.parametrize(
    ("before", "after", "replacements"),
    [
        ("a\nfoo(x)\nb\n", "a\nfoo(xy)\nb\n", [(7, 7, "y")]),
        ("a\nb\n", "a\nnew\nb\n", [(2, 2, "new\n")]),
        ("a\nb\nc\n", "a\nc\n", [(2, 4, "")]),
        ("\ufeffab\n", "\ufeffaxb\n", [(2, 2, "x")]),
        ("a\r\nb", "a\r\nb\r\n", [(4, 4, "\r\n")]),
        ("a\rb\n", "a\r\nb\n", []),  # the same to a model: nothing to do
        ("xe\u0301\n", "xe\u0300\n", [(1, 3, "e\u0300")]),  # an accent keeps its letter
        ("👩‍👧 a\n", "👩‍👦 a\n", [(0, 3, "👩‍👦")]),  # an emoji sequence is one character
        ("👍🏻\n", "👍🏿\n", [(0, 2, "👍🏿")]),
        ("🇩🇪🇫🇷\n", "🇩🇪🇫🇮\n", [(0, 4, "🇩🇪🇫🇮")]),
        ("a\ud83d\ude00\n", "a\ud83d\ude01\n", [(1, 3, "\ud83d\ude01")]),
        ("漢字かな\n", "漢字カな\n", [(2, 3, "カ")]),
        ("aa\n", "aaa\n", [(2, 2, "a")]),
    ],
)
def test_replacements_are_as_small_as_whole_characters_allow(before, after, replacements):
    found = to_replacements(hunks_between(before, after), before)
    assert found == tuple(TextReplacement(*each) for each in replacements)
    assert apply_replacements(found, before) == (after if replacements else before)


def test_a_crlf_is_never_cut():
    found = to_replacements([Hunk(1, 0, 1, ("a\r", "b\n"))], "a\r\nc\n")
    assert found == (TextReplacement(1, 3, "\rb\n"),)
    assert apply_replacements(found, "a\r\nc\n") == "a\rb\nc\n"


def test_replacements_out_of_order_are_refused():
    with pytest.raises(ValueError, match="out of order"):
        apply_replacements([TextReplacement(2, 3, ""), TextReplacement(1, 2, "")], "abcd")
    with pytest.raises(ValueError, match="not in a text of 4 characters"):
        apply_replacements([TextReplacement(2, 5, "")], "abcd")


PATCHES = [
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\nb\nc", "a\nb\nC"),
    ("a\nb\nc", "a\nb\nc\n"),
    ("a\nb\nc\n", "a\nb\nc"),
    ("a\nb", "a\nb\nc"),
    ("a\nb\nc\nd\ne\nf\ng\nh\ni\nj", "a\nX\nc\nd\ne\nf\ng\nh\ni\nj"),
    (
        "".join(f"{i}\n" for i in range(40)),
        "".join(f"{i}{'x' * (i in (3, 9, 30))}\n" for i in range(40)),
    ),
    ("", "a\nb\n"),
    ("a\nb\n", ""),
    ("a\r\nb\r\n", "a\r\nB\r\nc\r\n"),
    ("\ufeffa\nb\n", "\ufeffX\nb\n"),
    ("a\rb\rc\nd\n", "a\rB\rc\nd\n"),
    ("a\rb\rc", "a\rb\rC"),
    ("a\rb\n\nc\n", "a\r\r\nc\n"),
    ("a\fb\u2028c\x85\nd\n", "a\fb\u2028C\x85\nd\n"),
]


def test_the_unified_form_is_the_usual_one():
    before = "".join(f"{i}\n" for i in range(12))
    text = unified(hunks_between(before, before.replace("5\n", "five\nV\n")), before, "src/x.py")
    assert text == (
        "--- a/src/x.py\n+++ b/src/x.py\n@@ -3,7 +3,8 @@\n 2\n 3\n 4\n-5\n+five\n+V\n 6\n 7\n 8\n"
    )
    assert unified((), before, "x") == ""


def test_unified_says_where_a_final_newline_is_missing():
    assert unified(hunks_between("a\nb", "a\nc\n"), "a\nb", "/x y") == (
        "--- a/x y\t\n+++ b/x y\t\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
    )


@pytest.mark.parametrize(("before", "after"), PATCHES)
@pytest.mark.parametrize("name", ["x.txt", 'sub/a "b" ä.txt'])
@pytest.mark.parametrize("context", [3, 0])
def test_git_applies_the_patch(tmp_path, before, after, name, context):
    hunks = hunks_between(before, after)
    assert apply(hunks, before) == after
    patch = unified(hunks, before, name, context=context)
    check_patch(tmp_path, before, after, name, patch, ["git", "apply", "--unidiff-zero", "-"])


@pytest.mark.skipif(which("patch") is None, reason="patch is not installed")
@pytest.mark.parametrize(("before", "after"), PATCHES)
@pytest.mark.parametrize("name", ["x.txt", "sub/a b.txt"])
def test_patch_applies_it_too(tmp_path, before, after, name):
    patch = unified(hunks_between(before, after), before, name)
    check_patch(tmp_path, before, after, name, patch, ["patch", "-p1", "-s"])


def check_patch(folder, before, after, name, patch, command):
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(before.encode())
    environment = {
        **os.environ,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(folder),
    }
    done = subprocess.run(
        command, input=patch.encode(), cwd=folder, env=environment, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    result = file.read_bytes() if file.exists() else b""
    assert result.decode() == after
