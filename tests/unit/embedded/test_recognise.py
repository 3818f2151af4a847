"""Instructions of the families are known whatever their words; others are not."""

import re
from random import Random

import pytest

from editd.embedded.families import FAMILIES, families_of_embedded, family_of, refuse
from editd.embedded.refusals import ALL_KINDS, refusal
from editd.intent import parse
from editd.intent.intents import Open
from tests.unit.training.samples import sources
from training.families import GENERATORS

FOREIGN = """
make it faster
fix the bug
fix the off by one error in parse
write unit tests for load
convert this to async
add error handling
refactor this into smaller functions
sort the imports
remove unused imports
translate the comments to German
translate to JavaScript
explain this code
make the function generic
extract a helper function from load_user
inline the variable total
use a dict comprehension
replace the loop with a list comprehension
replace the for loop with while
add caching to fetch
add a cache
add tests
add a parameter timeout to connect
add retry logic to send
change the return type
make it thread safe
use pathlib instead of os.path
use logging instead of print
convert class to dataclass
delete it
delete this
remove everything
remove duplicates
remove dead code
delete the second line
delete all lines
delete the long lines
delete lines that are too long
delete the last paragraph
document this
document everything
document the code
add docstrings
add docstrings everywhere
add type hints
add type hints to all functions
rename it
rename all variables to something better
rename the variables so that they make sense
rename foo to bar and make it async
rename foo to bar and delete baz
simplify this expression
reverse the order of the arguments
swap the arguments of open
handle the empty list
handle None
return early
add logging
add logging everywhere
wrap in a class
wrap lines at 80 characters
format with black
use tabs instead of spaces
replace all tabs with spaces
replace every semicolon with a comma
change all commas to semicolons
use double quotes instead of single quotes
make all methods private
implement the interface
implement quicksort
finish this function
complete the TODO
write a function that parses dates
sum the numbers and return the mean
change the algorithm to binary search
do the same for the other class
call super().__init__
import everything we need
add missing imports
add the missing import
catch exceptions
catch all errors
turn this into a generator
use f-strings and type hints
delete comments and prints
delete all functions that are not used
remove the first argument of main
remove the parameter x from load
set up the project
make timeout configurable
the loops can go
nobody uses this
there should be no duplicates
there should be no warnings
I don't want globals
I want this file without warnings
clear out the cache
take out the trash
we don't need it
use 4 for indentation
make it 10
tabs instead of spaces
let the function write a log message
there should be no print in main
make config available
asyncio should replace threading
tabs rather than spaces
we can do without it
no more warnings
leave out the details
what does this do?
hello
""".strip().splitlines()


@pytest.mark.parametrize("instruction", FOREIGN)
def test_other_instructions_are_not_taken_for_ours(instruction):
    assert family_of(instruction) is None


def test_there_are_enough_of_them():
    assert len(set(FOREIGN)) >= 60


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("held_out", "least"), [(False, 0.97), (True, 0.95)])
def test_the_families_own_instructions_are(name, held_out, least):
    known = told = 0
    for language in ("python", "typescript"):
        for seed, source in enumerate(sources(60, language, seed=3)):
            if FAMILIES[name].languages and language not in FAMILIES[name].languages:
                continue
            edit = GENERATORS[name].propose(source, Random(seed), held_out=held_out)
            if edit:
                told += 1
                found = family_of(edit.instruction)
                known += found == name or (name == "no-change" and found is not None)
    assert told >= 15
    assert known >= least * told


@pytest.mark.parametrize(
    ("instruction", "family"),
    [
        ("Rename parse to parse_header.", "rename"),
        ("please rename the variable `a` to `b` everywhere", "rename"),
        ("Can you rename foo to bar?", "rename"),
        ("total is a better name for sum", "rename"),
        ("could you remove all comments please", "delete-comments"),
        ('change "a" to "b"', "replace-string"),
        ('substitute "a" for "b"', "replace-string"),
        ("change 10 to 20", "replace-number"),
        ("set TIMEOUT to 30", "replace-number"),
        ("remove print statements", "delete-prints"),
        ("delete the function old()", "delete-function"),
        ("import os", "add-import"),
        ("import logging", "add-import"),
        ("delete the method error", "delete-function"),
        ("leave the code as it is", "no-change"),
    ],
)
def test_what_people_type(instruction, family):
    assert family_of(instruction) == family


def test_a_family_that_a_model_has_not_learned_is_not_asked_for():
    assert family_of("use f-strings", among={"rename"}) is None
    assert family_of("rename a to b", among={"rename"}) == "rename"


TEXT = 'import os\n\nLIMIT = 3\n\n\ndef load(path):\n    total = open(path)  # all\n    print("%s" % total)\n    return total\n'


@pytest.mark.parametrize(
    ("instruction", "near"),
    [
        ("write a docstring for each part of load", ["add a docstring to load"]),
        ("sort the imports by length", ["sort the imports"]),
        ("load the docstring of that", []), ("please load the docstring of that", []),
        ("add a function that deletes LIMIT", []), ("load says 'return the comments'", []),
        ("handle the errors of load", ["wrap the body of load in try/except"]),
        ("rename the variable that is called total, as amount", ["rename total to amount"]),
        ("the LIMIT is to be changed: 5 it is", ["set LIMIT to 5"]),
        ("print less", ["delete the prints", "replace print with logging"]),
        ("could the format be newer", ["use f-strings"]),
        # Nothing of it is in the text, or the words share nothing with what can be done.
        ("make it faster", []), ("", []), ("wrap it in a try", []), ("sort the lines", []),
        ("write a docstring for every function of parse_header", []),
        # What is asked for is less than what could be proposed.
        ("delete the comments except the TODO", []), ("don't delete the prints", []), ("set LIMIT to 5 unless it is higher", []),
    ],
)  # fmt: skip
def test_a_refusal_proposes_what_the_text_has_and_the_words_share(instruction, near):
    sentence = refusal(parse(instruction), FAMILIES, "python", TEXT)
    assert re.findall(r'[ ]"(.+?)"(?=,| or|\?)', sentence) == near
    assert ("Did you mean" in sentence) == bool(near)
    assert "editd setup" in sentence
    assert len(sentence) < 400
    assert [one for one in near if not family_of(one) and parse(one).intent == Open()] == []


@pytest.mark.parametrize(
    ("language", "named", "not_named"),
    [
        ("python", "delete comments, prints, lines and functions, add imports", "C#"),
        ("javascript", "delete comments, prints and lines (", "docstrings"),
    ],
)
def test_a_refusal_names_the_kinds_for_the_language(language, named, not_named):
    manifest = {"families": list(families_of_embedded())}
    sentence = refuse(manifest, "Make it more robust.", language)
    assert named in sentence
    assert not_named not in sentence
    assert ALL_KINDS in sentence
    assert len(sentence) < 400


def test_what_a_refusal_proposes_is_understood():
    proposed = {
        said
        for instruction in FOREIGN
        for said in re.findall(
            r'[ ]"(.+?)"(?=,| or|\?|\.)', refusal(parse(instruction), FAMILIES, "python", TEXT)
        )
    }
    assert len(proposed) > 5
    assert [one for one in proposed if not family_of(one) and parse(one).intent == Open()] == []


@pytest.mark.parametrize(
    "instruction",
    [
        "Benenne total in amount um", "Lösche die Kommentare", "Renombra total a amount", "Rinomina total in amount",
        "total を amount にリネームして", "Renomeie total para amount", "Переименуй total в amount", "renomme total en amount",
        "把 total 改名为 amount", "supprime les commentaires", "verwijder de commentaren",
    ],
)  # fmt: skip
def test_who_writes_in_another_language_is_told_what_is_understood(instruction):
    sentence = refusal(parse(instruction), FAMILIES, "python", TEXT)
    assert "understand English alone" in sentence
    assert "editd setup" in sentence


def test_what_is_quoted_or_beside_english_is_no_other_language():
    for instruction in (
        "fix the 'für alle' message",
        "translate the comments into 日本語",
        "make it die",
    ):
        assert "English alone" not in refusal(parse(instruction), FAMILIES, "python", TEXT)


def test_a_name_that_is_not_in_the_text_is_named():
    assert (
        refusal(parse("rename Total to amount"), FAMILIES, "python", TEXT)
        == "“Total” is not in this text; is “total” meant?"
    )
    assert (
        refusal(parse("rename sum to amount"), FAMILIES, "python", TEXT)
        == "“sum” is not in this text."
    )
