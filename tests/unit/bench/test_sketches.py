"""Sketches that the benchmark makes of the changes that pasted answers make, in plain ways: most are read right."""

from collections import Counter

from benchmarks.apply.__main__ import PLAIN, plain
from benchmarks.apply.answers import pairs_of
from editd.apply import Merged, merge
from tests.fixtures.pasted import read_answers, shown_text


def test_the_same_changes_in_plain_sketches_are_read_right():
    found = Counter()
    for case in plain([*pairs_of(read_answers())][::2], list(PLAIN)):
        result = merge(case.text, case.sketch, path=case.path)
        found[case.style] += 1
        found[case.style, "right"] += shown_text(result) == case.right_text
        surely = isinstance(result, Merged) or (result.reading and result.reading.is_confident)
        found["wrong"] += bool(surely) and shown_text(result) != case.right_text
    assert not found["wrong"]
    for style, least in zip(PLAIN, (0.95, 0.9, 0.85, 0.75, 0.7), strict=True):
        assert found[style, "right"] >= least * found[style], style
