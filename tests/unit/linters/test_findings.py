"""What linters print, in each of their forms."""

import json

import pytest

from editd.linters.findings import LintFinding, read_findings

RUFF = json.dumps(
    [
        {
            "code": "F401",
            "filename": "/p/a.py",
            "location": {"column": 8, "row": 2},
            "message": "`os` imported but unused",
        },
        {"code": None, "filename": "/p/a.py", "location": {"column": 1, "row": 3}, "message": "x"},
    ]
)
ESLINT = json.dumps(
    [
        {
            "filePath": "/p/a.js",
            "messages": [
                {"ruleId": "no-undef", "message": "'y' is not defined.", "line": 1},
                {"ruleId": None, "fatal": True, "message": "Parsing error: no", "line": 4},
                {"ruleId": None, "message": "File ignored because of a matching ignore pattern."},
            ],
        }
    ]
)
SPAN = {"file_name": "src/b.rs", "line_start": 3, "is_primary": True}
CLIPPY = {
    "message": "unneeded `return` statement",
    "code": {"code": "clippy::needless_return"},
    "spans": [{**SPAN, "is_primary": False, "line_start": 9}, SPAN],
}
COUNT = {"message": "1 warning emitted", "code": None, "spans": []}
CARGO = [
    {"reason": "compiler-artifact", "fresh": True},
    {"reason": "compiler-message", "message": CLIPPY},
    {"reason": "build-finished", "success": True},
]
GOFMT = "\n".join(  # noqa: FLY002  a diff has blanks at line ends
    [
        "diff /tmp/1 /tmp/2",
        "--- standard input.orig\t2026-01-01",
        "+++ standard input\t2026-01-01",
        "@@ -1,6 +1,6 @@",
        " package a",
        " ",
        "-func  f() {",
        "-return",
        "+func f() {",
        "+\treturn",
        " }",
    ]
)


@pytest.mark.parametrize(
    ("output", "findings"),
    [
        ("", []),
        ("[]", []),
        ("All is well.", []),
        ("{}", []),
        ("[1]", []),
        ("[" * 100_000, []),
        ('[{"code": 1, "filename": "a", "location": {"row": 1e999}, "message": "x"}]', []),
        (
            '[{"code": 1, "filename": null, "location": {"row": 2.5}, "message": 3}]',
            [("None", 1, "1", "3")],
        ),
        (RUFF, [("/p/a.py", 1, "F401", "`os` imported but unused"), ("/p/a.py", 2, "", "x")]),
        (
            ESLINT,
            [
                ("/p/a.js", 0, "no-undef", "'y' is not defined."),
                ("/p/a.js", 3, "", "Parsing error: no"),
            ],
        ),
        (
            "\n".join(map(json.dumps, [CLIPPY, COUNT])),
            [("src/b.rs", 2, "clippy::needless_return", "unneeded `return` statement")],
        ),
        (
            "\n".join(map(json.dumps, CARGO)),
            [("src/b.rs", 2, "clippy::needless_return", "unneeded `return` statement")],
        ),
        (GOFMT, [("standard input", 2, "gofmt", "gofmt would format this otherwise")]),
        (
            "<standard input>:3:1: expected declaration, found x\n",
            [("<standard input>", 2, "", "expected declaration, found x")],
        ),
        (
            "src/a.ts(2,5): error TS2322: Type 'number' is not assignable to type 'string'.\n  more\n",
            [("src/a.ts", 1, "TS2322", "Type 'number' is not assignable to type 'string'.")],
        ),
        ("a.py:7:80: E501 line too long\n", [("a.py", 6, "E501", "line too long")]),
        ("a.py:7: error: Bad thing\n", [("a.py", 6, "", "error: Bad thing")]),
    ],
)
def test_what_is_read(output, findings):
    assert read_findings(output) == [LintFinding(*finding) for finding in findings]


@pytest.mark.parametrize(
    ("message", "rule", "sentence"),
    [
        ("'y' is not\n defined.", "no-undef", "'y' is not defined (no-undef)"),
        ("red \x1b[31m", "", "red [31m"),
        ("x" * 300, "E1", "x" * 199 + "… (E1)"),
    ],
)
def test_a_finding_is_one_short_line(message, rule, sentence):
    assert LintFinding("a", 0, rule, message).sentence == sentence
