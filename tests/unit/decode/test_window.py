"""The window by cost: what is cheap is filled, what is rejected is not."""

import random

import pytest

from editd.decode.costs import CPU_SHAPE, GPU_SHAPE, QUANTISED_CPU_SHAPE, RoundCosts
from editd.decode.window import FixedWindow, Survival, WindowPolicy

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def flat_then_steep(knee, seconds=0.004):
    return RoundCosts(times=[(k, max(seconds, seconds / knee * k)) for k in SIZES])


def test_costs_are_linear_between_sizes():
    costs = RoundCosts(times=[(1, 1.0), (2, 1.5), (4, 2.5)])
    assert costs.seconds(3, 0) == pytest.approx(2.0)
    assert costs.seconds(4, 0) - costs.seconds(3, 0) == pytest.approx(0.5)


def test_costs_do_not_fall_with_more_work():
    """What took longer than more rows do was disturbed."""
    costs = RoundCosts(times=[(1, 2.0), (8, 1.0)])
    assert costs.seconds(1, 0) == costs.seconds(8, 0) == pytest.approx(1.0)


@pytest.mark.parametrize("shape", [CPU_SHAPE, QUANTISED_CPU_SHAPE, GPU_SHAPE])
def test_sizes_that_nobody_tried_have_the_shape_of_their_kind(shape):
    costs = RoundCosts(shape, [(1, 0.1)])
    for size, relative in shape:
        assert costs.seconds(size, 0) == pytest.approx(0.1 * relative)


def test_nothing_known_costs_nothing_and_is_no_error():
    assert RoundCosts().seconds(10, 10) == 0.0
    assert WindowPolicy(RoundCosts(), most=64).next(100) > 0


def test_a_context_costs_what_its_rounds_cost():
    costs = RoundCosts(times=[(16, 0.010)] * 3)
    for number in range(400):
        context = 500 + 5000 * (number % 4)
        costs.learn(16, context, 0.010 + 2e-6 * context)
    assert costs.seconds(16, 10_000) == pytest.approx(0.030, rel=0.1)
    assert costs.seconds(16, 500) == pytest.approx(0.011, rel=0.1)


def test_many_rows_pay_for_a_context_many_times():
    """On a CPU each row multiplies all that is cached: 0.1 ms a row and 1,000 tokens here."""
    costs = RoundCosts(times=[(rows, 0.010 * rows) for rows in (4, 64)] * 3)
    for number in range(600):
        rows, context = (4, 64)[number % 2], 500 + 1500 * (number % 3)
        costs.learn(rows, context, 0.010 * rows + 1e-7 * rows * context)
    for rows in (4, 64):
        expected = 0.010 * rows + 1e-7 * rows * 3000
        assert costs.seconds(rows, 3000) == pytest.approx(expected, rel=0.1)


def test_one_disturbed_round_changes_little():
    costs = flat_then_steep(16)
    for _ in range(20):
        costs.learn(32, 0, costs.seconds(32, 0))
    before = costs.seconds(32, 0)
    costs.learn(32, 0, 1000 * before)
    assert costs.seconds(32, 0) < 1.2 * before


@pytest.mark.parametrize("rows", [1, 4, 32, 256])
def test_a_machine_that_became_slower_or_faster_is_noticed(rows):
    costs = flat_then_steep(16)
    before = costs.seconds(rows, 0)
    for times in (5.0, 1.0):
        for _ in range(90):
            costs.learn(rows, 0, times * before)
        assert costs.seconds(rows, 0) == pytest.approx(times * before, rel=0.1)


def busy(rng, seconds):
    """Every third time something else runs, and a pass takes up to ten times as long."""
    return seconds * (1.0 if rng.random() < 0.67 else rng.uniform(1.5, 10.0))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("shape", [CPU_SHAPE, QUANTISED_CPU_SHAPE], ids=["float", "quantised"])
def test_a_busy_machine_changes_what_is_done_little(shape, seed):
    """An edit of 700 tokens is as fast with costs that were measured and learned on a busy machine."""
    rng = random.Random(seed)
    true = RoundCosts(shape, shape)

    def spent(costs, disturbed):
        policy, written, took = WindowPolicy(costs, most=255), 0, 0.0
        while written < 700:
            window = policy.next(0)
            seconds = true.seconds(window + 1, 0)
            policy.observe(window, window)
            policy.learn_round(window + 1, 0, disturbed(seconds))
            written, took = written + window + 1, took + seconds
        return took / written

    noisy = RoundCosts(shape)
    for size, took in shape:
        noisy.record_measurement(size, busy(rng, took))
    for _ in range(5):
        spent(noisy, lambda seconds: busy(rng, seconds))
    assert spent(noisy, lambda seconds: busy(rng, seconds)) < 1.3 * spent(true, lambda took: took)


def test_one_size_that_was_disturbed_is_no_reason_to_avoid_it():
    times = list(CPU_SHAPE)
    times[2] = (16, 30.0)
    assert RoundCosts(CPU_SHAPE, times).seconds(16, 0) == pytest.approx(4.1)  # as 32 rows
    costs = RoundCosts(CPU_SHAPE, times[:2])
    costs.learn(16, 0, 300.0)
    assert costs.seconds(16, 0) < 5.0


def test_a_size_that_was_dear_for_a_while_is_tried_again():
    """A few rounds on a busy machine must not end drafting for good, nor plain rounds change what is usual."""
    kept = {**RoundCosts().as_json(), "seconds": {"1": 0.01, "32": 7.0}}
    costs = RoundCosts.restored(kept, QUANTISED_CPU_SHAPE)
    rounds = 0
    while costs.seconds(33, 0) > 33 * costs.seconds(1, 0) and rounds < 100:  # no draft pays
        costs.learn(1, 0, 0.01)
        rounds += 1
    assert 0 < rounds < 100
    usual = RoundCosts(CPU_SHAPE, [(size, 0.01 * took) for size, took in CPU_SHAPE])
    before = [usual.seconds(size, 0) for size in SIZES]
    for _ in range(100):
        usual.learn(1, 0, 0.01)
    assert [usual.seconds(size, 0) for size in SIZES] == pytest.approx(before)


def test_before_anything_was_measured_the_shape_decides():
    cheap, dear = RoundCosts(CPU_SHAPE, alone=0.05), RoundCosts(QUANTISED_CPU_SHAPE, alone=0.05)
    assert cheap.sizes == dear.sizes == ()
    assert cheap.seconds(1, 0) == dear.seconds(1, 0) == pytest.approx(0.05)
    assert WindowPolicy(dear, most=255).next(0) < 255
    cheap.learn(32, 0, 1.0)  # what a first round has taken says how long all take
    assert cheap.seconds(1, 0) == pytest.approx(1.0 / 4.1)


def test_costs_survive_being_kept():
    costs = flat_then_steep(16)
    costs.learn(16, 8192, 0.02)
    again = RoundCosts.restored(costs.as_json(), GPU_SHAPE)
    for size in (1, 3, 100, 900):
        assert again.seconds(size, 3000) == pytest.approx(costs.seconds(size, 3000))


@pytest.mark.parametrize(
    ("key", "damaged"),
    [
        (key, damaged)
        for key in RoundCosts().as_json()
        for damaged in (
            [1],
            "1",
            None,
            -1,
            10**400,
            float("nan"),
            {"1": 10**400},
            {"1": [1]},
            {"x": 1},
        )
    ],
)
def test_damaged_figures_are_refused(key, damaged):
    with pytest.raises((ValueError, TypeError)):
        RoundCosts.restored({**RoundCosts().as_json(), key: damaged}, GPU_SHAPE)


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"seconds": {"3": 1.0}, "seconds_per_4096_of_context": 0.0},
        {"seconds": {"1": -1.0}, "seconds_per_4096_of_context": 0.0},
        {"seconds": {"1": "fast"}, "seconds_per_4096_of_context": 0.0},
        {"seconds": {"1": 1.0}, "seconds_per_4096_of_context": float("nan")},
        {**RoundCosts().as_json(), "trees_by_chains": {"16": 0.0}},
        {**RoundCosts().as_json(), "trees_by_chains": {"3": 1.0}},
        {"seconds": [1.0], "seconds_per_4096_of_context": 0.0},
    ],
)
def test_what_was_not_kept_by_us_is_refused(kept):
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        RoundCosts.restored(kept, GPU_SHAPE)


def test_trees_are_measured_apart():
    costs = flat_then_steep(16)
    assert costs.seconds(64, 100, tree=True) == costs.seconds(64, 100)  # until one was seen
    chain = costs.seconds(64, 0)
    for _ in range(60):
        costs.learn(64, 0, 3 * chain, tree=True)
    assert costs.seconds(64, 0) == chain
    assert costs.seconds(64, 0, tree=True) == pytest.approx(3 * chain, rel=0.05)
    assert costs.seconds(256, 0, tree=True) == pytest.approx(3 * costs.seconds(256, 0), rel=0.05)
    again = RoundCosts.restored(costs.as_json(), GPU_SHAPE)
    assert again.seconds(64, 0, tree=True) == costs.seconds(64, 0, tree=True)


def test_survival_is_the_share_that_got_so_far():
    survival = Survival(4.0)
    for _ in range(200):
        survival.observe(8, 8)
        survival.observe(8, 0)
    (one, _), (eight, _) = survival.expected_tokens([1, 8])
    assert one == pytest.approx(1.5, abs=0.05)  # every second draft begins right …
    assert eight == pytest.approx(1 + 8 * 0.5, abs=0.4)  # … and what begins right goes on


def test_a_short_draft_says_nothing_about_a_long_one():
    survival = Survival(64.0)
    before = [tokens for tokens, _ in survival.expected_tokens([4, 64])]
    for _ in range(50):
        survival.observe(4, 4)
    after = [tokens for tokens, _ in survival.expected_tokens([4, 64])]
    assert after[1] - after[0] >= before[1] - before[0]
    assert after[1] < 4 + 1 + 60 * 0.75  # deep tokens are still believed to break off


def test_what_costs_nothing_is_filled():
    costs = RoundCosts(times=[(size, 0.004) for size in SIZES])
    assert WindowPolicy(costs, most=300).next(1000) == 300


def test_the_window_moves_with_the_knee():
    small = WindowPolicy(flat_then_steep(16), most=512).next(1024)
    large = WindowPolicy(flat_then_steep(128), most=512).next(1024)
    assert small < large


def test_the_window_shrinks_with_rejections_and_grows_with_acceptance():
    policy = WindowPolicy(flat_then_steep(16), most=512)
    start = policy.next(1024)
    for _ in range(30):
        policy.observe(32, 1)
    shrunk = policy.next(1024)
    assert shrunk < start
    policy.observe(shrunk, shrunk)  # a copy goes on: what was known of copies still holds
    assert policy.next(1024) >= start


def test_the_window_follows_what_rounds_really_take():
    policy = WindowPolicy(flat_then_steep(16), most=512)
    before = policy.next(0)
    for _ in range(60):
        for size in SIZES:
            policy.learn_round(size, 0, 0.004 * max(1.0, size / 128))
    assert policy.next(0) > before


def test_an_empty_draft_says_nothing():
    policy = WindowPolicy(flat_then_steep(16), most=64)
    before = policy.next(1024)
    policy.observe(0, 0)
    assert policy.next(1024) == before


def test_a_narrow_window_is_no_trap():
    """Where two rows cost more than two passes, one token is never drafted, and nothing is learned."""
    seconds = {1: 3.0, 2: 8.0, 4: 11.0, 8: 16.0, 16: 17.0, 32: 34.0}
    costs = RoundCosts(times=list(seconds.items()))
    policy = WindowPolicy(costs, most=512)
    wide = policy.next(0)
    for _ in range(100):
        policy.observe(policy.next(0), 0)
    assert policy.next(0) < 4 < wide
    policy.observe(0, 0)
    assert policy.next(0) == wide


def test_a_fixed_window_is_fixed():
    window = FixedWindow(7)
    window.observe(7, 0)
    window.learn_round(8, 0, 1.0)
    assert window.next(10**6) == 7


SHAPE = [(size, 0.75 + 0.25 * size) for size in SIZES]


def drafted_by(policy, seconds_of, accepted_of, rounds=200):
    """Seconds that ``rounds`` took, the tokens they brought, and how often nothing was drafted."""
    total, tokens, idle, unread = 0.0, 0, 0, 0
    for _ in range(rounds):
        window = policy.next(0)
        accepted = min(accepted_of(), window)
        seconds = seconds_of(window + 1, unread)
        policy.observe(window, accepted)
        if unread:
            policy.learn_reread_round(window + 1, 0, seconds, unread)
        else:
            policy.learn_round(window + 1, 0, seconds)
        unread = accepted + 1 if accepted < window and seconds_of(1, 1) > seconds_of(1, 0) else 0
        total, tokens, idle = total + seconds, tokens + accepted + 1, idle + (window == 0)
    return total, tokens, idle


@pytest.mark.parametrize("again", [0.0, 0.5, 1.0])
def test_the_price_of_reading_again_is_learned_and_makes_windows_narrower(again):
    """Rows cost a quarter, and drafts break off after some six tokens."""
    rng = random.Random(4)
    costs = RoundCosts(SHAPE, times=[(size, 0.75 + 0.25 * size) for size in SIZES])
    policy = WindowPolicy(costs, most=64)
    drafted_by(
        policy,
        lambda rows, unread: 0.75 + 0.25 * rows + again * unread,
        lambda: int(rng.expovariate(1 / 6)),
    )
    assert costs.again_row == pytest.approx(again, abs=0.02)
    assert costs.seconds(16, 0) == pytest.approx(0.75 + 0.25 * 16, rel=0.05)
    free = RoundCosts(SHAPE, times=[(size, 0.75 + 0.25 * size) for size in SIZES])
    unpriced = WindowPolicy(free, most=64)
    unpriced._survival = policy._survival
    assert unpriced.next(0) >= policy.next(0)
    assert (again < 1.0) or unpriced.next(0) > policy.next(0)


def test_drafts_that_lose_are_given_up_but_for_a_try_now_and_then():
    """A mixture of experts whose wide passes take more than was measured: with a draft each token costs double."""
    rng = random.Random(5)
    costs = RoundCosts(times=[(size, 1.0 + 0.1 * size) for size in SIZES])
    policy = WindowPolicy(costs, most=64)
    policy._costs = Fixed(costs)
    total, tokens, idle = drafted_by(
        policy,
        lambda rows, _: 1.1 if rows == 1 else 1.1 * 3 + rows,
        lambda: rng.choice([0, 1, 2]),
        rounds=4000,
    )
    assert idle > 3950
    assert total < 1.1 * 1.1 * tokens


def test_drafts_that_save_are_not_given_up():
    rng = random.Random(6)
    costs = RoundCosts(times=[(size, 1.0 + 0.1 * size) for size in SIZES])
    policy = WindowPolicy(costs, most=64)
    _, _, idle = drafted_by(
        policy, lambda rows, _: 1.0 + 0.1 * rows, lambda: rng.choice([0, 3, 9, 30, 60])
    )
    assert idle == 0


class Fixed:
    """Costs that learn nothing."""

    again_row = 0.0

    def __init__(self, costs):
        self.seconds = costs.seconds

    def learn(self, *_, **__):
        pass


def test_windows_and_the_last_token_fill_what_kernels_compute_together():
    costs = RoundCosts(times=[(size, 0.1 * -(-size // 16)) for size in SIZES])
    assert WindowPolicy(costs, most=255).next(0) % 16 == 15
