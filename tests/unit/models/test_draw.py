"""A draft model's own draws: as the target draws, or with noise and a distribution of their own."""

import pytest
import torch

from editd.decode.target import GREEDY, Sampling
from editd.models.torch.sampling import choose, draw
from tests.distributions import target_probs

VOCAB, MANY = 12, 2500


def logits(seed=0, rows=1):
    generator = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(rows, VOCAB, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize(
    "sampling",
    [
        GREEDY,
        Sampling(temperature=0.7, seed=3),
        Sampling(temperature=1.3, top_k=4, seed=4),
        Sampling(temperature=1.0, top_p=0.8, seed=5),
    ],
)
def test_shared_noise_draws_what_the_target_draws(sampling):
    for place in range(50):
        row = logits(place)
        drawn = draw(row.clone(), sampling, place)
        (choice,) = choose(row.clone(), sampling, [place], [5]).choice_ids
        assert drawn.token_id == choice
        assert drawn.probs is None
        assert 0 < drawn.chance <= 1


@pytest.mark.parametrize("sampling", [Sampling(1.0, seed=1), Sampling(0.8, top_p=0.9, seed=2)])
def test_independent_draws_follow_the_distribution_that_they_name(sampling):
    row = logits()
    expected = target_probs(row.clone(), sampling)[0]
    counts, agreeing = torch.zeros(VOCAB), 0
    for place in range(MANY):
        drawn = draw(row.clone(), sampling, place, independent=True)
        counts[drawn.token_id] += 1
        assert drawn.chance == pytest.approx(float(drawn.probs[drawn.token_id]))
        agreeing += drawn.token_id == draw(row.clone(), sampling, place).token_id
    assert torch.allclose(torch.from_numpy(drawn.probs), expected)
    assert torch.allclose(counts.double() / MANY, expected, atol=0.03)
    # Two independent draws agree by chance alone.
    assert agreeing / MANY == pytest.approx(float((expected**2).sum()), abs=0.04)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(1.0, seed=1)])
@pytest.mark.parametrize("independent", [False, True])
def test_only_what_is_allowed_is_drawn(sampling, independent):
    for place in range(30):
        drawn = draw(logits(place), sampling, place, allowed=[2, 7], independent=independent)
        assert drawn.token_id in (2, 7)


def test_a_greedy_draw_says_how_sure_it_is():
    row = torch.tensor([[0.0, 2.0, 1.0]], dtype=torch.bfloat16)
    drawn = draw(row.clone(), GREEDY, 0)
    assert drawn.token_id == 1
    assert drawn.chance == pytest.approx(float(row.float().softmax(-1)[0, 1]), abs=1e-3)
