"""The path of a GPU, on Vulkan: layers there in full and in part, caches, trees, cancel, memory.

`make test-vulkan` runs it with a driver that computes on the CPU, where no GPU is. Drivers compile a shader
for each kind of pass, which takes an emulated one seconds: one tiny model, and few widths.
"""

from __future__ import annotations

import gc
import os

import psutil
import pytest

from editd import errors
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.target import GREEDY
from editd.models import registry
from editd.models.llama_cpp import loading, placement, target
from editd.models.llama_cpp.context import Context
from editd.models.llama_cpp.library import load_library
from editd.models.model import ModelSpec
from tests.gguf_files import wide_file
from tests.lossless.test_families import PROMPT, MutatedOutput, decode

if "GGML_VK_VISIBLE_DEVICES" not in os.environ:
    pytest.skip("runs by `make test-vulkan`", allow_module_level=True)
DEVICES = [one for one in load_library().devices() if one.name.startswith("Vulkan")]
if not DEVICES:
    pytest.skip("Vulkan shows no device: see `make test-vulkan`", allow_module_level=True)

SHORT = PROMPT[: len(PROMPT) // 2]


@pytest.fixture(scope="module", autouse=True)
def _narrow_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target.LlamaTarget, "prefill_chunk", 32)
        yield


def load(layers=None, exactness="auto", **options):
    """The tiny model of two layers, with so many of them on the device; ``None``: as planned."""

    def placed_in(*arguments, **named):
        made = placement.placement_of(*arguments, **named)
        return made if layers is None else placement.replace(made, layers_on_gpu=layers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "placement_of", placed_in)
        spec = ModelSpec(str(wide_file("llama", "q8_0")), device="vulkan", threads=1)
        return registry.load(placement.replace(spec, exactness=exactness), **options)


@pytest.fixture(scope="module")
def model():
    loaded = load()
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def plainly(model):
    return decode(model, NoDrafter(), prompt=SHORT)


def check(loaded, drafter, expected):
    """Drafts change nothing but for near ties, which the figures tell."""
    output_ids, stats, _ = decode(loaded, drafter, prompt=SHORT)
    assert output_ids == expected[0] or stats.near_ties + expected[1].near_ties
    assert min(stats.accepted, stats.rejected) > 0
    return stats


def test_the_plan_puts_all_layers_there_and_says_so(model):
    assert model.device == DEVICES[0].name
    assert DEVICES[0].total >= DEVICES[0].free > 0
    assert DEVICES[0].description


@pytest.mark.parametrize("branches", [1, 3], ids=["chains", "trees"])
def test_drafts_change_no_text(model, plainly, branches):
    assert len(set(plainly[0])) > 15
    drafter = MutatedOutput(plainly[0], seed=1, branches=branches, rate=0.15)
    assert bool(check(model, drafter, plainly).tree_rounds) == (branches > 1)


def test_a_part_of_the_layers(plainly):
    loaded = load(layers=1)
    assert loaded.device == f"{DEVICES[0].name}, 1 of 2 layers"
    expected = decode(loaded, NoDrafter(), prompt=SHORT)
    check(loaded, MutatedOutput(expected[0], seed=1), expected)
    loaded.close()


def test_bitwise_is_plain_decoding_without_excuse():
    loaded = load(exactness="bitwise")
    assert loaded.target.exactness == "bitwise"
    expected = decode(loaded, NoDrafter(), prompt=SHORT)
    output_ids, stats, _ = decode(loaded, MutatedOutput(expected[0], seed=0), prompt=SHORT)
    assert output_ids == expected[0]
    assert min(stats.accepted, stats.rejected) > 0
    assert not stats.near_ties
    loaded.close()


def test_a_prompt_that_was_read_is_there(model, plainly):
    """In a context, and after another prompt as bytes in main memory."""
    other = SHORT[::-1]
    for prompt in (other, SHORT, SHORT):
        output_ids, stats, _ = decode(model, NoDrafter(), prompt=prompt)
        if prompt == SHORT:
            assert output_ids == plainly[0]
            assert stats.cached_tokens >= model.target.prefill_chunk


def test_an_edit_that_is_cancelled_between_chunks_leaves_the_device_usable(model, plainly):
    ids = [7, *model.codec.prompt_ids(SHORT)]
    sequence = model.target.open(ids)
    sequence.prefill(ids[:32])
    sequence.close()
    assert decode(model, NoDrafter(), prompt=SHORT)[0] == plainly[0]
    with pytest.raises(errors.EditCancelled, match="while its model was loading"):
        load(progress=lambda _done: False)


def test_a_cache_without_room_is_one_sentence_and_the_next_fits(model, plainly):
    each = model.target.passes.token_bytes
    with pytest.raises(errors.OutOfMemory, match=r"could not make a cache of .*: edit fewer lines"):
        Context(model.target.passes, 6 * DEVICES[0].total // each)
    assert decode(model, NoDrafter(), prompt=SHORT)[0] == plainly[0]


def test_memory_comes_back(model):
    """What a context takes, and what an unloaded model took: emulated devices have it of the process."""
    process = psutil.Process()
    wanted = (256 << 20) // model.target.passes.token_bytes
    before = process.memory_info().rss
    for _ in range(3):
        loaded = load()
        context = Context(loaded.target.passes, wanted)
        context.append_chain([5] * 9)
        del context
        loaded.target.open([5] * 9).prefill([5] * 8)
        loaded.close()
        gc.collect()
    assert process.memory_info().rss - before < 128 << 20


def test_greedy_choices_are_the_processors_where_they_are_clear(model):
    """The same file on the CPU: other arithmetic, the same model."""
    spec = ModelSpec(str(wide_file("llama", "q8_0")), device="cpu", threads=1)
    other = registry.load(spec)
    ids = model.codec.prompt_ids(SHORT)[:32]
    rows = []
    for one in (model, other):
        sequence = one.target.open(ids)
        rows.append(sequence.verify(ids, GREEDY))
        sequence.close()
    other.close()
    clear = [i for i, margin in enumerate(rows[1].margins) if margin > 0.5]
    assert len(clear) > 10
    assert all(rows[0].choice_ids[i] == rows[1].choice_ids[i] for i in clear)
