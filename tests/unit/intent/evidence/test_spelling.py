"""Words for edits are mended, and words that are a name of the buffer become that; all others stay."""

import pytest

from editd.intent.evidence.spelling import with_names_joined, with_typos_mended

KNOWN = frozenset(["log_level", "box-shadow", "level", "remov", "max_age", "of_a"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the sleep can be deletd", "the sleep can be deleted"),
        ("please remvoe the retry", "please remove the retry"),
        ("turn it on agian", "turn it on again"),
        ("comemnt it out", "comment it out"),
        ("the remote call", "the remote call"),  # another word
        ("both prints", "both prints"),
        ("drop remov", "drop remov"),  # a name
        ("drop `delet`", "drop `delet`"),
        ("drop delet()", "drop delet()"),
        ("rename f to remvoe", "rename f to remvoe"),  # a new name
        ("call it something pritn", "call it something pritn"),
    ],
)
def test_typos(text, expected):
    assert with_typos_mended(text, KNOWN) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("drop the log level", "drop the `log_level`"),
        ("the Box shadow of cards", "the `box-shadow` of cards"),
        ("log the level", "log the level"),
        ("part of a list", "part of a list"),  # too short for a name
        ("the `log level`", "the `log level`"),
    ],
)
def test_names_in_several_words(text, expected):
    assert with_names_joined(text, KNOWN) == expected
