"""The longest reusable prefix, no token more, within the limit, least recently used out first."""

from __future__ import annotations

import pytest
import torch
from transformers import LlamaConfig

from editd.models.loaded_model import PrefixCache
from editd.models.torch.growing_cache import new_cache

CHUNK = 4


def filled(token_ids):
    """A cache whose keys are its token ids."""
    cache = new_cache(LlamaConfig(num_hidden_layers=1), len(token_ids))
    keys = torch.tensor(token_ids, dtype=torch.float32).view(1, 1, -1, 1)
    cache.update(keys, keys, 0)
    cache.advance(len(token_ids))
    return cache


def stored(*prompts, limit_bytes=1 << 20):
    prefixes = PrefixCache(CHUNK, limit_bytes)
    for token_ids in prompts:
        prefixes.store(token_ids, filled(token_ids))
    return prefixes


def keys_of(cache):
    return cache.layers[0].keys[0, 0, : cache.length, 0].tolist()


TEN = list(range(10))


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ([*TEN, 90], 10),  # the same prompt again: its odd end too
        ([*TEN, 90, 91], 8),  # a longer one: whole chunks
        (TEN, 8),  # the last token is verified, not prefilled
        ([0, 1, 2, 3, 4, 5, 66, 7, 8], 4),
        ([0, 1, 2, 3, 4], 4),
        ([0, 1, 2, 3], 0),
        ([77, 1, 2, 3, 4, 5], 0),
        ([5], 0),
    ],
)
def test_only_what_fresh_prefill_would_compute_alike_is_taken(prompt, expected):
    cache = stored(TEN).take(prompt, 20)
    assert (keys_of(cache) if cache else []) == TEN[:expected]


def test_the_longest_of_several_is_taken():
    prefixes = stored([0, 1, 2, 3, 8, 8, 8, 8], TEN, [0, 1, 2, 3, 9, 9])
    assert keys_of(prefixes.take([*TEN, 5, 5], 20)) == TEN[:8]


def test_an_entry_that_is_mostly_used_gives_up_its_buffers():
    prefixes = stored(TEN)
    assert keys_of(prefixes.take([*TEN[:8], 50, 51], 20)) == TEN[:8]
    assert len(prefixes) == 0


def test_an_entry_that_shares_only_a_beginning_stays():
    long = list(range(40))
    prefixes = stored(long)
    taken = prefixes.take([0, 1, 2, 3, 50, 51], 20)
    taken.update(torch.full((1, 1, 9, 1), 7.0), torch.full((1, 1, 9, 1), 7.0), 0)
    assert keys_of(prefixes.take([*long, 99], 20)) == long


def test_what_a_newcomer_contains_is_dropped():
    assert len(stored(TEN[:4], TEN)) == 1
    assert len(stored(TEN, TEN[:4])) == 2
    assert len(stored(TEN, TEN)) == 1
    assert len(stored([])) == 0


def test_least_recently_used_leaves_first():
    one, two, three = ([i, *TEN] for i in (100, 200, 300))
    size = filled(one).nbytes
    prefixes = stored(one, two, limit_bytes=2 * size)
    prefixes.store(prompt := [100, *TEN], prefixes.take([*one, 0], 11))  # one was used again
    prefixes.store(three, filled(three))
    assert prefixes.nbytes <= 2 * size
    assert prefixes.take([*two, 0], 20) is None
    assert prefixes.take([*prompt, 0], 20) is not None


def test_a_limit_of_nothing_keeps_nothing():
    prefixes = stored(TEN, limit_bytes=0)
    assert (len(prefixes), prefixes.nbytes) == (0, 0)
