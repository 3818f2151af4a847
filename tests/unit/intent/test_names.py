"""Which names an instruction speaks of, and how much of a file it means."""

import pytest

from editd.intent import parse


def check(instruction, *names):
    assert parse(instruction).names == names


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("add a docstring to parse_header", ["parse_header"]),
        ("add a docstring to `parse`", ["parse"]),
        ('add a docstring to "parse"', ["parse"]),
        ("add a docstring to 'parse'", ["parse"]),
        ("make parse() faster", ["parse"]),
        ("make `parse(text, strict=True)` faster", ["parse"]),
        ("speed up the function parse", ["parse"]),
        ("speed up the parse function", ["parse"]),
        ("speed up function parse and method run", ["parse", "run"]),
        ("document class Reader", ["Reader"]),
        ("document Reader.run", ["Reader.run"]),
        ("document self.count", ["count"]),
        ("document `std::vector`", ["std::vector"]),
        ("use XMLHttpRequest here", ["XMLHttpRequest"]),
        ("use httpClient here", ["httpClient"]),
        ("wrap the body of main() in try/except", ["main"]),
        ("add type hint int to parameter size of read", ["size"]),
        ("rename foo to bar", ["foo", "bar"]),
        ("fix the variable called total", ["total"]),
        ("parse_header's docstring is wrong", ["parse_header"]),
        ("make $scope private", []),
        ("make `$scope` private", ["$scope"]),
        ("delete __init__", ["__init__"]),
    ],
)
def test_names_are_found(instruction, names):
    check(instruction, *names)


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "make it faster",
        "fix the bug",
        "don't use the user's name",
        "remove all comments",
        "add a function that sorts numbers",
        "add a method to the class",
        "update README.md and setup.py",
        "use the JSON API, e.g. over HTTP",
        "see https://example.org/path_to/it",
        "return 404 when nothing is found",
        "the helper function is too long",
        "change the return type to int",
    ],
)
def test_prose_has_no_names(instruction):
    check(instruction)


def test_bare_words_are_offered_apart():
    assert parse("make parse faster, please").bare_words == ("parse", "faster")


@pytest.mark.parametrize(
    ("instruction", "everywhere"),
    [
        ("remove all comments", True),
        ("remove comments", True),
        ("add docstrings", True),
        ("use f-strings", True),
        ("rename foo everywhere", True),
        ("delete every print", True),
        ("delete print calls", True),
        ("add a docstring to parse", False),
        ("delete the comment above parse", False),
        ("call it", False),
        ("replace semicolons with newlines", True),
        ("use snake_case for all names", True),
        ("use camelCase", True),
    ],
)
def test_edits_of_each_part_alone(instruction, everywhere):
    assert parse(instruction).is_everywhere is everywhere


@pytest.mark.parametrize(
    ("instruction", "imports"),
    [
        ("add import os", True),
        ("sort the imports", True),
        ("Import json at the top", True),
        ("include stdio.h", True),
        ("make it important", False),
    ],
)
def test_imports(instruction, imports):
    assert parse(instruction).is_about_imports is imports
