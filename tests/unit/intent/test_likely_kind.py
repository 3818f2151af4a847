"""The kind of a sentence by weights: clear ones are told, what takes understanding is open; their features are what they say."""

import pytest

from editd.intent.likely_kind import OPEN, features_of, kinds_of

NAMES = frozenset(["load", "total_sum", "count", "Cart"])


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("isort would weep at these imports, put them in order", "sort_imports"),
        ("my console drowns in prints, get them all out", "prints_delete"),
        ("load leaks its file handle, a with statement would be nice", "with_open"),
        ("total_sum is a silly name, I'd go for grand_total", "rename"),
        ("every string in here with single quotes please", "quotes"),
        ("make load faster", OPEN),
        ("why is count off by one?", OPEN),
        ("write tests for Cart", OPEN),
    ],
)
def test_kind(sentence, kind):
    assert next(iter(kinds_of(sentence, NAMES))) == kind


def test_probabilities():
    odds = kinds_of("", NAMES)
    assert sum(odds.values()) == pytest.approx(1)
    assert list(odds.values()) == sorted(odds.values(), reverse=True)


def test_features():
    found = features_of("rename total_sum to `x`, not 3 or load()", NAMES)
    assert {
        "rename",
        "<name>",
        "rename <name>",
        "rename _ to",
        "to <code>",
        "<number>",
        "<call>",
        "enam*",
    } <= found
    assert "<new>" in features_of("call it grand_total", NAMES)
