"""Renames: the old name is one of the buffer, the new one it lacks, and the words beside each say which is which."""

import re

import pytest

from tests.unit.refactor.by_kind.check import check

PYTHON = """LIMIT = 5


class Basket:
    def __init__(self):
        self.itms = []

    def ttl(self):
        return sum(x.price for x in self.itms)


def fetch(src, n):
    res = src.read(n)
    return res[:LIMIT]


def store(dst, n):
    dst.write(n)
"""
SCRIPT = """export function calc(xs) {
  const acc = xs.length;
  return acc + 1;
}

export const total = (xs) => calc(xs);
"""
RUST = """struct Row {
    val: u32,
}

fn grow(r: Row) -> u32 {
    r.val + 1
}
"""
STYLES = """.crd { color: red; }
.crd:hover { color: blue; }
"""
SHELL = """DST=/tmp/out
mkdir -p "$DST"
cp a.txt "$DST"
"""


def with_name(text, old, new):
    return re.sub(rf"\b{old}\b", new, text)


@pytest.mark.parametrize(
    ("path", "text", "sentence", "old", "new"),
    [
        ("a.py", PYTHON, "LIMIT leaves me guessing, MAX_BYTES is what it stands for", "LIMIT", "MAX_BYTES"),
        ("a.py", PYTHON, "nobody gets ttl, so let that method go by grand_total", "ttl", "grand_total"),
        ("a.py", PYTHON, "the local variable res in fetch had better be chunk", "res", "chunk"),
        ("a.py", PYTHON, "itms is lazily typed. Spell it items.", "itms", "items"),
        ("a.py", PYTHON, "use Cart in place of the class name Basket", "Basket", "Cart"),
        ("a.js", SCRIPT, "calc... countItems says more", "calc", "countItems"),
        ("a.js", SCRIPT, "could `acc` in calc become `num`, please?", "acc", "num"),
        ("a.rs", RUST, "Row.val → amount", "val", "amount"),
        ("a.rs", RUST, "grow should carry the name enlarge", "grow", "enlarge"),
        ("a.css", STYLES, "the class .crd is cryptic, .card would do", "crd", "card"),
        ("a.sh", SHELL, "DST is short for nothing we say, TARGET_DIR fits", "DST", "TARGET_DIR"),
    ],
)  # fmt: skip
def test_a_name_becomes_the_new_one(path, text, sentence, old, new):
    check("rename", path, text, sentence, with_name(text, old, new))


def test_in_one_place_if_the_sentence_says_it():
    expected = PYTHON.replace("def store(dst, n)", "def store(dst, text)")
    expected = expected.replace("dst.write(n)", "dst.write(text)")
    check("rename", "a.py", PYTHON, "n in store holds no number, call it text", expected)


@pytest.mark.parametrize(
    ("path", "text", "sentence"),
    [
        ("a.py", PYTHON, "n says little, size would be better"),  # of two functions
        ("a.py", PYTHON, "rename res to chunk in load"),  # there is no load
        ("a.py", PYTHON, "rename res to chunk and dst to target"),
        ("a.py", PYTHON, "res should be called chunk or part"),
        ("a.py", PYTHON, "fetch is slow, speed it up"),
        ("a.py", PYTHON, "make ttl better"),
        ("a.py", PYTHON, "store should call fetch_all"),
        ("a.py", PYTHON, "res should be snake_case"),
        ("a.py", PYTHON, "call res dst"),  # both are there
        ("a.js", SCRIPT, "acc / total say nothing, make that sum / all"),
        ("a.js", SCRIPT, "calc needs a name that says what it does"),
        ("a.css", STYLES, "the class .btn is cryptic, .button would do"),
        ("a.sh", SHELL, "change a to b"),
    ],
)
def test_what_is_left(path, text, sentence):
    check("rename", path, text, sentence, None)
