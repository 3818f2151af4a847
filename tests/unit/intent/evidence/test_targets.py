"""A request for something described says what is meant by its own words, or by those of the clause beside it."""

import pytest

from editd.intent.evidence import BufferFacts
from editd.intent.evidence.targets import read_targets

FACTS = BufferFacts("python", frozenset(["load", "save", "remove", "old_slug"]), frozenset())


def check(sentence):
    """The action, the noun, the words that have to fit with their places, those that may, and how many are meant."""
    found = [(x.intent.action, x.intent.target) for x in read_targets(sentence, FACTS)]
    if not found:
        return None
    [(action, target)] = found
    words = [f"{x.where} {x.text}".strip() for x in target.required]
    may = [x.text for x in target.optional if x.text != target.noun]
    return action, target.noun, words, may, target.count


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("drop the sleep in load", ("delete", "", ["sleep", "in load"], [], 1)),
        ("the timeout option is ignored anyway, lose it", ("delete", "option", [], ["timeout", "ignored", "anyway"], 1)),
        ("could you please get rid of the 'walked' log?", ("delete", "log", ["walked"], [], 1)),
        ("june is over: old_slug goes", ("delete", "", ["old_slug"], [], 1)),
        ("the deprecated remove can go", ("delete", "", ["remove"], ["deprecated"], 1)),
        ("the pause after upload makes no sense → out", ("delete", "", [], ["pause", "upload"], 1)),
        ("both retry prints must go", ("delete", "print", ["retry"], [], 2)),
        ("take the noisy prints in load out", ("delete", "print", ["in load"], ["noisy"], 0)),
        ("println noise in load and save out please", ("delete", "println", ["in load"], [], 0)),
        ("the comment above save is wrong, away with it", ("delete", "comment", [], ["save", "wrong"], 1)),
        ("no comment needed about the cache", ("delete", "comment", ["cache"], [], 1)),
        ("the todo about retries won't happen, delete", ("delete", "comment", [], ["todo", "retries", "happen"], 1)),
        ("remove the last print", ("delete", "print", [], [], 1)),
        ("stop popping _raw, we need it", ("delete", "", ["popping", "_raw"], [], 1)),
        ("we don't need the retry comment", ("delete", "comment", ["retry"], [], 1)),
        ("comment out the upload for a dry run", ("comment", "", ["upload"], ["dry", "run"], 1)),
        ("npm audit fails, comment that step until monday", ("comment", "step", [], ["npm", "audit", "fails"], 1)),
        ("disable the upload (comment, don't delete)", ("comment", "", ["upload"], [], 1)),
        ("turn the healthcheck back on", ("uncomment", "", ["healthcheck"], [], 1)),
        ("the flash call in save: uncomment", ("uncomment", "call", [], ["flash", "save"], 1)),
        ("tls should be active again", ("uncomment", "", ["tls"], [], 1)),
    ],
)  # fmt: skip
def test_what_is_meant(sentence, expected):
    assert check(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "remove the prints except the one in load",
        "drop the sleep if the queue is empty",
        "delete the second print",
        "drop gold when the player dies",
        "remove the sleep or the flush",
        "remove the sleep, rename load to read",
        "remove the sleep and drop the flush, keep it simple",
        "delete all prints",  # of the file: others read that
        "comments can go",
        "comment the load function",  # explain it?
        "please comment this method",
        "delete the print in load, the one in save stays",
        "make load faster",
        "the sleep is needed",
    ],
)
def test_what_narrows_or_asks_for_more_is_left(sentence):
    assert check(sentence) is None


@pytest.mark.parametrize(
    ("sentence", "with_comment", "words"),
    [
        ("old_slug with its comment can go", True, ["old_slug"]),
        ("delete old_slug and the comment above it", True, ["old_slug"]),
        ("old_slug incl. the jsdoc can be deleted", True, ["old_slug"]),
        ("delete the comment above old_slug", False, ["old_slug"]),
    ],
)
def test_the_comment_of_a_thing_goes_with_it(sentence, with_comment, words):
    [found] = read_targets(sentence, FACTS)
    target = found.intent.target
    assert (target.with_comment, [x.text for x in target.required]) == (with_comment, words)
