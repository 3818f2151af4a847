"""Names left undefined and imports that stand twice are told; what was so before, or was asked for, is not."""

import pytest

from tests.unit.checks.test_checks import rewritten

FILE = "import os\n\n\ndef total(items):\n    return sum(items)\n\n\ndef show(items):\n    return os.fspath(total(items))\n"
LOGS = ("    return sum(items)", "    logging.debug('total')\n    return sum(items)")
TWICE = ("def total", "import os\n\n\ndef total")


@pytest.mark.parametrize(
    ("replaced", "instruction", "expected"),
    [
        (("def total(", "def amount("), "rename total to amount",
         ["“total” is used at line 9 but not defined."]),
        (("def total(items):\n    return sum(items)\n\n\n", ""), "delete the function total", []),
        (("sum(items)", "sum(items, start)"), "let it begin with start", []),
        (("sum(items)", "max(items)"), "take the largest", []),
        (("return sum", "result = sum"), "keep the result", []),
        (TWICE, "tidy", ["“import os” stands twice now."]),
        (("import os\n", "import os\nimport sys\n"), "import sys", []),
        (("    return os", "    import os\n    return os"), "import os where it is used", []),
    ],
)  # fmt: skip
def test_a_python_file(replaced, instruction, expected):
    assert FILE.count(replaced[0]) == 1
    hunks, doubts = rewritten(FILE, FILE.replace(*replaced), instruction, "a.py")
    assert doubts == expected
    assert [hunk.suspect for hunk in hunks if hunk.suspect] == expected


@pytest.mark.parametrize(
    ("replaced", "expected"),
    [
        (LOGS, "“logging” is used at line 5 but not imported."),
        (("import os\n", ""), "“os” is used at line 8 but not imported."),
        (("import os\n", "import os\nimport sys\n"), None),
        (("sum(items)", "max(items)"), None),
    ],
)
def test_a_missing_import_is_a_note(replaced, expected):
    hunks, doubts = rewritten(FILE, FILE.replace(*replaced), "say what is summed", "a.py")
    assert doubts == []
    assert [hunk.note for hunk in hunks] == [expected]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.ts", 'import { a } from "./a";'),
        ("a.js", 'const fs = require("fs");'),
        ("a.rs", "use std::fmt;"),
        ("a.c", "#include <stdio.h>"),
        ("a.java", "import java.util.List;"),
        ("a.go", 'import "fmt"'),
        ("a.cs", "using System.Text;"),
    ],
)
def test_imports_of_other_languages(path, line):
    buffer = f"{line}\n\n// one\n\n// two\n"
    _, doubts = rewritten(buffer, buffer.replace("// one", line), "tidy", path)
    assert doubts == [f"“{line}” stands twice now."]
    moved = f"// one\n\n{line}\n\n// two\n"
    assert rewritten(buffer, moved, "move the import", path)[1] == []


@pytest.mark.parametrize(
    "buffer",
    [
        "def total(items):\n    return sum(items)\n",  # no import: a piece of a file, perhaps
        "import os\n\n\ndef total(items):\n    return helper(items)\n",  # so before
        "import os\n\n\ndef total(items:\n    return sum(items)\n",  # never parsed
    ],
)
def test_a_piece_of_a_file_is_not_judged(buffer):
    changed = buffer.replace("    return", "    logging.debug('x')\n    return")
    hunks, doubts = rewritten(buffer, changed, "say what is summed", "a.py")
    assert (doubts, [hunk.note for hunk in hunks]) == ([], [None])


@pytest.mark.parametrize("imports", ["", "import os\n\n\n"])
def test_a_module_that_the_instruction_names_still_needs_its_import(imports):
    buffer = f"{imports}def total(items):\n    return sum(items)\n"
    changed = buffer.replace("    return", "    logging.debug('x')\n    return")
    hunks, doubts = rewritten(buffer, changed, "add logging to total", "a.py")
    line = buffer[: buffer.index("    return")].count("\n") + 1
    told = f"“logging” is used at line {line} but not imported."
    assert (doubts, [hunk.note for hunk in hunks]) == ([], [told])


def test_what_an_import_stood_twice_before_may_go_on_so():
    buffer = "import os\nimport os\n\nx = os.name\n"
    assert rewritten(buffer, buffer.replace("x =", "y ="), "rename x to y", "a.py")[1] == []
