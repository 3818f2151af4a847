"""Chain or tree by cost: what is cheap is verified, what is dear is not, and the text is the same.

``decode`` compares every answer with the one that the target writes alone.
"""

import random
from dataclasses import replace

import pytest

from editd.decode.costs import RoundCosts
from editd.decode.drafters import make_drafter
from editd.decode.drafters.guesses import DraftChoice
from tests.model_free_codec import PseudoCodec
from tests.replay.cost_profiles import PROFILES
from tests.unit.decode.drafting import decode, task

BEFORE = "".join(f"def step_{i}(first, last):\n    return f({i % 3}, first)\n\n" for i in range(30))
AFTER = BEFORE.replace("f(1, first)", "g(last, 1)").replace("step_7(", "start(self, ")
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Costs:
    """Rounds cost 1 and ``a_row`` more a row, trees ``times`` as much."""

    def __init__(self, a_row=0.0, times=1.0):
        self.a_row, self.times = a_row, times

    again_row = 0.0

    def seconds(self, num_tokens, context, *, tree=False):
        return (1.0 + self.a_row * num_tokens) * (self.times if tree else 1.0)

    def learn(self, num_tokens, context, seconds, *, tree=False):
        pass


def rounds(spec, costs, *, trees=True):
    known = replace(task(PseudoCodec(), BEFORE), costs=costs, trees=trees)
    return decode(spec, BEFORE, AFTER, drafter=make_drafter(spec, known))


def num_trees(done):
    return sum(one.draft.parents is not None for one in done)


@pytest.mark.parametrize(
    ("spec", "costs", "trees", "branches"),
    [
        ("buffer+suffix", Costs(), True, True),
        ("buffer+suffix", Costs(times=50.0), True, False),
        ("buffer+suffix", Costs(), False, False),
        ("buffer+suffix", None, True, False),
        ("buffer:chain+suffix", Costs(), True, False),
        ("buffer:tree+suffix", Costs(times=50.0), True, True),
        ("buffer:tree+suffix", None, False, False),
        ("suffix", Costs(), True, True),
        ("suffix:tree", Costs(), False, False),
    ],
)
def test_trees_where_they_pay_and_can_be_verified(spec, costs, trees, branches):
    assert bool(num_trees(rounds(spec, costs, trees=trees))) is branches


def test_what_nothing_is_known_of_is_a_chain():
    assert num_trees(rounds("buffer+suffix", RoundCosts())) == 0


def test_dear_rows_are_fewer():
    rejected = [
        sum(one.num_drafted - one.num_accepted for one in rounds("buffer+suffix", Costs(a_row)))
        for a_row in (0.0, 0.1, 0.3)
    ]
    assert rejected[0] > rejected[1] > rejected[2]


def test_no_guess_is_dearer_than_writing_it_alone():
    """Of 8-bit weights two rows may take longer than two passes: a guess that is right saves one."""

    class Steep(Costs):
        def seconds(self, num_tokens, context, *, tree=False):
            return 3.0 if num_tokens == 1 else 7.0 + max(num_tokens, 8) / 1.1

    choice = DraftChoice(replace(task(PseudoCodec(), BEFORE), costs=Steep()), "auto")

    def drafted(*guesses):
        tree = choice.guesses(32)
        parent = -1
        for token_id, chance in enumerate(guesses):
            parent = tree.add(parent, token_id, chance, "suffix")
        return len(choice.draft(tree, 32, 0))

    assert drafted(*[0.95] * 32) == 32  # a round that is dear, and pays
    assert drafted(0.95) == drafted(0.95, 0.9) == 0


def test_a_chain_that_is_longer_than_the_likeliest_path_can_be_drafted():
    """Its last tokens are unlikely, and worth more than they are likely, since the copy ends right after."""
    choice = DraftChoice(replace(task(PseudoCodec(), BEFORE), costs=Costs(times=0.9)), "auto")
    tree = choice.guesses(4)
    tree.add_copy(-1, [3, 1, 3, 3, 1, 2], 0.12, 0.2, "suffix", 2.0)
    draft = choice.draft(tree, 4, 0)
    assert (draft.parents, len(draft)) == (None, len(tree.path_of_most(4)) + 1)


def test_guesses_that_cannot_pay_are_not_looked_into():
    dear, cheap = (
        make_drafter("suffix", replace(task(PseudoCodec(), BEFORE), costs=Costs(a_row)))
        for a_row in (9.0, 0.0)
    )
    assert dear.choice.guesses(16).least > 10 * cheap.choice.guesses(16).least


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_the_choice_is_as_fast_as_the_better_of_both(profile):
    times = [(k, profile.seconds(k, 0)) for k in SIZES]

    def took(spec):
        costs = RoundCosts(times=times)
        return sum(profile.seconds(one.num_drafted + 1, 0) for one in rounds(spec, costs))

    better = min(took("buffer:chain+suffix"), took("buffer:tree+suffix"))
    assert took("buffer+suffix") <= 1.01 * better


@pytest.mark.parametrize("seed", range(6))
def test_costs_that_mean_nothing_change_no_text(seed):
    rng = random.Random(seed)

    class Wild(Costs):
        def seconds(self, num_tokens, context, *, tree=False):
            return rng.choice((0.0, 1e-9, 1.0, 1e9))

    rounds("buffer+suffix", Wild())
