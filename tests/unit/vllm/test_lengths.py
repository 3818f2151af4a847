"""How long drafts are: by what became of earlier ones, and by what a step costs the whole batch."""

import pytest

from editd.decode.costs import CPU_SHAPE, GPU_SHAPE, RoundCosts, Sample
from editd_vllm.lengths import Lately, choose_lengths


def lately(*drafts):
    seen = Lately()
    for drafted, accepted in drafts:
        seen.observe(drafted, accepted)
    return seen


GOOD, FRESH, BAD = [(64, 64)] * 8, [], [(64, 0)] * 8


def chosen(shape, *rows, most=64):
    costs = RoundCosts(shape, [Sample(1, 0, 0.01)])
    return choose_lengths([(lately(*row), most) for row in rows], costs)


def test_before_anything_was_measured_all_is_verified():
    assert choose_lengths([(lately(*BAD), 64)], RoundCosts(CPU_SHAPE)) == [64]


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
    for _ in range(20):
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
