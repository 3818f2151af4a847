"""Closed sequences on llama.cpp keep bytes, not contexts, and what they keep is what was computed."""

import gc
import random

import pytest

from editd.decode.target import GREEDY
from editd.models import registry
from editd.models.llama_cpp.context import Context
from editd.models.model import ModelSpec
from tests import tiny
from tests.gguf_files import DEVICE, write

pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        path = tmp_path_factory.mktemp("gguf") / "model.gguf"
        write(tiny.checkpoint("llama", dtype="float32"), path)
        model = registry.load(ModelSpec(str(path), device=DEVICE, threads=1))
        yield model.target
        model.close()


@pytest.fixture(autouse=True)
def _nothing_cached(target):
    target.drop_caches()
    gc.collect()


def contexts(target):
    """How many of ``target``'s are alive."""
    gc.collect()
    alive = [one for one in gc.get_objects() if type(one) is Context and one._handle is not None]
    return sum(one._passes is target.passes for one in alive)


def written(target, prompt):
    """Eight tokens after ``prompt``; and how many tokens of it were there already."""
    sequence = target.open(prompt)
    found = sequence.cached_tokens
    sequence.prefill(prompt[sequence.length : -1])
    ids, token = [], prompt[-1]
    for _ in range(8):
        [token] = sequence.verify([token], GREEDY).choice_ids
        ids.append(token)
    sequence.close()
    return ids, found


def prompts(count, *, length=300, seed=0):
    rng = random.Random(seed)
    return [[rng.randrange(5, 200) for _ in range(length)] for _ in range(count)]


def test_many_closed_sequences_share_one_context_and_each_is_found_again(target):
    told = prompts(5)
    first = [written(target, prompt)[0] for prompt in told]
    assert contexts(target) == 1
    bytes_each = 299 * target.passes.token_bytes
    assert (
        5 * bytes_each <= target.cache_bytes < 5 * bytes_each + 2 * 900 * target.passes.token_bytes
    )
    for prompt, ids in zip(reversed(told), reversed(first), strict=True):
        assert written(target, prompt) == (ids, 299)
    assert contexts(target) == 1


def test_a_prompt_that_begins_alike_takes_the_beginning_and_leaves_the_other(target):
    [prompt] = prompts(1, length=600)
    other = prompt[:200] + prompts(1, seed=1)[0]
    ids, _ = written(target, prompt)
    fresh, found = written(target, other)
    assert found == 128  # a whole chunk of the prefill
    target.drop_caches()
    assert written(target, other) == (fresh, 0)
    target.drop_caches()
    written(target, prompt)
    written(target, other)
    assert written(target, prompt) == (ids, 599)


def test_sequences_that_are_open_together_have_contexts_of_their_own(target):
    one, other = (target.open(prompt) for prompt in prompts(2))
    assert one.context is not other.context
    for sequence, prompt in zip((one, other), prompts(2), strict=True):
        sequence.prefill(prompt[:-1])
        sequence.close()
    del one, other, sequence
    assert contexts(target) == 1
    target.drop_caches()
    assert contexts(target) == 0
    assert target.cache_bytes == 0
