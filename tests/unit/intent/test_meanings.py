"""One table of sentences and what they ask for; what says more, or something else, is open."""

import pytest

from editd.intent import read
from editd.intent.intents import (
    AddImport,
    DeleteComments,
    DeleteDefinition,
    DeleteLines,
    DeletePrints,
    Open,
    Rename,
    Replace,
    SetValue,
)


def check(instruction, meaning):
    assert read(instruction).meaning == meaning


@pytest.mark.parametrize(
    ("instruction", "meaning"),
    [
        ("rename total to amount", Rename("total", "amount")),
        ("rename name to title", Rename("name", "title")),
        ("Please rename `total` to `amount` everywhere.", Rename("total", "amount")),
        ("rename the class About to Doc", Rename("About", "Doc", kind="class")),
        ("total is a bad name, call it amount", Rename("total", "amount")),
        ("let the function load() be called read", Rename("load", "read", kind="function")),
        ("rename Store.load to Store.read", Rename("load", "read", owner="Store")),
        (
            "rename the method Store.load to read",
            Rename("load", "read", owner="Store", kind="method"),
        ),
        ("replace 'left' with 'right'", Replace("left", "right")),
        ('write "x" wherever it says "y"', Replace("y", "x")),
        ("replace ';' with ','", Replace(";", ",")),
        ("from now on 2 is 3", Replace("2", "3", is_number=True)),
        ("change 0x1f to 32", Replace("0x1f", "32", is_number=True)),
        ("set LIMIT to 30", SetValue("LIMIT", "30")),
        ("raise LIMIT from 3 to 5", SetValue("LIMIT", "5")),
        ("delete every line that contains 'log.debug'", DeleteLines("log.debug")),
        ("no lines with `TODO`", DeleteLines("TODO")),
        ("remove the function parse", DeleteDefinition("parse", "function")),
        ("load_items is dead code, get rid of it", DeleteDefinition("load_items")),
        ("I don't want any comments in this code", DeleteComments()),
        ("any line mentioning 'TODO' should go away", DeleteLines("TODO")),
        ("the method Store.save can go", DeleteDefinition("save", "method", "Store")),
        ("remove all print statements", DeletePrints()),
        ("there should be no console.log calls", DeletePrints()),
        ("remove all comments", DeleteComments()),
        ("there should be no print in main", DeletePrints(place="main")),
        ("add an import of json", AddImport("json")),
        ("import dataclass from dataclasses", AddImport("dataclasses", "dataclass")),
        ("from enum import Enum", AddImport("enum", "Enum")),
        ("Path has to be imported from pathlib", AddImport("pathlib", "Path")),
        ("add `import os.path` at the top", AddImport("os.path")),
        ("the import of string is missing, add it", AddImport("string")),
    ],
)
def test_one_plain_request(instruction, meaning):
    check(instruction, meaning)


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
    check(instruction, Open())


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
    assert read(instruction).exchanged == tuple(exchanged)
