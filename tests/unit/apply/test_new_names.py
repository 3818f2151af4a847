"""An answer that shows a definition of the file under another name: the definition is renamed, not put beside the old one."""

import pytest

from editd.apply.merging import merge
from editd.apply.outcome import Merged

BODY = {
    "a.py": "def {0}(id):\n    row = db.get(id)\n    if row is None:\n        raise KeyError(id)\n    return row\n\n\ndef b():\n    return {0}(1)\n",
    "a.ts": "function {0}(id: number) {{\n  const row = db.get(id);\n  return row;\n}}\n\nexport const b = () => {0}(1);\n",
    "a.go": "package a\n\n// {0} reads.\nfunc {0}(x int) int {{\n\ty := read(x)\n\treturn y\n}}\n\nfunc main() {{\n\t{0}(1)\n}}\n",
    "A.java": "class A {{\n    int {0}(int x) {{\n        int y = read(x);\n        return y;\n    }}\n\n    int b() {{\n        return {0}(1);\n    }}\n}}\n",
    "a.rs": "fn {0}(x: u8) -> u8 {{\n    let y = read(x);\n    y + 1\n}}\n\nfn main() {{\n    {0}(1);\n}}\n",
}
METHOD = "class A:\n    def {0}(self):\n        x = self.read()\n        return x\n\n    def read(self):\n        return 1\n\n\ndef f(a):\n    return a.{0}()\n"


def merged(text, answer, path):
    """The text and the notes of a merge that *Accept all* takes; ``None`` if something in it is a suspect or nothing is shown."""
    outcome = merge(text, answer, path=path)
    if isinstance(outcome, Merged):
        return outcome.text, set()
    reading = outcome.reading
    if reading is None or any(hunk.suspect for hunk in reading.merged.hunks):
        return None
    return reading.merged.text, {hunk.note for hunk in reading.merged.hunks}


@pytest.mark.parametrize("path", BODY)
def test_a_new_name_is_followed(path):
    text, answer = BODY[path].format("lookup"), BODY[path].format("find_one")
    note = "“find_one” is taken for the new name of “lookup”; look whether it is."
    assert merged(text, answer, path) == (answer, {note})


@pytest.mark.parametrize(
    ("text", "answer", "new"),
    [
        # A method; a body that changes, too; a short body; a definition that the answer leaves out
        (METHOD.format("get"), METHOD.format("fetch"), METHOD.format("fetch")),
        ("def load():\n    x = 1\n    y = 2\n    z = 3\n    return x + y\n\n\nprint(load())\n", "def fetch():\n    x = 1\n    y = 5\n    z = 3\n    return x + y\n\n\nprint(fetch())\n", "def fetch():\n    x = 1\n    y = 5\n    z = 3\n    return x + y\n\n\nprint(fetch())\n"),
        ("def a():\n    return 1\n\n\ndef b():\n    return a()\n", "def first():\n    return 1\n\n\ndef b():\n    return first()\n", "def first():\n    return 1\n\n\ndef b():\n    return first()\n"),
        ("def load():\n    return 1\n\n\ndef b():\n    return load()\n\n\ndef c():\n    return 3\n", "def fetch():\n    return 1\n\n\ndef b():\n    return fetch()\n", "def fetch():\n    return 1\n\n\ndef b():\n    return fetch()\n\n\ndef c():\n    return 3\n"),
    ],
)  # fmt: skip
def test_what_is_renamed(text, answer, new):
    assert merged(text, answer, "a.py")[0] == new


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # A call with the old name stays; the old name is in the answer, too; two definitions have that body
        ("def load():\n    x = 1\n    return x\n\n\ndef b():\n    return load()\n", "def fetch():\n    x = 1\n    return x\n"),
        ("def load():\n    x = 1\n    return x\n\n\ndef b():\n    return load()\n", "def load():\n    x = 1\n    return x\n\n\ndef fetch():\n    x = 1\n    return x\n\n\ndef b():\n    return load()\n"),
        ("def load():\n    return 1\n\n\ndef read():\n    return 1\n\n\ndef b():\n    pass\n", "def fetch():\n    return 1\n\n\ndef b():\n    pass\n"),
        ("def load(path):\n    return 1\n\n\ndef b():\n    pass\n", "def fetch(url, timeout):\n    return 1\n\n\ndef b():\n    pass\n"),
    ],
)  # fmt: skip
def test_what_is_no_new_name(text, answer):
    outcome = merge(text, answer, path="a.py")
    hunks = (
        outcome.hunks
        if isinstance(outcome, Merged)
        else outcome.reading.merged.hunks
        if outcome.reading
        else ()
    )
    assert not any("new name" in (hunk.note or hunk.suspect or "") for hunk in hunks)
