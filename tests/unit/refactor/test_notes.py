"""Prints that stay, log calls that nobody would see, and notes: each said once, also of several edits in one request."""

import pytest

from editd.messages import EditRequest
from editd.refactor.composing import composed
from editd.refactor.computed import compute_edit

MAIN = '\n\nif __name__ == "__main__":\n    main()\n'
PRINTING = 'def main():\n    print("a")\n    print("b")\n'
SETUP = "This assumes that logging is configured elsewhere, since Python shows no info and debug messages by itself: {}."


def answer(instruction, path, text):
    """The new text and the summary."""
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    return result and (result.text, result.summary)


@pytest.mark.parametrize(
    ("text", "instruction", "lines"),
    [
        (PRINTING + "\n\nif __main__:\n    main()\n", "replace the prints by logging", "lines 2, 3"),
        (PRINTING + MAIN, "use logging.debug instead of print", "lines 2, 3"),
        ("def main():\n    return 1\n" + MAIN, "log when main is called", "line 2"),
        (PRINTING, "replace the prints by logging", ""),
        ("import logging\n\nlogging.basicConfig()\n\n\n" + PRINTING + MAIN, "replace the prints by logging", ""),
        ("from a import setup_logging\n\nsetup_logging()\n\n\n" + PRINTING + MAIN, "replace the prints by logging", ""),
        (PRINTING + MAIN, "replace the prints with logging.warning", ""),
    ],
)  # fmt: skip
def test_a_program_without_a_configured_logging(text, instruction, lines):
    new, summary = answer(instruction, "a.py", text)
    assert "logging." in new
    assert summary.count("This assumes") == bool(lines)
    assert summary.endswith(SETUP.format(lines)) == bool(lines)


def test_a_program_configures_the_logging_that_takes_the_place_of_prints():
    new, summary = answer("replace the prints by logging", "a.py", PRINTING + MAIN)
    assert new.endswith('__main__":\n    logging.basicConfig(level=logging.INFO)\n    main()\n')
    assert "This assumes" not in summary


@pytest.mark.parametrize(
    ("path", "before", "after", "line"),
    [
        ("a.py", 'x = 1\nprint("pop()")\nprint(x.pop())\n', "x = 1\nprint(x.pop())\n", 3),
        ("a.py", "print(f(x))\nprint(next(x))\n", "print(next(x))\n", 2),
        ("a.js", 'f();\nconsole.log("a++", f(x));\nconsole.log(i++);\n', "f();\nconsole.log(i++);\n", 3),
        ("a.ts", "console.log(x);\nconsole.log(x.shift());\n", "console.log(x.shift());\n", 2),
        ("a.go", "package a\n\nfunc f() {\n\tfmt.Println(1)\n\tfmt.Println(<-c)\n}\n", "package a\n\nfunc f() {\n\tfmt.Println(<-c)\n}\n", 5),
        ("a.rs", 'fn f() {\n    println!("{}", x);\n    println!("{:?}", x.next());\n}\n', 'fn f() {\n    println!("{:?}", x.next());\n}\n', 3),
        ("A.java", "class A {\n    void f() {\n        System.out.println(x);\n        System.out.println(x.poll());\n    }\n}\n", "class A {\n    void f() {\n        System.out.println(x.poll());\n    }\n}\n", 4),
    ],
)  # fmt: skip
def test_a_print_whose_values_do_more_stays(path, before, after, line):
    new, summary = answer("delete the prints", path, before)
    assert new == after
    assert f"It stays in prints whose values do more: line {line}." in summary


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def print(*x):\n    pass\n\n\nprint(1)\n"),
        ("a.go", "package a\n\nfunc print(x int) {\n}\n\nfunc f() {\n\tprint(1)\n}\n"),
        ("a.c", 'int puts(char *x) { return 0; }\n\nint f() {\n    puts("a");\n    return 1;\n}\n'),
    ],
)  # fmt: skip
def test_a_function_of_the_file_is_no_print(path, text):
    assert answer("delete the prints", path, text) is None


def test_what_stays_is_said_of_each_of_several_edits_on_the_lines_of_the_text():
    text = 'import os\n# total\ntotal = 1  # noqa\nx = "total"\nprint(total)\n'
    new, summary = answer("rename total to amount and delete the comments", "a.py", text)
    assert new == 'import os\namount = 1  # noqa\nx = "total"\nprint(amount)\n'
    assert summary == (
        "Computed from the words, without a model. It stays in comments: line 2; in strings: line 4; in comments for tools: line 3."
    )


def test_sentences_of_several_answers_are_said_once():
    first = compute_edit(EditRequest("1", "a1 = 1\n", "rename a1 to b2", path="a.py"))
    second = compute_edit(EditRequest("1", first.text, "rename b2 to c3", path="a.py"))
    assert (
        composed("a1 = 1\n", [first, second]).summary == "Computed from the words, without a model."
    )
