"""Unusual sentences, told by their words: the plain one that each is taken for, or that it is taken for none."""

import pytest

from editd.intent import parse
from editd.intent.intents import Open, Rename
from editd.intent.lexical import lexical_reading


def check(instruction, expected):
    reading = lexical_reading(instruction)
    assert reading == expected
    if reading is not None:
        assert parse(reading).lexical_reading == "", "a row matches it"


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("NameError on itertools, add the missing import", "import itertools"),
        ("please get chain imported from itertools", "import chain from itertools"),
        ("parse_header is undocumented, please fix that", "add a docstring to parse_header"),
        ("stick the docstring 'Do it.' onto run", 'add a docstring "Do it." to run'),
        ("every time load_items gets called, write to the log", "add a logging call to load_items"),
        ("have load() leave a warning line in the log", "add a logging warning call to load()"),
        ("log entry on entering `run` please", "add a logging call to run"),
        (
            "I want KeyError caught inside get_item",
            "wrap the body of get_item in try/except KeyError",
        ),
        ("guard what load does with a try/except", "wrap the body of load in try/except"),
        (
            "when ValueError happens inside parse, the result is None",
            "catch ValueError in parse and return None",
        ),
        ("could you type size of load as int?", "add the type hint int to size of load"),
        (
            "load's size is str | None, please annotate",
            "add the type hint str | None to size of load",
        ),
        ("what load returns is a dict, add the hint", "add the return type dict to load"),
        (
            "let's go with fetch_items as the name for load_items",
            "rename load_items to fetch_items",
        ),
        ("I misspelled receive as recieve, correct it", "rename recieve to receive"),
        ("our convention is maxLen, not max_len; fix that", "rename max_len to maxLen"),
        ('users should see "blue" where they see "red" today', 'replace "red" with "blue"'),
        ("'Teh' was a typo, it is supposed to be 'The'", 'replace "Teh" with "The"'),
    ],
)
def test_each_word_is_accounted_for(instruction, expected):
    check(instruction, expected)


@pytest.mark.parametrize(
    "instruction",
    [
        "delete the comments of the parser",
        "remove the comments in the second half",
        "don't delete the comments",
        "keep the comments",
        "add a comment to parse_args",
        "document the parameters of load_items",
        "fix the docstring of load_items",
        "log errors to stderr",
        "log how long fetch takes",
        "remove logging",
        "change the log level of run to debug",
        "move the import of json into load",
        "import lazily",
        "get rid of the unused imports",
        "replace print with logging in parse_args",
        "return None if items is empty",
        "raise a KeyError instead of returning None in get_item",
        "add error handling",
        "handle ExceptionGroup",
        "make parse_header return a tuple",
        "check that size is an int",
        "change the type of size to float in the database",
        "annotate load with @cache",
        "don't use f-strings",
        "rename variables to snake_case",
        "rename the file a.py to b.py",
        "do not rename foo to bar",
        "call close when it is done",
        "swap the arguments of add",
        "swap a and b",
        "increase the timeout by 5",
        "multiply 2 and 3",
        "replace 3 retries by a loop",
        "turn the comments into docstrings",
        "delete items older than a week in cleanup",
        "skip lines with '#'",
        "remove class in test_serving",
        "remove the parameter size from load_items",
        "strip whitespace in parse_line",
        "make it faster",
        "what does parse_header do?",
        "add logging and tests",
        "",
    ],
)
def test_what_says_more_is_left_alone(instruction):
    check(instruction, None)


def test_a_plain_sentence_needs_no_other():
    assert parse("rename a to b").lexical_reading == ""
    assert parse("`max_len` is a bad name: call it `maxLen`").plain == "rename max_len to maxLen"


def test_a_bracket_that_says_more_is_no_courtesy():
    assert isinstance(parse("rename Client to AsyncClient (with compat synonym)").intent, Open)
    assert parse("rename Client to AsyncClient (it is shorter)").intent == Rename(
        "Client", "AsyncClient"
    )
