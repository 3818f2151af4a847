"""The numpy form of sampling draws what torch's draws, from the same logits, seed and positions."""

import itertools
import json

import numpy as np
import pytest
import torch

from editd.decode.target import GREEDY, Sampling
from editd.models import sampling as noise
from editd.models import sampling as ours
from editd.models.sampling import _FIRST_CANDIDATES, greedy_rows
from editd.models.torch import sampling as theirs

TORCH = theirs.Tensors(torch.device("cpu"))
VOCAB, LARGE, ROWS = 40, 3 * _FIRST_CANDIDATES, 6
GRID = [
    GREEDY,
    *(
        Sampling(temperature, top_p, top_k, seed=seed)
        for seed, (temperature, top_k, top_p) in enumerate(
            itertools.product([0.4, 1.3], [0, 3, 25], [1.0, 0.7])
        )
    ),
]


def logits(vocab_size, seed, rows=ROWS):
    return np.random.default_rng(seed).normal(0, 3, (rows, vocab_size)).astype(np.float32)


def same(one, other):
    assert one.choice_ids == other.choice_ids
    assert one.margins == pytest.approx(other.margins, rel=1e-4, abs=1e-4)
    assert (one.certainty is None) == (other.certainty is None)
    if one.certainty is not None:
        assert one.certainty.rival_id == other.certainty.rival_id
        assert one.certainty.log_prob == pytest.approx(other.certainty.log_prob, abs=1e-4)


@pytest.mark.parametrize("seed", [0, 7, -3, 1 << 70])
def test_noise_is_the_same_number(seed):
    positions, ids = np.arange(5) * 1000, np.arange(300)
    found = noise.gumbel(seed, positions, ids)
    expected = noise.gumbel(seed, torch.tensor(positions), torch.tensor(ids), TORCH).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    expected = noise.uniform(seed, torch.tensor(positions), TORCH).numpy()
    np.testing.assert_array_equal(noise.uniform(seed, positions), expected)


@pytest.mark.parametrize("vocab_size", [VOCAB, LARGE])
def test_a_target_chooses_alike(vocab_size):
    allowed = [[3, 5], None, [1], None, None, None]
    parents = [-1, 0, 0, -1, 3]
    for number, sampling in enumerate(GRID):
        for options in (
            {},
            {"allowed": allowed},
            {"parents": parents},
        ):
            row = logits(vocab_size, number)
            where, ids = range(100, 100 + ROWS), [4, 9, 2, 7, 7, 30]
            expected = theirs.choose(torch.tensor(row), sampling, where, ids, None, **options)
            same(ours.choose(row.copy(), sampling, where, ids, None, **options), expected)


@pytest.mark.parametrize("vocab_size", [VOCAB, LARGE])
def test_drafts_are_accepted_and_replaced_alike(vocab_size):
    accepted = 0
    for number, sampling in enumerate(GRID):
        if sampling.greedy:
            continue
        target, draft = logits(vocab_size, number), logits(vocab_size, number + 1000) / 2
        mixed = target * 0.8 + draft
        drawn = [
            ours.draw(mixed[row : row + 1].copy(), sampling, 50 + row, independent=True)
            for row in range(ROWS - 1)
        ]
        ids = [1, *(one.token_id for one in drawn)]
        probs = [one.probs for one in drawn]
        where = range(50, 50 + ROWS)
        expected = theirs.choose(torch.tensor(target), sampling, where, ids, probs)
        found = ours.choose(target.copy(), sampling, where, ids, probs)
        same(found, expected)
        accepted += sum(a == b for a, b in zip(found.choice_ids, ids[1:], strict=False))
    assert 0 < accepted < len(GRID) * (ROWS - 1)


@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("vocab_size", [VOCAB, LARGE])
def test_a_draft_model_draws_alike(vocab_size, independent):
    for number, sampling in enumerate(GRID):
        row = logits(vocab_size, number, rows=1)
        for allowed in (None, [2, 5, 11]):
            options = {"allowed": allowed, "independent": independent}
            expected = theirs.draw(torch.tensor(row), sampling, 77, **options)
            found = ours.draw(row.copy(), sampling, 77, **options)
            assert found.token_id == expected.token_id
            assert found.chance == pytest.approx(expected.chance, rel=1e-5)
            assert (found.probs is None) == (expected.probs is None)
            if expected.probs is not None:
                assert isinstance(expected.probs, np.ndarray)
                np.testing.assert_allclose(found.probs, expected.probs, rtol=1e-5, atol=1e-12)


def test_greedy_rows_leave_the_logits_as_they_were():
    logits = np.array([[1.0, 3.0, 2.0]], np.float32)
    rows = greedy_rows(logits, [0])
    assert (rows.choice_ids, rows.margins) == ([1], [1.0])
    assert logits.tolist() == [[1.0, 3.0, 2.0]]
    assert json.dumps(rows.margins)
