"""Drafts change no text of models that keep a recurrent state: every drafter writes what ``none`` writes.

Random weights in float32, greedy and with seeds. One row alone takes other kernels of llama.cpp, so a text may part
where a choice was closer than the margin that is promised.
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
from tests.architectures import RECURRENT, random_file
from tests.gguf_files import DEVICE
from tests.lossless.test_families import PROMPT, MutatedOutput, decode
from tests.lossless.test_llama_cpp import project_of

pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

QUICK = ("qwen35", "qwen35moe", "lfm2", "granitehybrid", "mamba2")
COMPOSED = ("buffer+suffix", "buffer:tree+suffix", "buffer+draft-model")
SAMPLED = [Sampling(temperature=0.9, top_p=0.95, seed=seed) for seed in (5, 6)]


@cache
def model(architecture):
    return registry.load(ModelSpec(str(random_file(architecture)), device=DEVICE, threads=1))


@pytest.fixture(scope="module", autouse=True)
def _closed():
    yield
    for architecture in RECURRENT:
        model(architecture).close()


@cache
def plain(architecture, sampling):
    output_ids, stats, _ = decode(model(architecture), NoDrafter(), sampling)
    assert len(set(output_ids)) > 15  # the text varies, so that equality means something
    return output_ids, stats


def check(architecture, drafter, sampling):
    expected, stats_of_plain = plain(architecture, sampling)
    output_ids, stats, _ = decode(model(architecture), drafter, sampling)
    assert output_ids == expected or stats.near_ties + stats_of_plain.near_ties
    assert stats.tree_rounds == 0
    return stats


def drafted(architecture, name, sampling):
    """By drafter ``name``, on a buffer that is the plain output with every seventh token gone."""
    loaded = model(architecture)
    expected, _ = plain(architecture, sampling)
    kept = [token_id for index, token_id in enumerate(expected) if index % 7]
    session = DraftSession(loaded, loaded, sampling, acceptance="coupled", cost=0.01)
    task = DraftTask(
        prompt_ids=loaded.codec.prompt_ids(PROMPT),
        prediction=loaded.codec.decode(kept),
        answer_opening="",
        codec=loaded.codec,
        trees=loaded.target.supports_trees,
        draft=session,
        project=project_of(kept, loaded.codec),
    )
    with closing(session):
        return check(architecture, make_drafter(name, task), sampling)


NAMES = [*(name for name in DRAFTERS if name != "none"), *COMPOSED]


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED[0]], ids=["greedy", "sampled"])
@pytest.mark.parametrize("architecture", QUICK)
def test_drafts_are_accepted_and_change_no_text(architecture, sampling):
    stats = check(architecture, MutatedOutput(plain(architecture, sampling)[0], 0), sampling)
    assert min(stats.accepted, stats.rejected) > 0
    drafted(architecture, "buffer+suffix", sampling)


@pytest.mark.parametrize("name", NAMES)
def test_every_drafter(name):
    stats = drafted("qwen35", name, GREEDY)
    if name not in ("universal", "sketch"):  # which have nothing to draft here
        assert stats.drafted


@pytest.mark.slow
@pytest.mark.parametrize("sampling", [GREEDY, *SAMPLED], ids=["greedy", "5", "6"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("architecture", RECURRENT)
def test_every_drafter_on_every_architecture(architecture, name, sampling):
    drafted(architecture, name, sampling)
    for seed in range(4):
        check(architecture, MutatedOutput(plain(architecture, sampling)[0], seed), sampling)
