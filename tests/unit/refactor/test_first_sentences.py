"""What people ask first: elements, fields, lines, conditions, spellings; each with what is too open to be computed."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

MATRIX = """\
jobs:
  test:
    strategy:
      matrix:
        os: [ubuntu-latest]
        python-version:
          - 3.9
          - 3.11 # newest
    steps:
      - run: npm ci
"""
PACKAGE = '{\n  "files": [\n    "dist",\n    "src"\n  ],\n  "keywords": []\n}\n'
LISTS = "HOSTS = ['a.com']\nPAIR = ('a', 'b')\nALLOWED_IDS = [1, 2]\nLONG = ['a', 'c', 'd', 'e']\nOPTIONS = {'a': 1}\n"
STATS = 'def mean(values):\n    """The average."""\n    return sum(values) / len(values)\n\n\ndef draw(n, name=None):\n    return n * 2\n'
STORE = 'package a\n\nimport "time"\n\ntype Store struct {\n\tPath string\n\tn    int\n}\n'
PEOPLE = "from dataclasses import dataclass\n\n\n@dataclass\nclass Person:\n    name: str\n    age: int = 0\n\n    def show(self):\n        return self.name\n"
SCRIPT = "#!/bin/sh\n# Builds.\nnpm ci\n"
VARS = "var a = 1;\nvar b = 2;\nb += a;\nif (a == b || a == null) go();\n"
FIELDS = "class A {\n    private int n;\n\n    A(int n) {\n        this.n = n;\n    }\n\n    public int size() {\n        return n;\n    }\n}\n"
PAGE = "# Mail\n\nYou recieve mail.\n\n    npm test\n"


def check(sentence, path, text, old, new):
    result = compute_edit(EditRequest("1", text, sentence, path=path))
    assert result is not None
    assert result.text == text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("sentence", "path", "text", "old", "new"),
    [
        # elements
        ("add python 3.12 to the matrix", "ci.yml", MATRIX, "# newest\n", "# newest\n          - 3.12\n"),
        ("add python 3.10 to the matrix", "ci.yml", MATRIX, "# newest\n", '# newest\n          - "3.10"\n'),
        ("drop python 3.9 from the matrix", "ci.yml", MATRIX, "          - 3.9\n", ""),
        ("add windows-latest to os", "ci.yml", MATRIX, "ubuntu-latest", "ubuntu-latest, windows-latest"),
        ("add README.md to files", "package.json", PACKAGE, '"src"\n', '"src",\n    "README.md"\n'),
        ("add cli to keywords", "package.json", PACKAGE, "[]", '["cli"]'),
        ("add b.com to HOSTS", "a.py", LISTS, "'a.com'", "'a.com', 'b.com'"),
        ("append b.com to the hosts", "a.py", LISTS, "'a.com'", "'a.com', 'b.com'"),
        ("remove b from PAIR", "a.py", LISTS, "('a', 'b')", "('a',)"),
        ("add 3 to the allowed ids", "a.py", LISTS, "1, 2", "1, 2, 3"),
        ("add b to LONG", "a.py", LISTS, "'a', 'c'", "'a', 'b', 'c'"),
        ("add c to N", "a.rs", 'const N: [&str; 2] = ["a", "b"];\n', '2] = ["a", "b"', '3] = ["a", "b", "c"'),
        ("add C to the K enum", "a.ts", "enum K {\n  A,\n  B,\n}\n", "  B,\n", "  B,\n  C,\n"),
        ("add .env to the gitignore", ".gitignore", "*.log\n", "*.log\n", "*.log\n.env\n"),
        # conditions
        ("mean should return 0 if the list is empty", "a.py", STATS, '."""\n', '."""\n    if not values:\n        return 0\n'),
        ("raise ValueError in draw if n < 0", "a.py", STATS, "    return n", '    if n < 0:\n        raise ValueError("n < 0")\n    return n'),
        ("in draw, return None when name is None", "a.py", STATS, "    return n", "    if name is None:\n        return None\n    return n"),
        # fields
        ("add phone: str | None = None to Person", "a.py", PEOPLE, "0\n", "0\n    phone: str | None = None\n"),
        ("add a field id: int to the Person class", "a.py", PEOPLE, "str\n", "str\n    id: int\n"),
        ("add a field Timeout time.Duration to Store", "a.go", STORE, "\tPath string\n\tn    int\n", "\tPath    string\n\tn       int\n\tTimeout time.Duration\n"),
        ("add disabled?: boolean to Props", "a.ts", "interface Props {\n  label: string;\n}\n", "string;\n", "string;\n  disabled?: boolean;\n"),
        ("add string Email to User", "a.cs", "class User\n{\n    public int Id { get; set; }\n}\n", "}\n}", "}\n    public string Email { get; set; }\n}"),
        # lines
        ("add set -eu at the top", "a.sh", SCRIPT, "npm", "set -eu\n\nnpm"),
        ("put exit 0 at the end of the file", "a.sh", SCRIPT, "npm ci\n", "npm ci\nexit 0\n"),
        ("insert `cd web` before npm ci", "a.sh", SCRIPT, "npm", "cd web\nnpm"),
        # spellings and commands
        ("recieve -> receive", "a.md", PAGE, "recieve", "receive"),
        ("typo: recieve should be receive", "a.md", PAGE, "recieve", "receive"),
        ("use pnpm instead of npm", "a.md", PAGE, "npm", "pnpm"),
        ("replace npm ci with npm install", "ci.yml", MATRIX, "npm ci", "npm install"),
        # modifiers and parameters
        ("make the fields final", "A.java", FIELDS, "private int", "private final int"),
        ("make size private", "A.java", FIELDS, "public int size", "private int size"),
        ("make the limit configurable", "a.py", "def f(x):\n    return get(x, limit=3)\n", "x):\n    return get(x, limit=3)", "x, limit=3):\n    return get(x, limit=limit)"),
        ("add httpx as a dependency", "pyproject.toml", '[project]\ndependencies = ["rich"]\n', '"rich"', '"rich", "httpx"'),
        ("give Person a note field (str)", "a.py", PEOPLE, "name: str\n", "name: str\n    note: str\n"),
        ("mean should return 0 for an empty list", "a.py", STATS, '."""\n', '."""\n    if not values:\n        return 0\n'),
        # syntax alone
        ("replace var with const", "a.js", VARS, "var a", "const a"),
        ("use strict equality", "a.js", VARS, "a == b", "a === b"),
        ("remove the commented-out code", "a.py", "# keep it short\n# x = load(1)\ny = 2\n", "# x = load(1)\n", ""),
    ],
)  # fmt: skip
def test_what_words_say_exactly_is_computed(sentence, path, text, old, new):
    check(sentence, path, text, old, new)


@pytest.mark.parametrize(
    ("sentence", "path", "text"),
    [
        ("add b to OPTIONS", "a.py", LISTS),
        ("add something to HOSTS", "a.py", LISTS),
        ("add node to the matrix", "ci.yml", MATRIX),
        ("mean should return the last value if the list is empty", "a.py", STATS),
        ("draw should return 0 if n is empty", "a.py", STATS),
        ("return 0 if total is 0", "a.py", STATS),
        ("add a phone field to Person", "a.py", PEOPLE),
        ("add tags: list[str] = [] to Person", "a.py", PEOPLE),
        ("add x: Unknown to Person", "a.py", PEOPLE),
        ("make the fields final", "A.java", FIELDS.replace("return n", "return n++")),
        (
            "make the limit configurable",
            "a.py",
            "def f(x):\n    return get(x, limit=3) + get(x, limit=4)\n",
        ),
        ("use import instead of require", "a.js", "const a = require('a');\n"),
        ("use poetry instead of pip", "Dockerfile", "FROM python:3\nRUN pip install -r a.txt\n"),
        ("add an index on email to users", "a.sql", "CREATE TABLE users (\n    id INT\n);\n"),
        ("add validation to HOSTS", "a.py", LISTS),
        ("add some logging at the top", "a.sh", SCRIPT),
        ("insert `cd web` before the tests", "a.sh", SCRIPT),
        ("use bullets instead of mail", "a.md", PAGE),
        ("remove the commented-out code", "a.py", "# keep it short\nx = 1\n"),
    ],
)
def test_what_is_open_is_left(sentence, path, text):
    result = compute_edit(EditRequest("1", text, sentence, path=path))
    assert result is None or result.text in (None, text)


def test_what_is_there_already_is_said():
    result = compute_edit(EditRequest("1", LISTS, "add a.com to HOSTS", path="a.py"))
    assert result.summary == "There is nothing to change: “a.com” is already in HOSTS."


def test_a_var_that_stays_is_named():
    result = compute_edit(EditRequest("1", VARS, "use const instead of var", path="a.js"))
    assert "the var of b, which is assigned again" in result.summary
