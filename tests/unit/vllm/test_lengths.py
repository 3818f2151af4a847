"""How long drafts are: by what became of earlier ones, and by what a step costs the whole batch."""

import pytest

from editd.decode.costs import CPU_SHAPE, GPU_SHAPE
from editd_vllm.costs import StepCosts
from editd_vllm.lengths import Ceiling, Lately, choose_lengths


def lately(*drafts):
    seen = Lately()
    for drafted, accepted in drafts:
        seen.observe(drafted, accepted)
    return seen


GOOD, FRESH, BAD = [(64, 64)] * 8, [], [(64, 0)] * 8


def chosen(shape, *rows, most=64):
    return choose_lengths([(lately(*row), most) for row in rows], StepCosts(shape))


def measured(shape, *steps):
    costs = StepCosts(shape)
    for num_tokens, seconds in steps:
        costs.learn(num_tokens, seconds)
    return costs


@pytest.mark.parametrize("first", [0.01, 10.0])
def test_slow_steps_do_not_silence_drafts(first):
    """A machine that was busy for the first steps, and now and then: a good draft is still verified."""
    slow = [(1, first), (65, 30 * first)] * 2
    costs = measured(CPU_SHAPE, *slow, *[(1, 0.01), (65, 0.06)] * 4, (65, 5.0), (65, 5.0))
    assert Ceiling(costs).choose([(lately(*GOOD), 64)]) == [64]


def test_the_smaller_sizes_that_never_come_follow_the_larger():
    """A step of 32 tokens that takes 7 ms says that one of 1 takes no more, whatever was believed."""
    costs = measured(GPU_SHAPE, *[(128, 0.012)] * 8, *[(32, 0.007), (128, 0.012)] * 60)
    assert costs.seconds(1) <= costs.seconds(32) == pytest.approx(0.007, rel=0.05)
    assert costs.seconds(128) == pytest.approx(0.012, rel=0.05)


def test_whoever_is_asked_alone_may_draft_long():
    """A step of two tokens may take half as long again as one of one, where one of 64 takes no longer."""
    costs = measured([(1, 1.0), (2, 1.6), (64, 1.8), (1024, 20.0)], *[(1, 0.01)] * 8)
    assert Ceiling(costs).least(1) < 0.05
    assert Ceiling(costs).least(64) > 0.15


def test_a_busy_while_makes_no_size_dear():
    """Only large steps came while the machine was four times as slow, only small ones since."""
    calm, busy = [(128, 0.012), (32, 0.007)] * 30, [(128, 0.048)] * 12
    costs = measured(GPU_SHAPE, *calm, *busy, *[(32, 0.007)] * 30)
    assert costs.seconds(32) == pytest.approx(0.007, rel=0.1)
    assert costs.seconds(128) < 0.65 * 0.048
    for num_tokens, seconds in calm[:12]:
        costs.learn(num_tokens, seconds)
    assert costs.seconds(128) / costs.seconds(32) == pytest.approx(12 / 7, rel=0.25)


def test_what_does_not_seem_to_pay_is_tried_now_and_then():
    """Wrongly believed to cost a step each, drafts come back as soon as steps say otherwise."""
    costs = measured([(1, 1.0), (1024, 1024.0)], *[(1, 0.01)] * 8)
    ceiling = Ceiling(costs)
    good = lately(*[(1, 1)] * 8)
    chosen = []
    for _ in range(2000):
        (length,) = ceiling.choose([(good, 64)])
        chosen.append(length)
        costs.learn(1 + length, 0.01)
    assert sum(chosen[:15]) == 0
    assert chosen[-1] > 8


@pytest.mark.parametrize("shape", [CPU_SHAPE, GPU_SHAPE])
def test_lengths_fall_with_the_batch(shape):
    alone, few, many = (chosen(shape, *[FRESH] * count)[0] for count in (1, 8, 64))
    assert alone >= few > many > 0


@pytest.mark.parametrize("shape", [CPU_SHAPE, GPU_SHAPE])
@pytest.mark.parametrize("count", [8, 32])
def test_who_was_rejected_of_late_is_cut_first(shape, count):
    good, *_, bad = chosen(shape, *[GOOD] * (count // 2), *[BAD] * (count // 2))
    assert good > 4 * bad


def test_where_tokens_cost_nothing_nobody_is_cut():
    assert chosen([(1, 1.0), (1024, 1.0)], GOOD, BAD, FRESH) == [64, 64, 64]


def test_where_a_token_costs_a_step_none_is_drafted_in_doubt():
    assert chosen([(1, 1.0), (1024, 1024.0)], GOOD, BAD)[1] == 0


def test_nobody_is_cut_for_ever():
    """Without drafts, what is known of the first token fades, so that one is tried again."""
    seen = lately(*BAD)
    before = seen.first
    for _ in range(200):
        seen.observe(0, 0)
    assert (before < 0.2, seen.first > 0.75) == (True, True)


@pytest.mark.parametrize(
    ("drafts", "first", "following"),
    [
        ([], (0.8, 0.8), (0.97, 0.97)),
        (GOOD, (0.95, 1.0), (0.999, 1.0)),
        (BAD, (0.0, 0.2), (0.97, 0.97)),
        ([(8, 4)] * 8, (0.95, 1.0), (0.75, 0.85)),
        ([(1, 1)] * 8, (0.95, 1.0), (0.97, 1.0)),  # a whole draft of one says little of the next
    ],
)
def test_two_chances(drafts, first, following):
    seen = lately(*drafts)
    assert first[0] <= seen.first <= first[1]
    assert following[0] <= seen.next <= following[1]
