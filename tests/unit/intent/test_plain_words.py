"""Requests of one sentence in the most usual words: the same names, texts and numbers in the same roles."""

from hashlib import sha256
from random import Random

import pytest

from editd.embedded.families import family_of
from editd.intent import parse
from tests.unit.training.samples import sources
from training.families import GENERATORS


def check(instruction, plain):
    assert parse(instruction).plain == plain
    assert parse(plain).plain == plain


@pytest.mark.parametrize(
    ("instruction", "plain"),
    [
        ("Total is a better name for sum.", "rename sum to Total"),
        ("please relabel `sum` as `total`", "rename sum to total"),
        ("call the function sum total instead", "rename sum to total"),
        ("rename all occurrences of 'Sum' to 'Total' everywhere", "rename Sum to Total"),
        ('substitute "a" for "b"', 'replace "b" with "a"'),
        ("the text 'b c' is now 'a'", 'replace "b c" with "a"'),
        ("write “a” where it says 'say \"b\"'", 'replace \'say "b"\' with "a"'),
        ("from now on 2 is 3", "replace 2 with 3"),
        ("3 and not 2", "replace 2 with 3"),
        ("bump the number 2 to 3", "replace 2 with 3"),
        ("the new value of TIMEOUT is 2.5", "set TIMEOUT to 2.5"),
        ("raise LIMIT from 3 to 5", "set LIMIT to 5"),
        ("clear out the lines with `log.debug`", 'delete the lines that contain "log.debug"'),
        ("nobody calls the method `old`, so take it away", "delete method old"),
        # What says more, or something else, stays as it is.
        ("rename sum to total and make it async", "rename sum to total and make it async"),
        ("use 4 for indentation", "use 4 for indentation"),
        ("delete the comments", "delete the comments"),
        (f"rename sum to {'x' * 400}", f"rename sum to {'x' * 400}"),
        ("make the parser faster\n\nand simpler", "make the parser faster\n\nand simpler"),
    ],
)
def test_plain_words(instruction, plain):
    check(instruction, plain)


@pytest.mark.parametrize(
    "name", ["rename", "replace-string", "replace-number", "delete-lines", "delete-function"]
)
@pytest.mark.parametrize("held_out", [False, True])
def test_the_kind_of_edit_stays_the_same(name, held_out):
    for seed, source in enumerate(sources(60, "python", seed=5)):
        edit = GENERATORS[name].propose(source, Random(seed), held_out=held_out)
        if edit and family_of(edit.instruction) == name:
            assert family_of(parse(edit.instruction).plain) == name, edit.instruction


def test_the_words_that_the_model_was_trained_on_are_frozen():
    """Other words, or other sentences put in these, are for a model that is trained anew."""
    read_so = set()
    for name, generator in GENERATORS.items():
        for seed, source in enumerate(sources(20, "python", seed=5)):
            for held_out in (False, True):
                if edit := generator.propose(source, Random(seed), held_out=held_out):
                    read_so.add(f"{name}: {edit.instruction} = {parse(edit.instruction).plain}\n")
    assert len(read_so) > 350
    assert sha256("".join(sorted(read_so)).encode()).hexdigest()[:16] == "d5baffa168bb3ee2"


@pytest.mark.parametrize(
    ("instruction", "plain"),
    [
        ("pls rename usr to user, thanks", "rename usr to user"),
        ("Would you mind changing conn to db_connection?", "rename conn to db_connection"),
        ("cfg says nothing. Call it config instead.", "rename cfg to config"),
        ("we shadow the builtin sum, rename it to total_sum", "rename sum to total_sum"),
        ("in count_rows, n should be num_rows", "rename n to num_rows in count_rows"),
        ("use port 9090 instead of 8080", "replace 8080 with 9090"),
        ("learning rate 0.001 is too high, use 0.0003", "replace 0.001 with 0.0003"),
        ('change the title "My Plot" to "Sales"', 'replace "My Plot" with "Sales"'),
        ("change http://a.org to https://a.org everywhere", 'replace "http://a.org" with "https://a.org"'),
        ('pls change "a  b" to "b"', 'replace "a  b" with "b"'),
        ("drop any line where `TODO` appears", 'delete the lines that contain "TODO"'),
        ("old_api is never used, throw it away", "delete old_api"),
        ("we need import numpy as np", "import numpy as np"),
        ("the prints are noise, please take them out", "delete all print statements"),
    ],
)  # fmt: skip
def test_what_people_say_around_a_request_is_taken_off(instruction, plain):
    assert parse(instruction).plain == plain


@pytest.mark.parametrize(
    "instruction",
    [
        "print -> logging.info everywhere",
        "use requests instead of urllib",
        "use 4 spaces instead of 2 tabs",
        "import lazily",
        "import the csv file into the database",
        "parser is slow, make it async",
        "fetch_user should be async",
        "replace the loop, because it is slow, and add a test",
        "rename the variables to something clearer, please",
        "retry if 3 attempts fail instead of giving up",
        "don't remove the comments",
        "remove the comments only where they are wrong",
        "use TypeScript instead of JavaScript",
        "remove the commented-out code",
    ],
)
def test_what_only_resembles_a_request_is_left_to_a_larger_model(instruction):
    assert family_of(instruction) is None
