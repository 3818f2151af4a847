"""The window by cost: what is cheap is filled, what is rejected is not."""

import pytest

from editd.decode.window import CostTable, FixedWindow, Sample, WindowPolicy, expected_tokens


def flat_then_steep(knee, seconds=0.004, slope=0.00003):
    return [
        Sample(k, 1024, max(seconds, slope * seconds / slope / knee * k))
        for k in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
    ]


@pytest.mark.parametrize(
    ("num_drafted", "acceptance", "tokens"),
    [(0, 0.5, 1.0), (3, 0.5, 1.875), (4, 1.0, 5.0), (100, 0.0, 1.0)],
)
def test_expected_tokens(num_drafted, acceptance, tokens):
    assert expected_tokens(num_drafted, acceptance) == pytest.approx(tokens)


def test_costs_are_linear_between_samples_and_beyond_them():
    table = CostTable([Sample(1, 0, 1.0), Sample(3, 0, 2.0), Sample(3, 0, 9.0), Sample(1, 10, 2.0)])
    assert table.seconds(2, 0) == pytest.approx(1.5)
    assert table.seconds(5, 0) == pytest.approx(3.0)
    assert table.seconds(1, 5) == pytest.approx(1.5)
    assert table.seconds(1, 20) == pytest.approx(3.0)


def test_costs_do_not_fall_with_more_work():
    table = CostTable([Sample(1, 0, 2.0), Sample(8, 0, 1.0)])
    assert table.seconds(16, 0) == pytest.approx(2.0)


def test_no_samples_is_an_error():
    with pytest.raises(ValueError, match="at least one sample"):
        CostTable([])


def test_what_costs_nothing_is_filled():
    policy = WindowPolicy([Sample(1, 0, 0.004), Sample(512, 0, 0.004)], most=300)
    assert policy.next(1000) == 300


def test_the_window_moves_with_the_knee():
    small = WindowPolicy(flat_then_steep(16), most=512).next(1024)
    large = WindowPolicy(flat_then_steep(128), most=512).next(1024)
    assert small < large


def test_the_window_shrinks_with_rejections_and_grows_with_acceptance():
    policy = WindowPolicy(flat_then_steep(16), most=512)
    start, before = policy.next(1024), policy.acceptance
    for _ in range(30):
        policy.observe(32, 1)
    assert policy.acceptance < before
    shrunk = policy.next(1024)
    assert shrunk < start
    for _ in range(60):
        policy.observe(64, 64)
    assert policy.next(1024) > shrunk


def test_an_empty_draft_says_nothing():
    policy = WindowPolicy(flat_then_steep(16), most=64)
    before = policy.acceptance
    policy.observe(0, 0)
    assert policy.acceptance == before


def test_a_fixed_window_is_fixed():
    window = FixedWindow(7)
    window.observe(7, 0)
    assert window.next(10**6) == 7
