"""The value that the words say a setting has: another one is named, and one of several is asked for."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = "PORT = 8000\nTIMEOUT = 5000\n\n\ndef connect(timeout=5000):\n    return timeout\n"
YAML = "port: 8000\nadmin:\n  port: 7000\n"


def answer(instruction, path, text):
    """The lines that are new, the refusal, or ``None``."""
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    if result is None or result.error:
        return result and result.error.message
    return [line for line in result.text.splitlines() if line not in text.splitlines()]


@pytest.mark.parametrize(
    "instruction",
    [
        "Change PORT from 9000 to 9500", "change the port from 9000 to 9500", "set PORT to 9500 instead of 9000",
        "PORT should be 9500, not 9000", "bump port from 9000 to 9500",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("path", "text", "name", "line"),
    [
        ("a.py", PY, "PORT", 1), ("a.json", '{\n  "port": 8000\n}\n', "port", 2), ("a.toml", "[a]\nport = 8000\n", "port", 2),
        ("a.sh", "PORT=8000\nrun $PORT\n", "PORT", 1), (".env", "PORT=8000\n", "PORT", 1), ("a.ts", "const PORT = 8000;\n", "PORT", 1),
        ("a.go", "package a\n\nconst Port = 8000\n", "Port", 3), ("a.rs", "const PORT: u16 = 8000;\n", "PORT", 1),
        ("A.java", "class A {\n    static final int PORT = 8000;\n}\n", "PORT", 2), ("A.cs", "class A {\n    const int Port = 8000;\n}\n", "Port", 2),
    ],
)  # fmt: skip
def test_another_value_than_is_said(instruction, path, text, name, line):
    sentence = f"“{name}” is 8000 (line {line}), not 9000; nothing is changed."
    assert answer(instruction, path, text) == sentence


@pytest.mark.parametrize(
    ("instruction", "path", "text", "expected"),
    [
        ("change port from 9000 to 9500", "a.yaml", YAML, "“port” is 8000 (line 1) and 7000 (line 3), not 9000; nothing is changed."),
        ("change width from 90px to 95px", "a.css", "a {\n  width: 80px;\n}\n", "“width” is 80px (line 2), not 90px; nothing is changed."),
        ("switch the log level from info to debug", "a.py", 'LOG_LEVEL = "warning"\n', "“LOG_LEVEL” is warning (line 1), not info; nothing is changed."),
        ("update version from 1.0.0 to 1.1.0", "a.toml", 'version = "1.2.0"\n', "“version” is 1.2.0 (line 1), not 1.0.0; nothing is changed."),
        ("raise the timeout from 5000 to 8000", "a.py", PY, "“timeout” is 5000 in lines 2 and 5; say which, such as “TIMEOUT”."),
        ("raise TIMEOUT from 5000 to 8000", "a.py", PY, ["TIMEOUT = 8000"]),
        ("raise the timeout from 5000 to 8000 in connect", "a.py", PY, ["def connect(timeout=8000):"]),
        ("change PORT from 8000 to 9500", "a.py", PY, ["PORT = 9500"]),
        ("change PORT to 9500", "a.py", PY, ["PORT = 9500"]),
        ("change port from 8000 to 9500", "a.yaml", YAML, ["port: 9500"]),
        # The text has the value, but not there.
        ("change PORT from 5000 to 9500", "a.py", PY, None),
        ("change port from 7000 to 7500", "a.yaml", YAML, None),
    ],
)  # fmt: skip
def test_the_value_that_is_said(instruction, path, text, expected):
    assert answer(instruction, path, text) == expected


@pytest.mark.parametrize(
    ("instruction", "path", "text", "expected"),
    [
        ("set the timeout to 2 minutes", "a.py", "TIMEOUT = 30  # seconds\n", None),
        ("set the timeout to 20 seconds", "a.py", "TIMEOUT = 30  # seconds\n", ["TIMEOUT = 20  # seconds"]),
        ("set the timeout to 2 seconds", "a.js", "const timeout = 30; // in ms\n", None),
        ("set the timeout to 20", "a.py", "TIMEOUT = 30  # seconds\n", ["TIMEOUT = 20  # seconds"]),
        ("set PORT to 9000", "a.sh", "PORT=${PORT:-8000}\n", None),
        ("set PORT to 9000", "a.sh", "PORT=8000\nrun ${PORT:-8000}\n", ["PORT=9000"]),
    ],
)  # fmt: skip
def test_units_and_defaults_of_shells(instruction, path, text, expected):
    assert answer(instruction, path, text) == expected
