"""What a line defines is used elsewhere, or it is not."""

import pytest

from editd.refactor.used_names import is_used_elsewhere
from editd.syntax.code import read_code

MAIN_PY = """\
def main():
    ap.add_argument("--fold", type=int)
    ap.add_argument("--dry-run")
    fold = opts.fold
    width, depth = size(opts)
    name = read()
    name = name.lower()
    unused = 1
    show(fold, depth, name)


class Token:
    frozen: bool = False
    spare: int = 0

    def thaw(self):
        self.frozen = False
"""
MAIN_RS = """\
enum Token {
    Num(f64),
    Ident(String),
    Eof,
}

fn read(pos: usize) -> Token {
    let mut left = pos;
    let right = pos;
    if left > 0 { return Token::Num(1.0); }
    Token::Eof
}
"""
MAIN_TS = """\
const { total, rest } = sums();
const LIMIT = 3;
let used: number = 1;
show(rest, used);
"""
FILES = {"main.py": ("python", MAIN_PY), "main.rs": ("rust", MAIN_RS), "main.ts": ("typescript", MAIN_TS)}  # fmt: skip


def check(path, line):
    """Whether other code uses what the line with this text defines."""
    language, text = FILES[path]
    code = read_code(text, language)
    [number] = [n for n, x in enumerate(code.lines) if x.strip() == line]
    return is_used_elsewhere(number, number + 1, code)


@pytest.mark.parametrize(
    ("path", "line", "is_used"),
    [
        ("main.py", 'ap.add_argument("--fold", type=int)', True),
        ("main.py", 'ap.add_argument("--dry-run")', False),
        ("main.py", "fold = opts.fold", True),
        ("main.py", "width, depth = size(opts)", True),
        ("main.py", "name = name.lower()", False),  # it has a value before
        ("main.py", "name = read()", True),
        ("main.py", "unused = 1", False),
        ("main.py", "frozen: bool = False", True),
        ("main.py", "spare: int = 0", False),
        ("main.rs", "Num(f64),", True),
        ("main.rs", "Ident(String),", False),
        ("main.rs", "Eof,", True),
        ("main.rs", "let mut left = pos;", True),
        ("main.rs", "let right = pos;", False),
        ("main.ts", "const { total, rest } = sums();", True),
        ("main.ts", "const LIMIT = 3;", False),
        ("main.ts", "let used: number = 1;", True),
    ],
)
def test_what_is_used(path, line, is_used):
    assert check(path, line) is is_used
