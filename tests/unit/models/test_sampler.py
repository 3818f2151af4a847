"""Choices follow transformers' distribution, the noise its key, and drafts the rejection rule."""

from __future__ import annotations

import itertools

import pytest
import torch
from transformers import LogitsProcessorList
from transformers.generation import logits_process as hf

from editd.decode.target import GREEDY, Sampling
from editd.models.sampling import _FIRST_CANDIDATES
from editd.models.torch.sampling import choose
from tests.distributions import target_probs

VOCAB_SIZE = 12
MANY = 20_000
# Chi-square with 11 degrees of freedom exceeds this once in a hundred thousand.
LIMIT = 43.0


def random_logits(rows, vocab_size=VOCAB_SIZE, seed=0, spread=2.0):
    generator = torch.Generator().manual_seed(seed)
    return spread * torch.randn(rows, vocab_size, generator=generator, dtype=torch.float64)


def chi_square(ids, probs):
    counts = torch.bincount(torch.tensor(ids), minlength=len(probs)).double()
    expected = probs * len(ids)
    assert counts[expected == 0].sum() == 0, "a token was chosen that has no probability"
    kept = expected > 0
    return float(((counts - expected)[kept] ** 2 / expected[kept]).sum())


GRID = list(itertools.product([0.3, 1.0, 1.7], [0, 1, 5, 40], [1.0, 0.9, 0.4]))


@pytest.mark.parametrize("vocab_size", [VOCAB_SIZE, 3 * _FIRST_CANDIDATES])
def test_probabilities_are_those_of_transformers(vocab_size):
    logits = random_logits(5, vocab_size)
    for temperature, top_k, top_p in GRID:
        chain = LogitsProcessorList()
        chain.append(hf.TemperatureLogitsWarper(temperature))
        if top_k:
            chain.append(hf.TopKLogitsWarper(top_k))
        if top_p < 1.0:
            chain.append(hf.TopPLogitsWarper(top_p))
        expected = chain(None, logits.clone()).softmax(-1)
        probs = target_probs(logits, Sampling(temperature, top_p, top_k))
        torch.testing.assert_close(probs, expected, msg=f"{temperature, top_k, top_p}")


def test_ties_with_the_kth_stay_in():
    logits = torch.tensor([[3.0, 2.0, 2.0, 2.0, 1.0]])
    expected = hf.TopKLogitsWarper(2)(None, logits.clone()).softmax(-1)
    torch.testing.assert_close(target_probs(logits, Sampling(1.0, top_k=2)), expected)


def test_greedy_takes_the_first_of_equals():
    rows = choose(torch.tensor([[1.0, 5.0, 5.0], [7.0, 2.0, 4.0]]), GREEDY, [1, 2])
    assert rows.choice_ids == [1, 0]
    assert rows.margins == [0.0, 3.0]


def test_margin_is_a_difference_of_log_probabilities():
    logits = random_logits(4)
    first_two = logits.log_softmax(-1).topk(2).values
    margins = choose(logits.clone(), GREEDY, range(4)).margins
    assert margins == pytest.approx((first_two[:, 0] - first_two[:, 1]).tolist())


@pytest.mark.parametrize("temperature", [1e-5, 1e-7, 1e-300])
def test_next_to_no_temperature_is_next_to_no_noise(temperature):
    logits = random_logits(4)
    rows = choose(logits.clone().float(), Sampling(temperature=temperature, seed=1), range(4))
    assert rows.choice_ids == logits.argmax(dim=1).tolist()
    assert all(0 <= margin < float("inf") for margin in rows.margins)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.8, top_k=3)])
def test_only_allowed_ids_are_chosen(sampling):
    allowed = [[2, 5], None, [7]]
    for seed in range(20):
        rows = choose(random_logits(3, seed=seed), sampling, [1, 2, 3], allowed=allowed)
        assert rows.choice_ids[0] in (2, 5)
        assert rows.choice_ids[2] == 7
        assert all(0 <= margin < float("inf") for margin in rows.margins)


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=1.0, seed=1),
        Sampling(temperature=0.7, top_p=0.8, seed=2),
        Sampling(temperature=1.5, top_k=4, seed=3),
    ],
)
def test_samples_follow_the_distribution(sampling):
    logits = random_logits(1, spread=1.0)
    ids = choose(logits.repeat(MANY, 1), sampling, range(MANY)).choice_ids
    assert chi_square(ids, target_probs(logits, sampling)[0]) < LIMIT
    other = target_probs(random_logits(1, spread=1.0, seed=1), sampling)[0] + 1e-3
    assert chi_square(ids, other / other.sum()) > 100 * LIMIT  # the test can fail


def test_noise_depends_on_seed_and_position_alone():
    logits = random_logits(64, spread=0.5)
    sampling = Sampling(temperature=1.0, seed=3)
    together = choose(logits.clone(), sampling, range(64)).choice_ids
    alone = [
        choose(logits[row : row + 1].clone(), sampling, [row]).choice_ids[0] for row in range(64)
    ]
    assert together == alone
    assert together != choose(logits.clone(), sampling, range(1, 65)).choice_ids
    other_seed = Sampling(temperature=1.0, seed=4)
    assert together != choose(logits.clone(), other_seed, range(64)).choice_ids


@pytest.mark.parametrize("top_k", [0, 5])
def test_judged_drafts_keep_the_target_distribution(top_k):
    sampling = Sampling(temperature=1.0, top_k=top_k, seed=11)
    logits = random_logits(1, spread=1.0)
    target = target_probs(logits, sampling)[0]
    draft = random_logits(1, spread=1.0, seed=5).softmax(-1)[0]
    generator = torch.Generator().manual_seed(0)
    drafted = torch.multinomial(draft, MANY, replacement=True, generator=generator).tolist()
    rows = choose(
        logits.repeat(MANY + 1, 1),
        sampling,
        range(MANY + 1),
        row_ids=[0, *drafted],
        draft_probs=[draft] * MANY,
    )
    assert chi_square(rows.choice_ids[:-1], target) < LIMIT
    accepted = sum(a == b for a, b in zip(rows.choice_ids, drafted, strict=False)) / MANY
    # A recovered token never equals the draft token, so this is the acceptance rate alone.
    assert accepted == pytest.approx(float(torch.minimum(target, draft).sum()), abs=0.02)
    assert chi_square(rows.choice_ids[:-1], draft + 1e-9) > LIMIT


def test_a_draft_from_the_target_itself_is_always_accepted():
    logits = random_logits(9)
    sampling = Sampling(temperature=1.0, seed=1)
    probs = target_probs(logits, sampling)
    drafted = [int(torch.multinomial(row, 1)) for row in probs[:-1]]
    rows = choose(
        logits.clone(), sampling, range(9), row_ids=[0, *drafted], draft_probs=list(probs[:-1])
    )
    assert rows.choice_ids[:-1] == drafted


def test_greedy_ignores_how_a_draft_was_drawn():
    logits = random_logits(3)
    uniform = torch.full((VOCAB_SIZE,), 1 / VOCAB_SIZE)
    rows = choose(logits.clone(), GREEDY, range(3), row_ids=[0, 1, 2], draft_probs=[uniform] * 2)
    assert rows == choose(logits.clone(), GREEDY, range(3))


def test_a_draft_model_with_a_smaller_vocabulary_is_padded():
    logits = random_logits(2)
    rows = choose(
        logits,
        Sampling(temperature=1.0),
        [0, 1],
        row_ids=[0, 2],
        draft_probs=[torch.tensor([0.2, 0.3, 0.5])],
    )
    assert len(rows.choice_ids) == 2


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_every_dtype_can_be_chosen_from(dtype):
    logits = random_logits(3).to(dtype)
    best = logits.float().argmax(-1).tolist()
    assert choose(logits.clone(), GREEDY, range(3)).choice_ids == best
    sharp = Sampling(temperature=1e-3)
    assert choose(logits.clone(), sharp, range(3)).choice_ids == best
