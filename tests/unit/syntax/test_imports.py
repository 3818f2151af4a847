"""An import is recognised on a line, in a tree, and with those that it stands together with."""

import pytest

from editd.syntax.code import read_code
from editd.syntax.imports import HEAD_LINE, IMPORT_LINE, WHOLE_IMPORT, import_in


@pytest.mark.parametrize(
    ("line", "begins", "is_whole"),
    [
        ("import os\n", True, True),
        ("    import os\n", True, False),
        ("import { a } from 'a';\n", True, True),
        ("import {\n", True, False),
        ("from a.b import c\n", True, True),
        ("from a import (\n", True, False),
        ("from here to there\n", False, False),
        ("#include <a.h>\n", True, True),
        ("#  include <a.h>\n", True, False),
        ("use a::b;\n", True, True),
        ("use a::{\n", True, False),
        ("using System.Text;\n", True, True),
        ("require 'a'\n", True, False),
        ("const a = require('a');\n", True, True),
        ("local a = require('a')\n", True, False),
        ("important = 1\n", False, False),
        ("useful(a)\n", False, False),
        ("package a\n", False, False),
    ],
)
def test_a_line_begins_an_import_or_is_one(line, begins, is_whole):
    assert (IMPORT_LINE.match(line) is not None, WHOLE_IMPORT.match(line) is not None) == (
        begins,
        is_whole,
    )
    assert import_in(["a = 1\n", line]) == begins


@pytest.mark.parametrize("line", ["package a;", "a = b.require('a')", "  use a;", "import a"])
def test_more_stands_at_the_head_of_a_file(line):
    assert HEAD_LINE.match(line)


@pytest.mark.parametrize(
    ("language", "text", "runs"),
    [
        ("python", "import os\nfrom . import a\n\nx = 1\nfrom ..b import c\n", [["os", "."], ["..b"]]),
        ("python", "def f():\n    import a.b\n", [["a.b"]]),
        ("javascript", "import a from './a'\n// x\nimport 'b'\nf()\nimport { c } from \"c\"\n", [["./a", "b"], ["c"]]),
        ("go", 'package a\nimport "a/b"\nimport (\n\t"c"\n\td "e"\n)\n', [["a/b"], ["c", "e"]]),
        ("rust", "use a::b;\npub use c::{d, e};\nfn f() {}\n", [["a::b", "c::{d, e}"]]),
        ("java", "import a.B;\nimport static a.C.d;\n", [["a.B", "a.C.d"]]),
        ("c", '#include <a.h>\n#include "b.h"\nint x;\n', [["a.h", "b.h"]]),
        ("python", "import (\n", []),
        ("kotlin", "import a.b\n", []),
    ],
)  # fmt: skip
def test_imports_that_stand_together(language, text, runs):
    code = read_code(text, language)
    assert [[x.module for x in run] for run in code.import_runs] == runs
    lines = text.split("\n")
    for found in code.imports:
        assert found.is_alone
        assert "\n".join(lines[found.line : found.end_line]).strip() == found.text


@pytest.mark.parametrize(
    ("language", "text"), [("python", "import a; x = 1\n"), ("javascript", "import 'a'; f()\n")]
)
def test_an_import_may_share_its_line(language, text):
    assert [x.is_alone for x in read_code(text, language).imports] == [False]


def test_an_attribute_is_about_the_import_below_it():
    code = read_code("#[cfg(a)]\nuse b;\nuse c;\n", "rust")
    assert [x.has_attribute for x in code.imports] == [True, False]
