"""Instructions of somebody who had not seen the rules: none is carried out wrongly, and open ones are left to a model."""

from collections import Counter

import pytest

from tests.fixtures.instructions import SETS, THIRD, UNSEEN, instructions, paraphrases


def test_words_alone_decide_most_and_nothing_wrongly():
    found = Counter((one.kind == "open", one.outcome()) for one in instructions())
    assert found[True, "left"] == 40
    assert found[False, "right"] >= 233
    assert sum(found.values()) == 300
    assert not {outcome for _, outcome in found} & {"wrong", "unchanged"}


def test_of_the_second_set_most_is_done_and_nothing_wrongly():
    found = Counter((one.kind == "open", one.outcome()) for one in instructions(UNSEEN))
    assert found[True, "left"] == 20
    assert found[False, "right"] >= 120
    assert not {outcome for _, outcome in found} & {"wrong", "unchanged"}


def test_of_the_third_set_most_is_done_and_nothing_wrongly():
    found = Counter((one.kind == "open", one.outcome()) for one in instructions(THIRD))
    assert found[True, "left"] == 30
    assert found[False, "right"] >= 150
    assert not {outcome for _, outcome in found} & {"wrong", "unchanged"}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("fourth", 180, 0),
        ("fifth", 170, 0),
        ("sixth", 172, 0),
        ("seventh", 110, 0),
        ("eighth", 88, 0),
        ("ninth", 103, 4),
        ("tenth", 108, 1),
        ("eleventh", 70, 1),
        ("twelfth", 64, 0),
    ],
)
def test_of_the_later_sets_most_is_done_and_nothing_open(name, right, wrong):
    found = [(x.kind, x.outcome()) for x in instructions(SETS[name])]
    assert {outcome for kind, outcome in found if kind == "open"} == {"left"}
    outcomes = [outcome for _, outcome in found]
    assert outcomes.count("right") >= right
    assert outcomes.count("wrong") + outcomes.count("unchanged") <= wrong


def test_paraphrases_are_carried_out_and_open_ones_left():
    others = [
        (one.kind, one.outcome(), one.sentence)
        for one in paraphrases()
        if one.outcome() != ("left" if one.kind == "open" else "right")
    ]
    assert others == []
