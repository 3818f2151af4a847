"""Every mode of the runner writes what plain decoding writes, and says how surely.

Bitwise in half precision too, where the fast way may not: token for token, with no near-tie to
excuse anything.
"""

from __future__ import annotations

from functools import cache

import pytest
import torch

from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.target import GREEDY, Sampling
from editd.models.model import ModelSpec
from editd.models.torch.loading import load
from tests import tiny
from tests.lossless.test_families import PROMPT, MutatedOutput, decode

SAMPLED = Sampling(temperature=0.9, top_p=0.95, seed=5)
samplings = pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
FAMILIES = ("llama", "gemma3", "gpt2")  # of every one the rows: tests/unit/models/test_exactness.py
DRAFTERS = ("buffer", "prompt-lookup", "suffix", "prediction")


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@cache
def bitwise(family, dtype):
    folder = tiny.checkpoint(family)
    spec = ModelSpec(str(folder), device=tiny.DEVICE, dtype=dtype, threads=1, exactness="bitwise")
    loaded = load(spec)
    assert loaded.target.exactness == "bitwise"
    return loaded


@cache
def plain(family, dtype, sampling):
    return decode(bitwise(family, dtype), NoDrafter(), sampling)[0]


@samplings
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("family", FAMILIES)
def test_bitwise_is_plain_decoding_without_excuse(family, dtype, sampling):
    expected = plain(family, dtype, sampling)
    assert len(set(expected)) > 15
    drafter = MutatedOutput(expected, seed=1)
    output_ids, stats, bonus = decode(bitwise(family, dtype), drafter, sampling)
    assert output_ids == expected
    assert (stats.exactness, stats.near_ties) == ("bitwise", 0)
    assert min(stats.accepted, stats.rejected, bonus) > 0


@pytest.mark.parametrize("name", DRAFTERS)
def test_bitwise_with_every_drafter(name):
    """On a buffer that is the plain output with every seventh token gone."""
    loaded = bitwise("llama", "bfloat16")
    expected = plain("llama", "bfloat16", GREEDY)
    kept = [token_id for index, token_id in enumerate(expected) if index % 7]
    task = DraftTask(
        prompt_ids=[*loaded.codec.prompt_ids(PROMPT)],
        prediction=loaded.codec.decode(kept),
        answer_opening="",
        codec=loaded.codec,
    )
    output_ids, stats, _ = decode(loaded, make_drafter(name, task))
    assert output_ids == expected
    assert stats.near_ties == 0


def test_a_warmed_prefix_changes_no_bit():
    loaded, prompt = bitwise("llama", "bfloat16"), PROMPT * 3
    loaded.target.drop_caches()
    expected = decode(loaded, NoDrafter(), prompt=prompt)[0]
    loaded.target.drop_caches()
    prompt_ids = loaded.codec.prompt_ids(prompt)
    warm = loaded.target.open([*prompt_ids[:-9], 5])
    warm.prefill(prompt_ids[:-9])
    warm.close()
    output_ids, stats, _ = decode(loaded, MutatedOutput(expected, 3), prompt=prompt)
    assert output_ids == expected
    assert stats.cached_tokens >= loaded.target.prefill_chunk
