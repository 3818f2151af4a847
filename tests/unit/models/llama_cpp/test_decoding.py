"""Drafts change no text, whoever drafts, also where a state is recurrent; what cannot go back is decoded plainly."""

from contextlib import closing

import pytest

from editd.config import Config, ModelConfig
from editd.decode.drafters.base import Draft
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.engine import Engine
from editd.errors import ConfigError
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from editd.models.llama_cpp.library import load_library
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


def edited(file, drafter):
    """The text that an engine decodes with ``file``, and the edit's result."""
    with closing(Engine(Config(ModelConfig(str(file), device=DEVICE, threads=1)))) as engine:
        # With a window of its own it is asked, whatever that costs.
        options = EditOptions(temperature=0.0, max_new_tokens=40, drafter=drafter, window=8)
        request = EditRequest("r", "x = 1\n" * 3, "double it", path="x.py", options=options)
        result = next(m for m in engine.edit(request) if isinstance(m, EditResult))
        *_, trace = engine.take_traces()
    return "".join(piece.text for r in trace.rounds for piece in r.pieces), result


def test_a_recurrent_model_has_the_sources_logits_and_is_drafted_for():
    loaded = load(mamba_file())
    assert (loaded.target.rewindable, loaded.target.supports_trees) == (True, False)
    assert_close_logits(loaded, tiny.random_model("mamba", dtype="float32"), 0.01)
    plain, _ = edited(mamba_file(), "none")
    drafted, result = edited(mamba_file(), "buffer:tree+suffix")
    assert drafted == plain
    assert result.stats.drafted > 0
    assert "cannot be rewound" not in " ".join(result.notices)


def test_a_recurrent_model_that_fails_its_first_check_is_decoded_plainly_and_says_so(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    library = load_library()
    plainly = library.llama_memory_seq_cp
    monkeypatch.setitem(library.__dict__, "llama_memory_seq_cp", lambda *_: None)
    text, result = edited(mamba_file(), "buffer")
    assert "cannot be rewound: nothing is drafted" in " ".join(result.notices)
    assert (result.stats.rounds, result.stats.drafted) == (40, 0)
    monkeypatch.setitem(library.__dict__, "llama_memory_seq_cp", plainly)
    again, result = edited(mamba_file(), "buffer")  # which was checked once
    assert (again, result.stats.drafted) == (text, 0)


def test_bitwise_is_refused_for_a_recurrent_model():
    with pytest.raises(ConfigError, match=r"bitwise, and narrow passes .*recurrent state: set it"):
        load(mamba_file(), exactness="bitwise")


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
