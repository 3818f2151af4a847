"""Drafts on llama.cpp change no text: chains and trees, every drafter, greedy and sampled.

In bitwise mode there is no excuse. In the usual one a text may part from plain decoding's where a
choice was closer than the margin that is promised, and the figures say so.
"""

from __future__ import annotations

from contextlib import closing
from functools import cache

import pytest

from editd.decode.drafters import DRAFTERS, make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.drafters.draft_session import DraftSession
from editd.decode.target import GREEDY, Sampling
from editd.models import registry
from editd.models.model import ModelSpec
from editd.workspace.index import FileTokens, Index
from tests.gguf_files import DEVICE, wide_file
from tests.lossless.test_families import PROMPT, MutatedOutput, decode

pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

SAMPLED = Sampling(temperature=0.9, top_p=0.95, seed=5)
samplings = pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
kinds = pytest.mark.parametrize("weights", ["float32", "q8_0", "q4_1", "q4_k_m"])
COMPOSED = ("buffer+suffix", "buffer:tree+suffix", "buffer+draft-model")


@pytest.fixture(scope="module", autouse=True)
def _closed():
    yield
    for spec in LOADED:
        model(*spec).close()


LOADED: set[tuple[str, str, str]] = set()


@cache
def model(weights, exactness, family="llama"):
    file = wide_file(family, weights)
    loaded = registry.load(ModelSpec(str(file), device=DEVICE, threads=1, exactness=exactness))
    LOADED.add((weights, exactness, family))
    assert loaded.target.exactness == {"auto": "near-tie", "bitwise": "bitwise"}[exactness]
    return loaded


@cache
def plain(weights, exactness, sampling, family="llama"):
    return decode(model(weights, exactness, family), NoDrafter(), sampling)


def check(loaded, drafter, sampling, expected):
    output_ids, stats, bonus = decode(loaded, drafter, sampling)
    assert stats.exactness == loaded.target.exactness
    if output_ids != expected[0]:
        assert stats.exactness == "near-tie"
        assert stats.near_ties + expected[1].near_ties
    return stats, bonus


@samplings
@kinds
def test_bitwise_is_plain_decoding_without_excuse(weights, sampling):
    expected = plain(weights, "bitwise", sampling)
    assert len(set(expected[0])) > 15  # the text varies, so that equality means something
    for seed in range(2):
        drafter = MutatedOutput(expected[0], seed)
        stats, bonus = check(model(weights, "bitwise"), drafter, sampling, expected)
        assert min(stats.accepted, stats.rejected, bonus) > 0
        assert stats.near_ties == 0


@samplings
@kinds
def test_near_tie_is_plain_decoding_but_for_near_ties(weights, sampling):
    expected = plain(weights, "auto", sampling)
    for branches in (1, 3):
        drafter = MutatedOutput(expected[0], seed=1, branches=branches, rate=0.15)
        stats, _ = check(model(weights, "auto"), drafter, sampling, expected)
        assert min(stats.accepted, stats.rejected) > 0
        assert bool(stats.tree_rounds) == (branches > 1)


@samplings
@pytest.mark.parametrize("name", [*(name for name in DRAFTERS if name != "none"), *COMPOSED])
@pytest.mark.parametrize(
    ("weights", "exactness"), [("float32", "auto"), ("q4_k_m", "auto"), ("q8_0", "bitwise")]
)
def test_every_drafter(weights, exactness, name, sampling):
    """On a buffer that is the plain output with every seventh token gone; trees where they may be."""
    loaded = model(weights, exactness)
    expected = plain(weights, exactness, sampling)
    kept = [token_id for index, token_id in enumerate(expected[0]) if index % 7]
    text = loaded.codec.decode(kept)
    session = DraftSession(
        model("q4_k_m", "auto"), loaded, sampling, acceptance="coupled", cost=0.01
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
    assert bool(stats.tree_rounds) == (":tree" in name and loaded.target.supports_trees)


def project_of(token_ids, codec):
    """A project of one file, of these tokens."""
    return Index([FileTokens.of("a.py", token_ids, codec)])


@pytest.mark.parametrize("family", ["qwen2", "qwen3", "mistral"])
def test_other_families_bit_for_bit(family):
    expected = plain("float32", "bitwise", GREEDY, family)
    loaded = model("float32", "bitwise", family)
    stats, bonus = check(loaded, MutatedOutput(expected[0], 0), GREEDY, expected)
    assert min(stats.accepted, stats.rejected, bonus) > 0


@samplings
def test_healed_prompts_decode_alike(sampling):
    loaded, prompt = model("q8_0", "bitwise"), PROMPT + "```\n"
    assert loaded.codec.heal(prompt)[1] == b"\n"
    expected = decode(loaded, NoDrafter(), sampling, prompt, healed=True)[0]
    assert loaded.codec.decode(expected).startswith("\n")
    drafter = MutatedOutput(expected, seed=2)
    output_ids, stats, _ = decode(loaded, drafter, sampling, prompt, healed=True)
    assert output_ids == expected
    assert min(stats.accepted, stats.rejected) > 0


def test_a_warmed_prefix_changes_no_bit():
    loaded, prompt = model("q8_0", "bitwise"), PROMPT * 3
    loaded.drop_caches()
    expected = decode(loaded, NoDrafter(), prompt=prompt)[0]
    loaded.drop_caches()
    prompt_ids = loaded.codec.prompt_ids(prompt)
    warm = loaded.target.open([*prompt_ids[:-9], 5])
    warm.prefill(prompt_ids[:-9])
    warm.close()
    output_ids, stats, _ = decode(loaded, MutatedOutput(expected, 3), prompt=prompt)
    assert output_ids == expected
    assert stats.cached_tokens >= loaded.target.prefill_chunk


def test_two_edits_at_once():
    """Rounds of two sequences in turns, and one that is closed before the other goes on."""
    loaded = model("q8_0", "bitwise")
    prompts = [loaded.codec.prompt_ids(text) for text in (PROMPT, PROMPT[::-1])]
    alone = [decode(loaded, NoDrafter(), prompt=text)[0][:8] for text in (PROMPT, PROMPT[::-1])]
    sequences = [loaded.target.open(ids) for ids in prompts]
    for sequence, ids in zip(sequences, prompts, strict=True):
        sequence.prefill(ids[sequence.length : -1])
    written = [[ids[-1]] for ids in prompts]
    for turn in range(8):
        for sequence, ids in zip(sequences, written, strict=True):
            if turn < 5 or ids is written[1]:
                ids.extend(sequence.verify(ids[-1:], GREEDY).choice_ids)
        if turn == 4:
            sequences[0].close()
    sequences[1].close()
    assert written[0][1:] == alone[0][:5]
    assert written[1][1:] == alone[1]
