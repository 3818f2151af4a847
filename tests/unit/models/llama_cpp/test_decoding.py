"""Drafts change no text, whoever drafts; what cannot go back is decoded plainly."""

from contextlib import closing

import pytest

from editd.config import Config, ModelConfig
from editd.decode.drafters.base import Draft
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.engine import Engine
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from tests import tiny
from tests.gguf_files import DEVICE, mamba_file
from tests.unit.models.llama_cpp.loaded import PROMPT, assert_close_logits, decoded, load


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.8, top_p=0.95, seed=7)])
@pytest.mark.parametrize("drafter", ["buffer", "buffer:tree+suffix", "prompt-lookup"])
def test_drafts_change_no_text(model, sampling, drafter):
    ids = model.codec.prompt_ids(PROMPT)[:200]
    plain = decoded(model, ids, "none", sampling, "")
    text = model.codec.decode(plain[0])
    wrong = text[:40] + " other " + text[55:]
    drafted = decoded(model, ids, drafter, sampling, wrong)
    assert drafted[0] == plain[0]
    if drafter.startswith("buffer"):
        assert drafted[1] < plain[1]


def test_a_tree_that_is_too_wide_is_cut(model):
    """A window that a user sets so large is no error."""

    class Bushy:
        name = "bushy"

        def propose(self, _output_ids, max_tokens):
            return Draft([5] * max_tokens, parents=[-1] * max_tokens)

        def observe(self, *_):
            pass

    ids = model.codec.prompt_ids(PROMPT)[:50]
    decoding = Decoding(
        model.target, ids, Bushy(), ends_answer=lambda _: False, max_new_tokens=400,
        window=FixedWindow(300),
    )  # fmt: skip
    while decoding.stats.rounds < 2:
        decoding.advance()
    decoding.close()
    assert decoding.stats.drafted == 2 * (model.target.widest_tree - 1)


def test_a_recurrent_model_is_decoded_plainly_and_says_so():
    """A Mamba as llama.cpp runs it: the source's logits, no draft verified, and a sentence."""
    loaded = load(mamba_file())
    assert not loaded.target.rewindable
    assert_close_logits(loaded, tiny.random_model("mamba", dtype="float32"), 0.01)
    config = Config(ModelConfig(str(mamba_file()), device=DEVICE, threads=1))
    with closing(Engine(config)) as engine:
        texts = []
        for drafter in ("none", "buffer"):
            # With a window of its own it is asked, whatever that costs.
            options = EditOptions(temperature=0.0, max_new_tokens=40, drafter=drafter, window=8)
            request = EditRequest("r", "x = 1\n" * 3, "double it", path="x.py", options=options)
            result = next(m for m in engine.edit(request) if isinstance(m, EditResult))
            *_, trace = engine.take_traces()
            texts.append("".join(piece.text for r in trace.rounds for piece in r.pieces))
            assert "cannot be rewound: nothing is drafted" in " ".join(result.notices)
            assert (result.stats.rounds, result.stats.drafted) == (40, 0)
        assert texts[0] == texts[1]


@pytest.mark.parametrize("which", ["llama_cpp beside torch", "torch beside llama_cpp"])
def test_draft_models_of_either_backend_beside_either(file, which):
    """A model drafts for itself in another library: nearly all is accepted, nothing changes."""
    names = [str(file), str(tiny.checkpoint("llama", dtype="float32"))]
    names = names if which.startswith("torch") else names[::-1]
    config = Config(ModelConfig(names[0], draft=names[1], device=DEVICE, threads=1))
    with closing(Engine(config)) as engine:
        texts = []
        for drafter in ("none", "draft-model"):
            # With a window of its own it is asked, whatever that costs.
            options = EditOptions(temperature=0.0, max_new_tokens=40, drafter=drafter, window=8)
            request = EditRequest("r", "x = 1\n" * 3, "double it", path="x.py", options=options)
            result = next(m for m in engine.edit(request) if isinstance(m, EditResult))
            *_, trace = engine.take_traces()
            texts.append("".join(piece.text for r in trace.rounds for piece in r.pieces))
        assert texts[0] == texts[1]
        assert result.stats.accepted > result.stats.rejected
