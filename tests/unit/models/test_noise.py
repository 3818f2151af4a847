"""The noise has the distribution it should have and nothing in it repeats."""

from __future__ import annotations

import torch

from editd.models import sampling as noise
from editd.models.sampling import _mix, _signed
from editd.models.torch.sampling import Tensors

TORCH = Tensors(torch.device("cpu"))


def gumbel(seed, positions, token_ids):
    return noise.gumbel(seed, positions, token_ids, TORCH)


def uniform(seed, positions):
    return noise.uniform(seed, positions, TORCH)


def test_mixing_is_splitmix64():
    """The first numbers of the reference implementation from state 1234567."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    golden = 0x9E3779B97F4A7C15
    states = torch.tensor([_signed(1234567 + golden * step) for step in (1, 2, 3)])
    assert _mix(states).tolist() == [_signed(value) for value in expected]


def test_gumbel_has_the_moments_of_gumbel():
    noise = gumbel(1, torch.arange(500), torch.arange(400)).flatten()
    assert abs(noise.mean() - 0.57722) < 0.01
    assert abs(noise.var() - 1.64493) < 0.03
    assert noise.isfinite().all()


def test_uniform_is_uniform():
    numbers = uniform(2, torch.arange(100_000))
    counts = torch.histc(numbers, bins=20, min=0.0, max=1.0)
    assert ((counts - 5000) ** 2 / 5000).sum() < 60
    assert 0 < numbers.min() < numbers.max() < 1


def test_neighbours_are_independent():
    """Positions, tokens, seeds, and the two kinds of noise."""
    plain = gumbel(1, torch.arange(300), torch.arange(300))
    for other in (
        gumbel(2, torch.arange(300), torch.arange(300)),
        gumbel(1, torch.arange(1, 301), torch.arange(300)),
        gumbel(1, torch.arange(300), torch.arange(1, 301)),
        plain.T,
        uniform(1, torch.arange(300))[:, None].expand(300, 300),
    ):
        together = torch.stack([plain.flatten(), other.flatten()])
        assert abs(torch.corrcoef(together)[0, 1]) < 0.02
    assert plain.unique().numel() == plain.numel()


def test_a_number_is_a_function_of_its_key_alone():
    columns = torch.tensor([[7, 3], [3, 9]])
    some = gumbel(5, torch.tensor([10, 11]), columns)
    every = gumbel(5, torch.arange(20), torch.arange(20))
    assert torch.equal(some, torch.stack([every[10, [7, 3]], every[11, [3, 9]]]))
    assert torch.equal(gumbel(5 + (1 << 64), torch.tensor([10]), columns[:1]), some[:1])
