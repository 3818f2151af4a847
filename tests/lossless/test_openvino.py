"""Drafts on OpenVINO change no text: every kind of file, every drafter, greedy and sampled, bit for bit."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from editd.decode.drafters import DRAFTERS, make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.drafters.draft_session import DraftSession
from editd.decode.target import GREEDY, Sampling
from editd.models import registry
from editd.models.model import ModelSpec
from tests.architectures import random_file
from tests.gguf_files import wide_checkpoint, wide_file
from tests.lossless.test_families import PROMPT, MutatedOutput, decode
from tests.lossless.test_llama_cpp import project_of

pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")

HYBRID = "qwen35"
SAMPLED = Sampling(temperature=0.9, top_p=0.95, seed=5)
samplings = pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
FILES = ("float32", "f16", "q8_0", "q4_0", "q4_1", "q5_0", "q4_k_m")
kinds = pytest.mark.parametrize("weights", [*FILES, "safetensors"])
WIDTHS = (1, 2, 3, 5, 8, 13, 32, 33, 64, 100, 128)


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
    for spec in LOADED:
        model(*spec).close()


LOADED: set[tuple[str, str]] = set()


@cache
def model(weights, family="llama"):
    if family == HYBRID:
        source = random_file(family)
    elif weights == "safetensors":
        source = wide_checkpoint(family)
    else:
        source = wide_file(family, weights)
    spec = ModelSpec(f"openvino:{source}", device="cpu", threads=1)
    loaded = registry.load(spec)
    LOADED.add((weights, family))
    assert loaded.target.exactness == "bitwise"
    return loaded


@cache
def plain(weights, sampling, family="llama"):
    return decode(model(weights, family), NoDrafter(), sampling)[0]


def check(loaded, drafter, sampling, expected, **how):
    output_ids, stats, bonus = decode(loaded, drafter, sampling, **how)
    assert output_ids == expected
    assert (stats.exactness, stats.near_ties) == ("bitwise", 0)
    return stats, bonus


@kinds
def test_a_row_has_the_same_bits_at_every_width(weights):
    check_widths(model(weights))


@pytest.mark.parametrize("threads", [2, 3])
def test_so_it_has_in_several_threads(threads):
    spec = ModelSpec(f"openvino:{wide_file('llama', 'q8_0')}", device="cpu", threads=threads)
    with closing(registry.load(spec)) as loaded:
        check_widths(loaded)


def check_widths(loaded):
    ids, widest = [7 * n % 500 + 3 for n in range(300)], loaded.target.prefill_chunk
    assert widest >= 32
    table = loaded.target.open(ids[:200]).table
    for at in range(0, 128, widest):
        table.append_without_logits(ids[at : at + widest])
    whole = table.append_chain(ids[128 : 128 + widest]).copy()
    for width in (width for width in WIDTHS if width <= widest):
        table.crop_to(128)
        for at in range(0, widest - width + 1, width):
            rows = table.append_chain(ids[128 + at :][:width])
            assert np.array_equal(rows, whole[at : at + width]), width
    table.close()


@samplings
@kinds
def test_speculative_decoding_is_plain_decoding(weights, sampling):
    expected = plain(weights, sampling)
    assert len(set(expected)) > 15  # the text varies, so that equality means something
    stats, bonus = check(model(weights), MutatedOutput(expected, seed=1), sampling, expected)
    assert min(stats.accepted, stats.rejected, bonus) > 0


@pytest.mark.parametrize("weights", ["q4_k_m", "safetensors"])
@pytest.mark.parametrize("family", ["qwen2", "qwen3", "mistral", "granite"])
def test_another_family(family, weights):
    expected = plain(weights, GREEDY, family)
    check_widths(model(weights, family))
    stats, _ = check(model(weights, family), MutatedOutput(expected, 0), GREEDY, expected)
    assert min(stats.accepted, stats.rejected) > 0


@samplings
@pytest.mark.parametrize(
    "name", [*(name for name in DRAFTERS if name != "none"), "buffer+draft-model"]
)
@pytest.mark.parametrize(("weights", "family"), [("q8_0", "llama"), ("float32", HYBRID)])
def test_every_drafter(weights, family, name, sampling):
    """On a buffer that is the plain output with every seventh token gone."""
    loaded = model(weights, family)
    expected = plain(weights, sampling, family)
    kept = [token_id for index, token_id in enumerate(expected) if index % 7]
    text = loaded.codec.decode(kept)
    session = DraftSession(
        loaded if family == HYBRID else model("q4_0"),
        loaded,
        sampling,
        acceptance="coupled",
        cost=0.01,
    )
    task = DraftTask(
        prompt_ids=[*loaded.codec.prompt_ids(PROMPT)],
        prediction=text,
        answer_opening="",
        codec=loaded.codec,
        trees=loaded.target.supports_trees,
        draft=session,
        project=project_of(kept, loaded.codec),
        merged=[(text[:60], "buffer"), (text[60:], "sketch")],
    )
    with closing(session):
        stats, _ = check(loaded, make_drafter(name, task), sampling, expected)
    if name != "universal":  # these bytes are no text, which no two tokenisations have in common
        assert stats.drafted
    assert not stats.tree_rounds


@pytest.mark.parametrize(
    "sampling",
    [GREEDY, *(replace(SAMPLED, seed=seed) for seed in (5, 6))],
    ids=["greedy", "5", "6"],
)
def test_a_hybrid_takes_tokens_back(sampling):
    """Texts that repeat themselves, too, as random weights write them."""
    expected = plain("float32", sampling, HYBRID)
    assert len(set(expected)) > 15
    for seed in range(4):
        drafter = MutatedOutput(expected, seed)
        stats, bonus = check(model("float32", HYBRID), drafter, sampling, expected)
        assert min(stats.accepted, stats.rejected, bonus) > 0


@samplings
def test_healed_prompts_decode_alike(sampling):
    loaded, prompt = model("q8_0"), PROMPT + "```\n"
    assert loaded.codec.heal(prompt)[1] == b"\n"
    expected = decode(loaded, NoDrafter(), sampling, prompt, healed=True)[0]
    drafter = MutatedOutput(expected, seed=2)
    stats, _ = check(loaded, drafter, sampling, expected, prompt=prompt, healed=True)
    assert min(stats.accepted, stats.rejected) > 0


@pytest.mark.parametrize("left", ["a prefix", "an answer"])
def test_what_closed_sequences_leave_changes_no_bit(left):
    """Not even what was written, in rounds of any width, and rolled back."""
    loaded, prompt = model("q8_0"), PROMPT * 3
    prompt_ids = loaded.codec.prompt_ids(prompt)
    loaded.drop_caches()
    expected = decode(loaded, NoDrafter(), prompt=prompt)[0]
    loaded.drop_caches()
    begun = prompt_ids[:-9] if left == "a prefix" else prompt_ids[:90]
    earlier = loaded.target.open([*begun, 5])
    earlier.prefill(begun)
    if left == "an answer":
        for at in range(90, len(prompt_ids) - 9, 7):
            base = earlier.length
            earlier.verify([*prompt_ids[at : at + 7], 11, 12], GREEDY)
            earlier.crop(base + 7)
    held = earlier.length
    earlier.close()
    stats, _ = check(loaded, MutatedOutput(expected, 3), GREEDY, expected, prompt=prompt)
    assert stats.cached_tokens >= min(held, len(prompt_ids) - 1) - 9 > 100
