"""What is called something gets another value, of the kind that it has; in data the value changes, never the key."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

JSON = '{\n  "name": "app",\n  "version": "1.0.0",\n  "port": 8080,\n  "debug": false,\n  "server": {\n    "port": "80",\n    "version": "2"\n  }\n}\n'
YAML = "name: app\nversion: 1.0.0 # v\nport: 8080\ndebug: false\nserver:\n  port: 80\n  host: localhost\n"
TOML = 'name = "app"\nversion = "1.0.0"\nport = 8080\ndebug = false\n[server]\nport = 80\nversion = "2"\n'
PYTHON = 'TIMEOUT = 30\nname = "bob"\ndebug = False\nx = 10 * 60\nhost = get()\n# version = 3\nversion = "1.0"\nsize: int = 5\n'


def changed(instruction, path, text):
    """The new lines that differ; ``None`` where it is left to a model."""
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    if result is None:
        return None
    lines = zip(text.splitlines(), result.text.splitlines(), strict=True)
    return [new.strip(" ,") for old, new in lines if old != new]


@pytest.mark.parametrize(
    "instruction",
    ["set version to 1.1.0", 'set version to "1.1.0"', "change version to 1.1.0", "bump version to 1.1.0", "version 1.1.0",
     "Version: 1.1.0", "set `version` to `1.1.0`", "version should be 1.1.0", "update the version to 1.1.0", "set version = 1.1.0"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.json", JSON, '"version": "1.1.0"'),
        ("a.yaml", YAML, "version: 1.1.0 # v"),
        ("a.toml", TOML, 'version = "1.1.0"'),
    ],
)
def test_the_outermost_value_changes_and_not_the_key(instruction, path, text, expected):
    assert changed(instruction, path, text) == [expected]


@pytest.mark.parametrize(
    ("instruction", "path", "text", "expected"),
    [
        ("port 9090", "a.json", JSON, ['"port": 9090']),
        ("use port 9090", "a.yaml", YAML, ["port: 9090"]),
        ("set server.port to 9090", "a.json", JSON, ['"port": "9090"']),
        ("set the port of server to 9090", "a.yaml", YAML, ["port: 9090"]),
        ("set server.port to 9090", "a.toml", TOML, ["port = 9090"]),
        ("set debug to true", "a.toml", TOML, ["debug = true"]),
        ("turn debug on", "a.json", JSON, ['"debug": true']),
        ("set host to example.org", "a.yaml", YAML, ["host: example.org"]),
        ("change name to web", "a.json", JSON, ['"name": "web"']),
        ("change color to blue", "a.css", "a {\n  color: red;\n  background-color: red;\n}\n", ["color: blue;"]),
        ("rename version to release", "a.yaml", YAML, ["release: 1.0.0 # v"]),  # the key, if it is said to be one
        ("change server to x", "a.json", JSON, None),
        ("set port to yes", "a.json", JSON, None),
        ("set missing to 5", "a.json", JSON, None),
        ("set timeout to 60", "a.py", PYTHON, ["TIMEOUT = 60"]),
        ('set name to "alice"', "a.py", PYTHON, ['name = "alice"']),
        ("set debug to true", "a.py", PYTHON, ["debug = True"]),
        ("set version to 2.0", "a.py", PYTHON, ['version = "2.0"']),
        ("set size to 7", "a.py", PYTHON, ["size: int = 7"]),
        ("set x to 5", "a.py", PYTHON, None),
        ("set host to localhost", "a.py", PYTHON, None),
        ("set debug to 5", "a.py", PYTHON, None),
        # A bare word is a name, a value or a word of a text
        ("change name to label", "a.py", PYTHON, ['label = "bob"']),
        ("replace bob with alice", "a.py", PYTHON, ['name = "alice"']),
        ("replace 1.0.0 with 1.1.0", "a.json", JSON, ['"version": "1.1.0"']),
        ("Change Hello to Goodbye", "a.txt", "Hello, World!\n", ["Goodbye, World!"]),
        ("replace cat with dog", "a.md", "The cat sat.\nConcat it.\n", ["The dog sat."]),
        ("replace cat with dog", "a.py", "# a cat\nx = 'cat'\n", None),
        ("change the loop to a comprehension", "a.md", "The loop is a loop.\n", None),
        ("replace tabs with spaces", "a.md", "tabs\n", None),
        ("replace print with logging", "a.md", "print\n", None),
    ],
)  # fmt: skip
def test_a_value(instruction, path, text, expected):
    assert changed(instruction, path, text) == expected
