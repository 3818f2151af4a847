"""Rounds that all have the same long context take nothing from the time of their rows but a part."""

import pytest

from editd.decode.costs import GPU_SHAPE, RoundCosts


def test_rows_keep_a_part_of_the_time():
    costs = RoundCosts()
    costs.record_measurement(1, 0.03)
    for _ in range(5000):
        costs.learn(1, 2048, 0.027)
    assert costs.seconds(1, 0) > 0.25 * 0.027 / 2
    assert abs(costs.seconds(1, 2048) - 0.027) < 0.003


def test_figures_without_a_time_are_not_restored():
    figures = RoundCosts().as_json() | {"seconds": {"1": 1e-9}}
    with pytest.raises(ValueError, match="not a figure"):
        RoundCosts.restored(figures, GPU_SHAPE)
