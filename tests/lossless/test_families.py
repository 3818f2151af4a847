"""Per family of models: plain decoding is transformers' own, speculative decoding is plain.

Tiny models in float64, where no two ways of computing a logit tie. Random weights never accept a
buffer as draft, so drafts come from the plain output with seeded mutations, and each run must have
accepted, rejected and added as bonus.
"""

from __future__ import annotations

import random
from functools import cache

import pytest
import torch
from transformers import DynamicCache

from editd.decode.detokenizer import Healing
from editd.decode.drafters.base import EMPTY, Draft
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.models.model import ModelSpec
from editd.models.torch.loading import load
from tests import tiny

NEW_TOKENS = 64
PROMPT = "".join(tiny.corpus(4))[:400]
SAMPLED = Sampling(temperature=0.9, top_p=0.95, seed=5)
samplings = pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
families = pytest.mark.parametrize("family", tiny.ATTENTION_FAMILIES)
SLIDING = ("qwen2-sliding", "mistral", "gemma2", "gemma3", "phi3", "starcoder2")


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@cache
def model(family, tokenizer="byte-level"):
    folder = tiny.checkpoint(family, tokenizer=tokenizer)
    return load(ModelSpec(str(folder), device=tiny.DEVICE, dtype="float64", threads=1))


class MutatedOutput:
    """Drafts what plain decoding wrote, with a token replaced, inserted or deleted now and then."""

    name = "mutated"

    def __init__(self, plain_ids, seed, *, branches=1, rate=0.06):
        self.plain_ids = plain_ids
        self.chance = random.Random(seed)
        self.branches = branches
        self.rate = rate

    def propose(self, output_ids, max_tokens):
        rest = self.plain_ids[len(output_ids) :]
        length = min(self.chance.choice([3, 12, 40]), max_tokens)
        if self.branches == 1:
            return Draft(self.mutated(rest)[:length])
        drafted, parents = [], []
        for _ in range(self.branches):
            branch = self.mutated(rest)[: length // self.branches]
            parents += [-1, *range(len(drafted), len(drafted) + len(branch) - 1)][: len(branch)]
            drafted += branch
        return Draft(drafted, parents=parents) if drafted else EMPTY

    def mutated(self, token_ids):
        result = []
        for token_id in token_ids:
            change = self.chance.random() / self.rate
            if change < 1 / 3:
                result.append(3 + (token_id + 50) % 400)
            elif change < 2 / 3:
                result += [token_id, 3 + (token_id + 77) % 400]
            elif change >= 1:
                result.append(token_id)
        return result

    def observe(self, accepted_ids):
        pass


def decode(loaded, drafter, sampling=GREEDY, prompt=PROMPT, *, healed=False):
    """The output ids, the figures, and how many rounds accepted all of a draft."""
    prompt_ids, required = loaded.codec.prompt_ids(prompt), b""
    if healed:
        prompt_ids, required = loaded.codec.heal(prompt)
    decoding = Decoding(
        loaded.target,
        prompt_ids,
        drafter,
        ends_answer=lambda _: False,
        max_new_tokens=NEW_TOKENS,
        sampling=sampling,
        window=FixedWindow(40),
        allowed=Healing(loaded.codec, required) if required else None,
    )
    bonus = 0
    while decoding.finish_reason is None:
        added = decoding.advance()
        bonus += added is not None and added.num_drafted == added.num_accepted > 0
    decoding.close()
    return decoding.output_ids, decoding.stats, bonus


@cache
def plain(family, sampling=GREEDY, prompt=PROMPT, tokenizer="byte-level"):
    return decode(model(family, tokenizer), NoDrafter(), sampling, prompt)[0]


@families
def test_plain_decoding_is_that_of_transformers(family):
    loaded = model(family)
    prompt_ids = loaded.codec.prompt_ids(PROMPT)
    reference = tiny.random_model(family)  # untouched by this package
    generated = reference.generate(
        torch.tensor([prompt_ids]),
        attention_mask=torch.ones(1, len(prompt_ids), dtype=torch.int64),
        max_new_tokens=NEW_TOKENS,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=2,
        past_key_values=DynamicCache(config=reference.config),
    )
    output_ids = plain(family)
    assert output_ids == generated[0, len(prompt_ids) :].tolist()
    assert len(set(output_ids)) > 15  # the text varies, so that equality means something


@samplings
@families
def test_speculative_decoding_is_plain_decoding(family, sampling):
    expected = plain(family, sampling)
    drafter = MutatedOutput(expected, seed=0)
    output_ids, stats, bonus = decode(model(family), drafter, sampling)
    assert output_ids == expected
    assert min(stats.accepted, stats.rejected, bonus) > 0
    assert stats.rounds < NEW_TOKENS / 2
    assert stats.near_ties == 0


@samplings
@families
def test_trees_are_plain_decoding(family, sampling):
    expected = plain(family, sampling)
    drafter = MutatedOutput(expected, seed=1, branches=3, rate=0.15)
    output_ids, stats, _ = decode(model(family), drafter, sampling)
    assert output_ids == expected
    assert stats.accepted > 0
    assert stats.rejected > 0
    assert stats.rounds < NEW_TOKENS / 2


@pytest.mark.parametrize(
    "family", ["llama", "mistral", "gpt2"]
)  # what is limited is the first tokens
def test_healed_prompts_decode_alike(family):
    loaded = model(family)
    prompt = PROMPT + "```\n"
    assert loaded.codec.heal(prompt)[1] == b"\n"
    expected = decode(loaded, NoDrafter(), prompt=prompt, healed=True)[0]
    assert loaded.codec.decode(expected).startswith("\n")
    output_ids, stats, _ = decode(
        loaded, MutatedOutput(expected, seed=2), prompt=prompt, healed=True
    )
    assert output_ids == expected
    assert stats.accepted > 0
    assert stats.rejected > 0


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
def test_a_byte_fallback_tokenizer_decodes_alike(sampling):
    tokenizer = "sentencepiece"
    loaded = model("llama", tokenizer)
    expected = decode(loaded, NoDrafter(), sampling)[0]
    output_ids, stats, bonus = decode(loaded, MutatedOutput(expected, seed=3), sampling)
    assert output_ids == expected
    assert min(stats.accepted, stats.rejected, bonus) > 0


@pytest.mark.parametrize("family", SLIDING)
def test_windows_are_shorter_than_text_and_draft(family):
    loaded = model(family)
    window = loaded.target.config.sliding_window
    assert window < 40  # FixedWindow above
    assert window < len(loaded.codec.prompt_ids(PROMPT)) // 2
