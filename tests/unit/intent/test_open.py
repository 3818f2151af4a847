"""Instructions that take understanding, and texts of which every mention changes."""

import pytest

from editd.intent import parse
from editd.intent.intents import Open


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "make it faster",
        "rename total to amount and simplify the loop",
        "rename it to that",
        "replace the loop with a comprehension",
        "replace 'a' with 'b' in the second loop",
        "Replace tabs with spaces",
        "use snake_case instead of camelCase",
        "rename all camelCase names to snake_case",
        "rename snake_case to camelCase",
        "replace semicolons with newlines",
        'replace "\\t" with "    "',
        "replace ' ' with '  '",
        "delete the function",
        "delete the cache",
        "delete the second line",
        "remove the comment above parse",
        "add the missing import",
        "set the timeout to a larger value",
        f"rename total to {'x' * 400}",
    ],
)
def test_what_takes_understanding_is_open(instruction):
    assert parse(instruction).intent == Open()


@pytest.mark.parametrize(
    ("instruction", "exchanged"),
    [
        ("rename total to amount", ["total"]),
        ("delete the lines with 'print'", ["print"]),
        ("rename a_1 to b_1 and c_1 to d_1", ["a_1", "c_1"]),
        ("rename a_1 to b_1 and simplify the loop", []),
        ("Replace tabs with spaces", []),
    ],
)
def test_texts_of_which_every_mention_changes_and_nothing_else(instruction, exchanged):
    assert parse(instruction).replaced_everywhere == tuple(exchanged)
