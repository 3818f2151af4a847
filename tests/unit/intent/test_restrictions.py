"""What is said beside a request: a reason, with which it is all of it, or a restriction, with which it is left open."""

from pathlib import Path

import pytest

from editd.embedded.families import family_of
from editd.intent import parse
from editd.intent.intents import Located, Open
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

FIXTURE = Path(__file__).parents[2] / "fixtures" / "restrictions.tsv"


def is_understood(instruction):
    said = parse(instruction)
    return (
        not isinstance(said.intent, Open)
        or family_of(instruction) is not None
        or bool(said.clauses)
    )


def rows(kind):
    lines = (line.split("\t") for line in FIXTURE.read_text().splitlines())
    return [sentence for sentence, of_kind, _ in lines if of_kind == kind]


@pytest.mark.parametrize("sentence", rows("restriction"))
def test_a_restriction_of_somebody_who_knew_no_rule_is_never_dropped(sentence):
    """Nothing is read, or it is what is meant of one place."""
    intent = parse(sentence).intent
    is_located = isinstance(intent, Located) and intent.location
    assert is_located or not is_understood(sentence)


def test_reasons_of_somebody_who_knew_no_rule():
    reasons = rows("reason")
    assert len(reasons) == 29
    assert sum(map(is_understood, reasons)) >= 25


@pytest.mark.parametrize(
    "remark",
    [
        ", it is shorter", " because it is shorter", " (PEP 8)", " (a typo)", ", the old name says nothing", " - total says nothing",
        " so that it matches the API", "; we call it so everywhere else", ". That's what the spec calls it.", " for consistency",
        ", nobody understands total", ", our style guide says so", ", the linter complains", "… it confuses people",
        ", they only repeat the code", ", I was only using it for debugging", ", I keep confusing it",
    ],
)  # fmt: skip
def test_a_reason_changes_nothing(remark):
    sentence = f"rename total to amount{remark}"
    assert parse(sentence).intent == parse("rename total to amount").intent != Open()


@pytest.mark.parametrize(
    "remark",
    [
        ", not in half", " (not in half)", " – not in half", ", but not in half", " everywhere but in half", ", not the string",
        ", the one in half stays", ", the TODO stays", ", the first is needed", ", we need the second one", ", apart from half",
        ", it is only about load", ", that is the first one", ", those above the functions", ", the licence matters",
        ", leave half alone", " and leave half alone", ", keep the first", ", some are fine", ". The error output must survive.",
        ", I only mean the local ones", ", it is `x` that I mean", " (when it is local)", " (lines 3-10)", "; save() still needs it",
        " if it is local", ", then put the first back", ", it is right in the tests",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "request_", ["rename total to amount", "delete the prints", "delete the comments", 'replace "a" with "b"',
                 "use f-strings", "sort the imports"]
)  # fmt: skip
def test_a_restriction_leaves_the_request_open(request_, remark):
    assert not is_understood(f"{request_}{remark}")


@pytest.mark.parametrize(
    "sentence",
    [
        "The TODO stays. Delete the comments.",
        "half is fine, rename total to amount",
        "If it isn't used, delete the function load",
        "keep the first print: delete the prints",
        "delete cleanup() and its calls too",
        "rename only the first total to amount",
        "delete the prints that are in a loop",
    ],
)
def test_a_restriction_before_or_inside_a_request(sentence):
    assert not is_understood(sentence)


TEXT = "def area(w):\n    result = w\n    print(result)\n    return result\n\n\ndef load(w):\n    result = w\n    print(result)\n    return result\n"


@pytest.mark.parametrize(
    ("instruction", "changed"),
    [
        ("delete the prints, they are right in load", None),
        ("delete the prints, load calls it", None),
        ("rename result to size, load's is another", None),
        ("delete the prints, it is easier to load", 2),  # a verb
        ("delete the prints, they are right in here", None),
        ("delete the prints, they are noise", 2),
        ("delete the prints in load", 1),
        ("delete the prints that I added in load", 1),
    ],
)
def test_a_definition_that_is_spoken_of_is_a_restriction(instruction, changed):
    result = compute_edit(EditRequest("1", TEXT, instruction, path="a.py"))
    assert (None if result is None else TEXT.count("print") - result.text.count("print")) == changed
