"""What is written is what is read, whatever was cropped, grown, gathered or copied between."""

from __future__ import annotations

import random

import pytest
import torch
from transformers import LlamaConfig, MistralConfig

from editd.models.torch.growing_cache import new_cache
from tests import tiny

HEADS, WIDTH, LAYERS = 2, 4, 2


def config(**changes):
    return LlamaConfig(num_hidden_layers=LAYERS, **changes)


def numbers(count, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(1, HEADS, count, WIDTH, generator=generator)


def write(cache, count, seed=0):
    """Write ``count`` tokens into all layers; returns what layer 0 hands to attention."""
    cache.reserve(cache.length + count)
    handed = [cache.update(numbers(count, seed + i), numbers(count, seed - i), i) for i in (0, 1)]
    cache.advance(count)
    return handed[0]


def test_any_sequence_of_writes_and_crops_keeps_the_valid_tokens():
    """Against a plain list of tensors, with many growths on the way."""
    chance = random.Random(0)
    cache = new_cache(config(), 0)
    expected = numbers(0, 0)
    for seed in range(300):
        if chance.random() < 0.4 and cache.length:
            cache.crop_to(chance.randrange(cache.length + 1))
            expected = expected[:, :, : cache.length]
        count = chance.randrange(1, 40)
        expected = torch.cat([expected, numbers(count, seed)], dim=2)
        keys, _ = write(cache, count, seed)
        assert torch.equal(keys, expected)
        assert cache.get_seq_length() == cache.length == expected.shape[2]


def test_growth_is_amortised():
    cache = new_cache(config(), 0)
    buffers = set()
    for _ in range(2000):
        write(cache, 1)
        buffers.add(cache.layers[0].keys.data_ptr())
    assert len(buffers) <= 5
    assert cache.nbytes == 2 * LAYERS * HEADS * WIDTH * 4 * 2048


def test_cropping_moves_nothing():
    cache = new_cache(config(), 512)
    write(cache, 300)
    before = cache.layers[0].keys.data_ptr()
    cache.crop_to(10)
    write(cache, 400)
    assert cache.layers[0].keys.data_ptr() == before


def test_what_a_failed_pass_wrote_is_not_valid():
    cache = new_cache(config(), 0)
    keys, _ = write(cache, 5)
    kept = keys.clone()
    cache.update(numbers(3, 9), numbers(3, 9), 0)  # layer 1 fails, nothing is advanced
    assert cache.length == 5
    again, _ = write(cache, 3, seed=2)
    assert torch.equal(again, torch.cat([kept, numbers(3, 2)], dim=2))


@pytest.mark.parametrize("rows", [[0], [0, 1, 2], [0, 2, 5], [0, 3]])
def test_a_kept_branch_is_gathered_in_order(rows):
    cache = new_cache(config(), 0)
    keys, values = write(cache, 10, seed=3)
    keys, values = keys.clone(), values.clone()
    cache.keep_rows(4, rows)
    index = [*range(4), *(4 + row for row in rows)]
    assert cache.length == len(index)
    assert torch.equal(cache.layers[0].keys[:, :, : len(index)], keys[:, :, index])
    assert torch.equal(cache.layers[0].values[:, :, : len(index)], values[:, :, index])


def test_a_copied_prefix_is_independent():
    cache = new_cache(config(), 0)
    keys, _ = write(cache, 10)
    kept = keys[:, :, :6].clone()
    copy = cache.copy_prefix(6, 100)
    write(copy, 2, seed=5)
    cache.crop_to(0)
    write(cache, 10, seed=8)
    assert copy.length == 8
    assert torch.equal(copy.layers[0].keys[:, :, :6], kept)


def test_a_sliding_layer_hands_out_no_more_than_its_window():
    window = 8
    cache = new_cache(MistralConfig(num_hidden_layers=LAYERS, sliding_window=window), 0)
    assert cache.is_sliding == [True, True]
    write(cache, 20)
    assert cache.get_mask_sizes(5, 0) == (window - 1 + 5, 20 - window + 1)
    keys, _ = write(cache, 5, seed=1)
    assert keys.shape[2] == window - 1 + 5
    cache.crop_to(3)
    assert cache.get_mask_sizes(2, 0) == (5, 0)


def test_cropping_to_more_than_there_is_is_an_error():
    cache = new_cache(config(), 0)
    write(cache, 4)
    for length in (5, -1):
        with pytest.raises(ValueError, match="cannot crop"):
            cache.crop_to(length)


def test_models_with_a_recurrent_state_get_no_such_cache():
    assert new_cache(tiny.random_model("mamba").config, 0) is None
