"""The examples that stand beside the rows state their intents, the near misses none."""

from pathlib import Path

import pytest

from editd.intent import parse
from editd.intent.clause import without_politeness
from editd.intent.intents import Open
from editd.intent.matching import deciding_match, matches_of
from editd.intent.rows import ClauseLine
from editd.intent.rules import GUESSES, RULES

SENTENCES = Path(__file__).parents[2] / "fixtures" / "sentences.tsv"
EXAMPLES = [(rule, *example) for rule in RULES for example in rule.examples]
GUESSED = [example for guess in GUESSES for example in guess.examples]
NOT_GUESSED = [(guess, sentence) for guess in GUESSES for sentence in guess.near_misses]
NEAR_MISSES = [(rule, sentence) for rule in RULES for sentence in rule.near_misses]


@pytest.mark.parametrize(("rule", "sentence", "intent"), EXAMPLES, ids=[e[1] for e in EXAMPLES])
def test_an_example_states_its_intent_by_its_rule(rule, sentence, intent):
    assert parse(sentence).intent == intent
    decided_by = deciding_match(sentence)
    assert decided_by.rule is rule if decided_by else rule in _rules_matched_by(sentence)


def _rules_matched_by(sentence):
    return [match.rule for match in matches_of(sentence)]


@pytest.mark.parametrize(("rule", "sentence"), NEAR_MISSES, ids=[n[1] for n in NEAR_MISSES])
def test_a_near_miss_is_open(rule, sentence):
    assert parse(sentence).intent == Open()


@pytest.mark.parametrize(("sentence", "intent"), GUESSED, ids=[g[0] for g in GUESSED])
def test_a_guess_is_among_those_of_its_example(sentence, intent):
    assert intent in parse(sentence).guesses


@pytest.mark.parametrize(("guess", "sentence"), NOT_GUESSED, ids=[n[1] for n in NOT_GUESSED])
def test_a_near_miss_has_no_guess_of_its_kind(guess, sentence):
    kind = type(guess.examples[0][1])
    assert not any(isinstance(intent, kind) for intent in parse(sentence).guesses)


def test_each_rule_has_an_example():
    assert [rule.name for rule in (*RULES, *GUESSES) if not rule.examples] == []


def test_the_cheap_test_passes_over_no_row_that_matches():
    rows = [row for rule in RULES for row in (*rule.canonical, *rule.paraphrases)]
    matching = 0
    for entry in SENTENCES.read_text().splitlines():
        line = ClauseLine.of(without_politeness(entry.split("\t")[-1]))
        for row in rows:
            if line.slots_of(row):
                matching += 1
                assert line.may_match(row), row
    assert matching > 100
