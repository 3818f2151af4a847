"""Closed sequences on llama.cpp keep bytes, not contexts, and what they keep is what was computed."""

import gc
import random
from contextlib import closing
from ctypes import create_string_buffer

import pytest

from editd.decode.target import GREEDY
from editd.errors import EditFailed
from editd.models import registry
from editd.models.llama_cpp.context import Context, Passes
from editd.models.llama_cpp.library import load_library
from editd.models.llama_cpp.weights import Weights
from editd.models.model import ModelSpec
from tests import tiny
from tests.architectures import random_file
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


@pytest.mark.parametrize(
    ("window", "length", "first", "expected"),
    [
        (0, 600, 0, 600),
        (128, 600, 0, 600),
        (128, 600, 472, 600),  # its window begins where the keys begin
        (128, 600, 473, 0),
        (128, 100, 0, 100),
        (128, 100, 1, 0),
        (128, 0, 0, 0),
    ],
)
def test_a_length_is_served_only_if_its_window_is_there(window, length, first, expected):
    assert Passes(None, 0, 512, 128, 1, window=window).usable(length, first) == expected


def test_keys_that_were_written_over_are_missed():
    """As llama.cpp does where a sequence's bytes, which lack what slid out, were restored."""
    with closing(Weights(load_library(), random_file("gemma3"))) as weights:
        passes = Passes(weights.library, weights.handle, 512, 128, 1, window=weights.window)
        with closing(Context(passes, 600)) as whole, closing(Context(passes, 600)) as cut:
            whole.append_without_logits(ids := prompts(1, length=128)[0])
            cut.restore(ids, whole.state())
            assert (whole.first, cut.first) == (0, 0)
            library, size = weights.library, 1 << 20
            state = create_string_buffer(size)
            size = library.llama_state_seq_get_data(whole._handle, state, size, 0)
            assert library.llama_state_seq_set_data(cut._handle, state, size, 0)
            assert passes.usable(128, cut.first) == 128
            assert passes.usable(127, cut.first) == 0


def test_a_cache_that_cannot_go_back_says_so_and_is_empty():
    with closing(Weights(load_library(), random_file("mamba2"))) as weights:
        passes = Passes(weights.library, weights.handle, 512, 128, 1, recurrent=True)
        with closing(Context(passes, 100)) as context:
            context.append_without_logits([5, 6, 7, 8])
            with pytest.raises(EditFailed, match="could not take tokens back"):
                context.crop(2)
            assert context.length == 0
            context.append_without_logits([5, 6])


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
