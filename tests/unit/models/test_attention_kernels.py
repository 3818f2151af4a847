"""Attention for a few rows over a long static cache, in plain torch."""

import random

import pytest
import torch

from editd.models.torch import gpu as kernels
from editd.models.torch.attention import grouped_attention
from editd.models.torch.gpu.reference import attend_torch
from editd.models.torch.masks import unpack
from tests.attention_cases import TABLE, check


@pytest.mark.parametrize("line", TABLE)
def test_plain_torch_is_the_definition(line):
    check(attend_torch, line, torch.float32, 5e-6)


def test_words_are_the_ancestors():
    shuffle = random.Random(5)
    for rows in (1, 2, 31, 32, 33, 100):
        parents = [shuffle.randrange(-1, row) for row in range(rows - 1)]
        seen = unpack(kernels.tree_words(parents, rows + 3), rows + 3)
        for row in range(rows):
            ancestors, at = set(), row
            while at > 0:
                ancestors.add(at)
                at = parents[at - 1] + 1
            assert {*seen[row].nonzero()[:, 0].tolist()} == ancestors | {0}
        assert seen[rows:].sum() == 6  # padding sees the root and itself


def test_a_growing_cache_on_a_gpu_is_transformers_own():
    """On a device without numbers: which way is taken, and that it takes the mask."""
    query, key = torch.empty(1, 4, 3, 8, device="meta"), torch.empty(1, 2, 9, 8, device="meta")
    mask = torch.zeros(1, 1, 3, 9, device="meta")
    module = torch.nn.Module()
    module.num_key_value_groups = 2
    output, _ = grouped_attention(module, query, key, key, mask)
    assert output.shape == (1, 3, 4, 8)
