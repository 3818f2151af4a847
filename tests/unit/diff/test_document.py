"""Documents: lines as editors count them, the text a model sees, and the way back."""

import pytest

from editd.diff.document import Document, requested_final_newline, split_lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a\n"]),
        ("\n", ["\n"]),
        ("\n\n", ["\n", "\n"]),
        ("a\r\nb\nc\rd", ["a\r\n", "b\n", "c\r", "d"]),
        ("\r\r\n\n\r", ["\r", "\r\n", "\n", "\r"]),
        ("a\fb\vc\x1cd\x85e\u2028f\u2029g\n", ["a\fb\vc\x1cd\x85e\u2028f\u2029g\n"]),
        ("a\ufeffb\n\ufeffc", ["a\ufeffb\n", "\ufeffc"]),
    ],
)
def test_only_crlf_lf_and_cr_end_lines(text, lines):
    assert split_lines(text) == lines


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("body", ["", "a", "a\r\nb\n\rc\r", "\u2028\n", "é👩‍👩‍👧\r\n漢\tx"])
def test_a_document_is_its_text_again(bom, body):
    document = Document.of(bom + body)
    assert document.bom == bom
    assert document.text == bom + body
    assert document.model_text == body.replace("\r\n", "\n").replace("\r", "\n")
    assert "".join(document.model_lines) == document.model_text
    assert [document.line_offset(i) for i in range(len(document.lines) + 1)] == [
        len(bom) + len("".join(document.lines[:i])) for i in range(len(document.lines) + 1)
    ]


def test_the_usual_end_is_the_most_frequent():
    assert Document.of("").usual_end == "\n"
    assert Document.of("a").usual_end == "\n"
    assert Document.of("a\rb\r\nc\r\nd\n").usual_end == "\r\n"


@pytest.mark.parametrize(
    ("text", "start", "old_count", "new", "expected"),
    [
        ("a\r\nb\nc\r", 0, 3, ["x\n", "y\n", "z\n"], ("x\r\n", "y\n", "z\r")),  # one by one
        ("a\r\nb\n", 1, 0, ["x\n"], ("x\r\n",)),  # the line before
        ("a\r\nb\n", 0, 0, ["x\n"], ("x\r\n",)),  # none before: the line after
        ("a\r\nb\n", 1, 1, ["x\n", "y\n"], ("x\n", "y\n")),  # the last of the replaced
        ("", 0, 0, ["x\n", "y"], ("x\n", "y")),  # nothing to go by; an unended line stays so
        ("a\r\nb", 1, 1, ["x\n", "y"], ("x\r\n", "y")),  # the replaced line has no end
        ("b", 0, 1, ["x\n"], ("x\n",)),
        ("a\rb\r", 1, 0, ["\n"], ("\r",)),  # an empty line after a CR stays a line
        ("a\rb\n", 1, 1, ["\n"], ("\r\n",)),  # LF alone would make a CR LF of two ends
    ],
)
def test_new_lines_take_the_ends_of_the_old(text, start, old_count, new, expected):
    assert Document.of(text).restore_ends(new, start, old_count) == expected


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        ("Add a final newline", True),
        ("add the missing trailing newline.", True),
        ("Make sure the file ends with a newline", True),
        ("rename foo and add a newline at the end of the file", True),
        ("Fix: no newline at end of file", True),
        ("Add a newline at EOF", True),
        ("end the file with a newline character", True),
        ("Files should end with a single newline", None),  # of which files?
        ("The file should end with a single newline", True),
        ("Remove the final newline", False),
        ("strip the trailing newline from the file", False),
        ("Don't end the file with a newline", False),
        ("delete the newline at the end of this file", False),
        ("The file must end without a newline", False),
        ("Rename foo to bar", None),
        ("strip the trailing newline from each line of input", None),
        ("read_line() should drop the trailing newline of its result", None),
        ("Remove trailing newlines", None),
        ("Print a newline at the end of each message", None),
        ("", None),
    ],
)
def test_a_final_newline_is_asked_for_or_asked_away(instruction, wanted):
    assert requested_final_newline(instruction) is wanted
