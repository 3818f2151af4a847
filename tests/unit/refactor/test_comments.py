"""One of several comments that follow each other line by line: alone if it is one of its own, with all its lines if it goes on."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

SIGNS = [("a.py", "#", "x = 1\n"), ("a.js", "//", "x = 1;\n"), ("a.go", "//", "var x = 1\n"), ("a.rs", "//", "fn f() {}\n"),
         ("A.java", "//", "class A {}\n"), ("A.cs", "//", "class A {}\n"), ("a.yaml", "#", "a: 1\n"), ("a.toml", "#", "a = 1\n"), ("a.sh", "#", "run\n")]  # fmt: skip


@pytest.mark.parametrize(("path", "sign", "code"), SIGNS)
@pytest.mark.parametrize(
    ("instruction", "comments", "rest"),
    [
        ("Delete the comment about the cache", ["The cache is filled by the", "first caller and never emptied."], []),
        ("Delete the comment about the cache", ["Retry.", "", "The cache is warm."], None),
        ("Delete the comment about the cache", ["Retry a few times.", "The cache is warm here."], None),
        ("Delete the comment about the cache", ["retry a few times", "the cache is warm here"], None),
        ("Delete the comment about the cache", ["The cache is warm.", "The cache is never emptied."], []),
        ("Delete the comment about the cache", ["Retry a few times.", "TODO: empty the cache"], ["Retry a few times."]),
        ("delete the TODO comment", ["TODO: empty it", "and fill it", "FIXME: never call this"], ["FIXME: never call this"]),
        ("Delete the comment about the cache", ["What fills up the memory of this machine at night and goes", "Nowhere, cache included."], []),
    ],
)  # fmt: skip
def test_one_comment_beside_another(path, sign, code, instruction, comments, rest):
    def text(lines):
        return "".join(f"{sign} {line}".rstrip() + "\n" for line in lines)

    before = f"{text(comments)}{code}"
    result = compute_edit(EditRequest("1", before, instruction, path=path))
    assert (result and result.text) == (None if rest is None else f"{text(rest)}{code}")
