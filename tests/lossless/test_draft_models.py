"""Draft models change nothing but the number of rounds: greedy, coupled, and in distribution.

Tiny models in float64. The draft model has the target's weights, nearly these, others, another
architecture, or another tokenizer; random weights agree on nothing, which is the hostile case.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest
import torch

from editd.decode.detokenizer import Healing
from editd.decode.drafters import draft_model, make_drafter
from editd.decode.drafters.base import Draft, DraftTask
from editd.decode.drafters.draft_session import DraftSession
from editd.decode.speculative import Decoding
from editd.decode.target import ANY_WIDTH, GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.models import sampling as choices
from editd.models.model import ModelSpec
from editd.models.torch.loading import load
from tests import tiny
from tests.distributions import target_probs

NEW_TOKENS = 40
PROMPT = "".join(tiny.corpus(3))[:300]
SAMPLED = Sampling(temperature=0.9, top_p=0.97, seed=5)
samplings = pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@cache
def model(family, tokenizer="byte-level", dtype="float64", change="", context=0):
    folder = tiny.checkpoint(family, tokenizer=tokenizer)
    if change:
        folder = folder.with_name(f"{folder.name}-{change}")
        if not folder.exists():
            weights = tiny.random_model(family, seed=1 if change == "other" else 0)
            if change == "nearly":
                torch.manual_seed(3)
                for parameter in weights.parameters():
                    parameter.data += 0.004 * torch.randn_like(parameter)
            tiny.save(folder, weights, tokenizer=tokenizer)
    spec = ModelSpec(str(folder), device=tiny.DEVICE, dtype=dtype, threads=1, max_context=context)
    return load(spec)


# Drafter, draft model, and whether the target takes some of what it says.
DRAFTS = {
    "same weights": ("draft-model", lambda: model("llama"), True),
    "nearly the same": ("draft-model", lambda: model("llama", change="nearly"), True),
    "in half the precision": ("draft-model", lambda: model("llama", dtype="float32"), True),
    "other weights": ("draft-model", lambda: model("llama", change="other"), False),
    "other family": ("draft-model", lambda: model("gpt2"), False),
    # Random weights write bytes that are no text, which no two tokenisations have in common.
    "universal, same tokens": ("universal", lambda: model("llama"), False),
    "universal, other tokens": ("universal", lambda: model("llama", "sentencepiece"), False),
    "after the buffer": ("buffer+draft-model", lambda: model("llama"), True),
}


def eos(loaded, plain_ids):
    """An id that the plain output has somewhere in the middle."""
    return lambda: plain_ids[len(plain_ids) // 2].__eq__


def stop_string(loaded, plain_ids):
    """Text that the plain output says, across tokens."""
    said = loaded.codec.decode(plain_ids[10:30])
    word = said[3:6]

    def make():
        heard = []

        def ends(token_id):
            heard.append(token_id)
            return word in loaded.codec.decode(heard)

        return ends

    return make


def never(loaded, plain_ids):
    return lambda: lambda token_id: False


def decode(
    spec,
    draft,
    *,
    target="llama",
    tokenizer="byte-level",
    sampling=GREEDY,
    window=8,
    acceptance="coupled",
    ends=lambda _: False,
    healed=False,
    tokens=NEW_TOKENS,
    draft_seed=None,
):
    loaded = model(target, tokenizer)
    prompt_ids, required = loaded.codec.prompt_ids(PROMPT), b""
    if healed:
        prompt_ids, required = loaded.codec.heal(PROMPT + "```\n")
    notes = []
    session = None
    if draft is not None:
        session = DraftSession(
            # A cost this small lets models draft that are sure of nothing.
            draft,
            loaded,
            sampling=sampling if draft_seed is None else replace(sampling, seed=draft_seed),
            acceptance=acceptance,
            cost=0.01,
            note=notes.append,
        )
    task = DraftTask(prompt_ids, PROMPT, "", loaded.codec, draft=session)
    decoding = Decoding(
        loaded.target,
        prompt_ids,
        make_drafter(spec, task),
        ends_answer=ends,
        max_new_tokens=tokens,
        sampling=sampling,
        window=FixedWindow(window),
        allowed=Healing(loaded.codec, required) if required else None,
    )
    while decoding.finish_reason is None:
        decoding.advance()
    decoding.close()
    if session:
        session.close()
    return SimpleNamespace(
        ids=decoding.output_ids,
        reason=decoding.finish_reason,
        stats=decoding.stats,
        notes=notes,
        read=sum(reading.num_read for reading in session.readings) if session else 0,
    )


@cache
def plain(sampling=GREEDY, healed=False, tokenizer="byte-level"):
    return decode("none", None, sampling=sampling, healed=healed, tokenizer=tokenizer).ids


@samplings
@pytest.mark.parametrize("name", DRAFTS)
def test_the_text_is_that_of_plain_decoding(name, sampling):
    spec, draft, agrees = DRAFTS[name]
    accepted = rejected = 0
    expected = plain(sampling)
    assert len(set(expected)) > 12
    for window in (2, 16):
        found = decode(spec, draft(), sampling=sampling, window=window)
        assert found.ids == expected, window
        assert found.stats.near_ties == 0
        assert found.notes == []
        accepted += found.stats.accepted
        rejected += found.stats.rejected
    assert accepted > 10 or not agrees
    if name == "same weights":
        assert found.stats.rejected == 0
        assert found.stats.tokens_per_round > 5
    if name == "nearly the same":
        assert rejected > 0


@pytest.mark.parametrize("stop", [eos, stop_string, never])
@pytest.mark.parametrize("name", ["same weights", "nearly the same", "universal, same tokens"])
def test_it_stops_where_plain_decoding_stops(name, stop):
    spec, draft, _ = DRAFTS[name]
    ends = stop(model("llama"), plain())
    expected = decode("none", None, ends=ends())
    assert expected.reason == ("length" if stop is never else "stop")
    for window in (2, 13):
        found = decode(spec, draft(), ends=ends(), window=window)
        assert (found.ids, found.reason) == (expected.ids, expected.reason)


@samplings
@pytest.mark.parametrize("name", ["same weights", "universal, other tokens"])
def test_healed_prompts_are_continued_alike(name, sampling):
    spec, draft, _ = DRAFTS[name]
    found = decode(spec, draft(), sampling=sampling, healed=True)
    assert found.ids == plain(sampling, healed=True)


@samplings
def test_between_tokenizers_the_other_way_round(sampling):
    found = decode("universal", model("qwen2"), tokenizer="sentencepiece", sampling=sampling)
    assert found.ids == plain(sampling, tokenizer="sentencepiece")
    assert found.stats.drafted > 0


def test_coupled_text_depends_on_the_seed_alone():
    seed = 1
    sampling = replace(SAMPLED, seed=seed, temperature=1.4)
    texts = {
        name: decode(spec, draft(), sampling=sampling, window=6).ids
        for name, (spec, draft, _) in DRAFTS.items()
    }
    texts["prompt-lookup"] = decode("prompt-lookup", None, sampling=sampling).ids
    expected = plain(sampling)
    assert all(ids == expected for ids in texts.values())
    assert expected != plain(replace(sampling, seed=seed + 10))


def test_shared_noise_makes_a_near_model_agree():
    sampling = Sampling(temperature=1.0, seed=4)
    draft = model("llama", change="nearly")
    coupled = decode("draft-model", draft, sampling=sampling)
    judged = decode("draft-model", draft, sampling=sampling, acceptance="rejection")
    foreign = decode("draft-model", draft, sampling=sampling, draft_seed=5)
    assert coupled.stats.tokens_per_round > 3
    assert judged.stats.tokens_per_round > 3
    assert foreign.ids == coupled.ids
    assert foreign.stats.tokens_per_round < 2


def test_the_target_itself_as_draft_model_is_never_rejected():
    sampling = Sampling(temperature=1.0, top_k=40, seed=2)
    found = decode("draft-model", model("llama"), sampling=sampling, acceptance="rejection")
    assert found.stats.drafted > 20
    assert found.stats.rejected <= 1  # rounding, where both distributions agree but for it


@pytest.mark.parametrize("name", ["same weights", "nearly the same"])
def test_the_draft_model_computes_nothing_twice(name):
    spec, draft, _ = DRAFTS[name]
    runner = draft().target
    runner.drop_caches()
    model("llama").target.drop_caches()  # the same one, or not
    found = decode(spec, draft(), window=8)
    prompt = len(model("llama").codec.prompt_ids(PROMPT))
    assert found.read <= prompt + len(found.ids) + found.stats.rejected
    assert found.read >= prompt + len(found.ids) - 9  # the last round's draft may go unread


def test_a_draft_model_with_a_short_context_leaves_with_one_notice():
    length = len(model("llama").codec.prompt_ids(PROMPT))
    found = decode("draft-model", model("llama", context=length + 20))
    assert found.ids == plain()
    assert len(found.notes) == 1
    assert found.stats.accepted > 5
    assert decode("universal", model("llama", context=30)).ids == plain()


# --- the rejection rule, through the whole loop --------------------------------------------------

VOCAB, MANY = 5, 3000
LIMIT = 45.3  # 99.9 % quantile of chi-square with 5 * 4 degrees of freedom; seeds are fixed


class Chain:
    """A language model in a table: the next token depends on the last one alone."""

    def __init__(self, seed, spread=1.5):
        generator = torch.Generator().manual_seed(seed)
        logits = spread * torch.randn(VOCAB, VOCAB, generator=generator, dtype=torch.float64)
        self.logits = (
            logits.numpy()
        )  # the rule is written once for both libraries; this one is quick
        self.codec = Letters()
        self.name, self.stop_ids, self.render_chat = f"chain {seed}", frozenset(), None
        self.vocab_size, self.max_context, self.prefill_chunk = VOCAB, 1 << 20, 64
        self.rewindable, self.supports_trees, self.exactness = True, False, "token"
        self.near_tie_margin, self.widest_tree = 0.0, ANY_WIDTH

    @property
    def target(self):
        return self

    def open(self, prompt_ids):
        return ChainSequence(self)


class Letters:
    vocab_size = VOCAB

    def token_bytes(self, token_id):
        return b"abcde"[token_id : token_id + 1]

    def word_of(self, token_id):
        return "abcde"[token_id]


class ChainSequence:
    cached_tokens = 0

    def __init__(self, chain):
        self.chain, self.length = chain, 0

    def prefill(self, token_ids):
        self.length += len(token_ids)

    def verify(self, token_ids, sampling, *, parents=None, draft_probs=None, allowed=None):
        start = self.length
        self.length += len(token_ids)
        positions = range(start + 1, self.length + 1)
        logits = self.chain.logits[list(token_ids)]
        return choices.choose(logits, sampling, positions, token_ids, draft_probs, allowed)

    def draw(self, token_ids, sampling, *, vocab_size=0, allowed=None, independent=False):
        self.length += len(token_ids)
        logits = self.chain.logits[list(token_ids)[-1:]]
        return choices.draw(logits, sampling, self.length, allowed=allowed, independent=independent)

    def crop(self, length):
        self.length = length

    def close(self):
        pass


def transitions(sampling, drafter="draft-model", acceptance="rejection", many=MANY):
    """How often each token followed each, in one long text drafted by another chain."""
    target, draft = Chain(1), Chain(2)
    session = DraftSession(draft, target, sampling=sampling, acceptance=acceptance)
    task = DraftTask([0], "", "", target.codec, draft=session)
    decoding = Decoding(
        target,
        [0],
        make_drafter(drafter, task) if isinstance(drafter, str) else drafter(task),
        ends_answer=lambda _: False,
        max_new_tokens=many,
        sampling=sampling,
        window=FixedWindow(4),
    )
    while decoding.finish_reason is None:
        decoding.advance()
    counts = torch.zeros(VOCAB, VOCAB, dtype=torch.float64)
    for before, after in zip([0, *decoding.output_ids], decoding.output_ids, strict=False):
        counts[before, after] += 1
    return counts, decoding.stats


def chi_square(counts, sampling):
    """Against the target's own transitions; cells that may not be hit at all count infinitely."""
    probs = target_probs(torch.from_numpy(Chain(1).logits), sampling)
    expected = probs * counts.sum(1, keepdim=True)
    if bool((counts[expected == 0] > 0).any()):
        return math.inf
    cells = expected > 0
    return float(((counts - expected)[cells] ** 2 / expected[cells]).sum())


PLAIN = Sampling(temperature=1.0, seed=7)
FILTERED = Sampling(temperature=0.8, top_k=4, top_p=0.95, seed=8)


@pytest.mark.parametrize("sampling", [PLAIN, FILTERED], ids=["plain", "filtered"])
@pytest.mark.parametrize("acceptance", ["rejection", "coupled"])
def test_the_distribution_is_the_targets(sampling, acceptance):
    counts, stats = transitions(sampling, acceptance=acceptance)
    assert stats.accepted > MANY / 5
    assert stats.rejected > MANY / 20
    assert chi_square(counts, sampling) < LIMIT


def accept_the_wrong_way_round(target, columns, drafted, draft, own_ids, seed, positions, lib):
    """Accepts with min(1, q / p)."""
    p, q = (lib.gather(one, drafted[:, None])[:, 0] for one in (target, draft))
    accepted = choices.uniform(seed, positions, lib) * p < q
    residual = (target - draft).clip(0.0)
    keyed = choices.gumbel(seed, positions, columns, lib)
    return lib.where(accepted, drafted, (lib.log(residual) + keyed).argmax(-1))


def resample_from_the_target(target, columns, drafted, draft, own_ids, seed, positions, lib):
    """Accepts with min(1, p / q), but replaces from p instead of norm(max(0, p - q))."""
    p, q = (lib.gather(one, drafted[:, None])[:, 0] for one in (target, draft))
    return lib.where(choices.uniform(seed, positions, lib) * q < p, drafted, own_ids)


@pytest.mark.parametrize("rule", [accept_the_wrong_way_round, resample_from_the_target])
def test_a_wrong_rule_is_found_out(rule, monkeypatch):
    monkeypatch.setattr(choices, "_accept_or_recover", rule)
    assert chi_square(transitions(PLAIN)[0], PLAIN) > 3 * LIMIT


class DropsWhatLooksUnlikely(draft_model.DraftModelDrafter):
    """Leaves a draw out of the draft when its chance is small: a bias nobody sees in one sample."""

    def propose(self, output_ids, max_tokens):
        draft = super().propose(output_ids, max_tokens)
        likely = 0
        while likely < len(draft) and draft.probs[likely][draft.token_ids[likely]] > 0.35:
            likely += 1
        return Draft(draft.token_ids[:likely], None, (draft.probs or [])[:likely])


def test_leaving_unlikely_draws_out_is_found_out():
    counts, _ = transitions(PLAIN, DropsWhatLooksUnlikely)
    assert chi_square(counts, PLAIN) > 2 * LIMIT


def test_noise_shared_with_the_judge_is_found_out(monkeypatch):
    monkeypatch.setattr(choices, "drafting_seed", lambda seed: seed)
    assert chi_square(transitions(PLAIN, many=3 * MANY)[0], PLAIN) > 1.5 * LIMIT


def test_the_wrong_acceptance_is_not_the_text_of_the_seed():
    """Rejection keeps the distribution, not the text: only coupled drafts do that."""
    sampling = Sampling(temperature=1.4, seed=3)
    draft = model("llama", change="nearly")
    expected = plain(sampling)
    assert decode("draft-model", draft, sampling=sampling).ids == expected
    assert decode("draft-model", draft, sampling=sampling, acceptance="rejection").ids != expected
