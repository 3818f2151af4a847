"""Parameters and types are read by evidence where a sentence names them as people do; doubts, changes of code and reports are left."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = """\
LIMIT = 3
OUTFILE = "out.csv"


class Store:
    def label(self):
        return "x"

    def freeze(self, email):
        return email


def roll(n, sides):
    return n * sides + LIMIT


def append_row(row):
    with open(OUTFILE) as f:
        f.write(row)


def to_f(c):
    return c * 9
"""
TS = """\
export class Api {
  async cancel(id: string) {
    return id;
  }
}

export function isAdmin(user) {
  return user.kind === "admin";
}
"""
TEXTS = {"a.py": PY, "a.ts": TS}


def edited(path, sentence):
    """The text that the sentence makes, or ``None`` where it is left."""
    result = compute_edit(EditRequest("1", TEXTS[path], sentence, path=path))
    return None if result is None or result.text in (None, TEXTS[path]) else result.text


@pytest.mark.parametrize(
    ("path", "sentence", "changes"),
    [
        ("a.py", "roll gets a bonus, 0 unless given", {"(n, sides)": "(n, sides, bonus=0)"}),
        ("a.py", "freeze needs a reason, empty string by default", {"(self, email)": '(self, email, reason="")'}),
        ("a.py", "freeze should accept weeks as well, 4 if not given (not used yet, thats fine)", {"(self, email)": "(self, email, weeks=4)"}),
        ("a.py", "It should be possible to choose the file. So append_row gets a second argument path, which is OUTFILE if I don't give one.",
         {"append_row(row)": "append_row(row, path=OUTFILE)", "open(OUTFILE)": "open(path)"}),
        ("a.ts", 'isAdmin(user) also needs a role argument, default "admin", compare with that',
         {"isAdmin(user)": 'isAdmin(user, role = "admin")', '=== "admin"': "=== role"}),
        ("a.ts", "cancel should take a reason string defaulting to empty", {"(id: string)": '(id: string, reason: string = "")'}),
        ("a.py", "to_f: float in, float out", {"to_f(c)": "to_f(c: float) -> float"}),
        ("a.py", "roll returns an int, put it in", {"(n, sides)": "(n, sides) -> int"}),
        ("a.py", "annotate label with str", {"(self):": "(self) -> str:"}),
        ("a.py", "append_row takes a str row and gives back nothing", {"append_row(row)": "append_row(row: str) -> None"}),
        ("a.ts", "spell out cancel's return type, Promise<string>", {"(id: string)": "(id: string): Promise<string>"}),
    ],
)  # fmt: skip
def test_what_a_signature_gets(path, sentence, changes):
    new = TEXTS[path]
    for old, to in changes.items():
        assert new.count(old) == 1
        new = new.replace(old, to)
    assert edited(path, sentence) == new


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("a.py", "roll needs a bonus"),
        ("a.py", "roll takes sides, 6 by default"),
        ("a.py", "freeze needs a reason if the email is empty"),
        ("a.py", "freeze has a bug, empty emails are frozen by default"),
        ("a.py", "add a bonus to the sum in roll, 0 by default"),
        ("a.py", "to_f should return an int"),
        ("a.py", "roll might be a float"),
        ("a.py", "append_row writes a str"),
        ("a.ts", "cancel should make a string of the id"),
    ],
)
def test_what_is_left(path, sentence):
    assert edited(path, sentence) is None
