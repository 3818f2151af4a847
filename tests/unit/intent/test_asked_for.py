"""A sentence with the words of a request that does not ask for it is left, and one that does is not."""

import pytest

from editd.intent import parse
from editd.intent.asked_for import is_asked_for
from editd.intent.intents import Open


@pytest.mark.parametrize(
    "sentence",
    [
        "No need to rename G to GRAVITY.",
        "There is no need to remove the comments.",
        "We must not sort the imports.",
        "You are not supposed to rename G to GRAVITY.",
        "Please refrain from setting STEPS to 500.",
        "We decided against setting STEPS to 500.",
        "It was wrong to rename G to GRAVITY.",
        "Nobody should rename load to read.",
        "Who renamed G to GRAVITY?",
        "Did we remove the comments already?",
        "Should we rename G to GRAVITY?",
        "What if we renamed G to GRAVITY?",
        "Rename G to GRAVITY or not?",
        "We renamed G to GRAVITY.",
        "The last commit removed the comments.",
        "Replacing 9.81 with 9.80665 broke the build.",
        "Had we renamed G to GRAVITY, it would work.",
        "Later, rename G to GRAVITY.",
        "Rename G to GRAVITY later.",
        "Rename G to GRAVITY, not now though.",
        "Remove the comments, we tried that already.",
        "Rename G to GRAVITY, its tests too.",
        "Delete handle_delete, its command included.",
        "Remove the logging import. Done already.",
        "Sort the imports. Never mind.",
        "Please do not do this: rename G to GRAVITY.",
        "Don't kill the debug prints.",
        "Last time somebody wrote: rename G to GRAVITY. That was wrong, undo it.",
        "Should we rename G to GRAVITY or not",
    ],
)
def test_what_does_not_ask_is_left(sentence):
    assert not is_asked_for(sentence)
    parsed = parse(sentence)
    assert (parsed.intent, parsed.guesses, parsed.clauses, parsed.lexical_reading) == (
        Open(),
        (),
        (),
        "",
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Rename G to GRAVITY.",
        "Could you rename G to GRAVITY?",
        "Do you mind renaming G to GRAVITY?",
        "Don't forget to delete the comments.",
        "You forgot to remove the comments.",
        "We don't use lodash any longer, remove the dependency.",
        "I renamed x to y yesterday, please update the comments.",
        "import java.util.Set as well",
        "Rename load to read. Delete drag as well.",
        "is it possible to rename load to read?",
        "Rename total to amount, in the comments too.",
        "add a parameter dry_run=False to run, I'll use it later",
        'log "we must not rename files" at the top of run',
    ],
)
def test_other_sentences_ask(sentence):
    assert is_asked_for(sentence)
