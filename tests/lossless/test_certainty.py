"""How sure a model says that it was of its own tokens is what one plain pass over the text says.

A wrong row, a filter taken for the model's opinion or a draft's token taken for its own would each tell
a person that the model hesitated where it did not.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from editd.decode.detokenizer import Healing
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.models import registry
from editd.models.model import ModelSpec
from editd.models.torch.loading import load
from tests import numpy_llama, tiny
from tests.gguf_files import wide_checkpoint, wide_file
from tests.lossless.test_families import NEW_TOKENS, PROMPT, MutatedOutput

SAMPLED = Sampling(temperature=0.8, top_k=20, top_p=0.95, seed=4)
HOT = Sampling(temperature=1.4, seed=2)
FOLDER = tiny.checkpoint("llama", dtype="float32")


def torch_model(exactness="auto"):
    spec = ModelSpec(str(FOLDER), device="cpu", dtype="float32", threads=1, exactness=exactness)
    return load(spec)


def llama_cpp():
    pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")
    return registry.load(ModelSpec(str(wide_file("llama", "float32")), device="cpu", threads=1))


MODELS = {
    "torch": torch_model,
    "bitwise": lambda: torch_model("bitwise"),
    "numpy": lambda: numpy_llama.load(ModelSpec(str(FOLDER))),
    "llama.cpp": llama_cpp,
}


@cache
def model(kind):
    return MODELS[kind]()


@cache
def transformers(folder):
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(Path(folder), dtype=torch.float64)


@torch.inference_mode()
def expected(kind, token_ids):
    """log p of every next token after each of ``token_ids``, ``[len(token_ids), vocab_size]``."""
    folder = wide_checkpoint("llama") if kind == "llama.cpp" else FOLDER
    return transformers(str(folder))(torch.tensor([token_ids])).logits[0].log_softmax(-1)


def rounds(loaded, drafter, sampling, prompt_ids, *, allowed=None, ends=lambda _: False):
    decoding = Decoding(
        loaded.target,
        prompt_ids,
        drafter,
        ends_answer=ends,
        max_new_tokens=NEW_TOKENS,
        sampling=sampling,
        window=FixedWindow(40),
        allowed=allowed,
    )
    done = []
    while decoding.finish_reason is None:
        if (added := decoding.advance()) is not None:
            done.append(added)
    decoding.close()
    return done, decoding.output_ids


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED, HOT], ids=["greedy", "sampled", "hot"])
@pytest.mark.parametrize("kind", MODELS)
def test_what_is_said_of_new_tokens_is_what_a_plain_pass_says(kind, sampling):
    loaded = model(kind)
    prompt_ids = loaded.codec.prompt_ids(PROMPT)
    told = {}  # place in the output: what plain decoding said of the token there
    plain, output_ids = rounds(loaded, NoDrafter(), sampling, prompt_ids)
    for place, added in enumerate(plain):
        told[place] = added.certainty
    log_probs = expected(kind, [*prompt_ids, *output_ids])
    compared, near = 0, 0.05 if kind == "llama.cpp" else 2e-3  # its keys are in half precision
    for branches in (0, 1, 3) if loaded.target.supports_trees else (0, 1):
        drafter = MutatedOutput(output_ids, branches, branches=branches, rate=0.2)
        done, found = rounds(loaded, drafter if branches else NoDrafter(), sampling, prompt_ids)
        assert found == output_ids
        place = 0
        for added in done:
            place += len(added.token_ids)
            if added.sources[-1] != "new":
                assert added.certainty is None
                continue
            said = added.certainty
            others = log_probs[len(prompt_ids) + place - 2].clone()
            mine = float(others[added.token_ids[-1]])
            others[added.token_ids[-1]] = -math.inf
            assert said.log_prob == pytest.approx(mine, abs=near)
            assert float(others[said.rival_id]) == pytest.approx(float(others.max()), abs=near)
            assert said.log_prob == pytest.approx(told[place - 1].log_prob, abs=near)
            compared += 1
    assert compared > NEW_TOKENS
    assert len({round(one.log_prob, 3) for one in told.values()}) > 15


def test_nothing_is_said_of_a_limited_token_or_one_that_was_not_reached():
    loaded = model("torch")
    prompt_ids, required = loaded.codec.heal(PROMPT + " resul")
    assert required
    done, output_ids = rounds(
        loaded, NoDrafter(), GREEDY, prompt_ids, allowed=Healing(loaded.codec, required)
    )
    assert done[0].certainty is None
    assert done[-1].certainty is not None
    prompt_ids = loaded.codec.prompt_ids(PROMPT)
    _, output_ids = rounds(loaded, NoDrafter(), GREEDY, prompt_ids)
    last = output_ids[5]
    drafter = MutatedOutput(output_ids, 0, rate=1e-9)
    done, _ = rounds(loaded, drafter, GREEDY, prompt_ids, ends=lambda token_id: token_id == last)
    assert [added.certainty for added in done if added.sources[-1] != "new"] in ([], [None])


def test_it_costs_little_of_a_large_vocabulary():
    """One row is looked at, however many were verified."""
    from editd.models.sampling import Arrays, choose

    class Counting(Arrays):
        rows = 0

        def certainty(self, scores, token_id):
            assert scores.ndim == 1
            self.rows += 1
            return super().certainty(scores, token_id)

    logits = np.random.default_rng(0).normal(0, 3, (32, 50_000)).astype(np.float32)
    before, lib = logits.copy(), Counting()
    choose(logits, GREEDY, range(32), range(32), lib=lib)
    assert lib.rows == 1
    assert (logits == before).all()
