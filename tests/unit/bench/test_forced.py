"""Forcing chooses tokens and nothing else: real widths, no glimpse of the future, no silent failure."""

from __future__ import annotations

import random

import pytest
import torch
from transformers import DynamicCache

from benchmarks.edits.cases import Known
from benchmarks.edits.forced import ForcedTarget, Forcing, ForcingFailed, wanted_by
from benchmarks.edits.peer import generate
from editd.decode.drafters.base import EMPTY, Draft
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow
from editd.messages import EditRequest
from editd.models.torch.attention import use_grouped_attention
from editd.models.torch.exactness import enter_bitwise
from editd.models.torch.runner import ModelRunner
from tests import tiny
from tests.recorded_cases import Case

PROMPT = [(7919 * i + 13) % 500 for i in range(40)]
ANSWER = [(31 * i + 5) % 500 for i in range(90)]
WAYS = ("plain", "bitwise")


class Forced:
    """A tiny model that writes an answer of ours."""

    def __init__(self, way="plain", answer=ANSWER):
        self.model = tiny.random_model("llama", dtype="float32")
        use_grouped_attention(self.model)
        self.forcing = Forcing(self.model, 2048)
        self.runner = ModelRunner(self.model, prefill_chunk=16)
        if way == "bitwise":
            enter_bitwise(self.runner, "tiny")
            assert self.runner.verify_width == 16
        self.target = ForcedTarget(self.runner, self.forcing, lambda ids: answer)

    def decode(self, drafter):
        decoding = Decoding(
            self.target,
            PROMPT,
            drafter,
            ends_answer=lambda _: False,
            max_new_tokens=len(ANSWER),
            window=FixedWindow(24),
        )
        while decoding.finish_reason is None:
            decoding.advance()
        decoding.close()
        return decoding.output_ids


class Guesses:
    """Drafts the answer with mistakes, as chains or trees, and keeps all that it is shown."""

    name = "guesses"

    def __init__(self, guess, *, branches=1):
        self.guess, self.branches = guess, branches
        self.chance = random.Random(0)
        self.seen = []

    def propose(self, output_ids, max_tokens):
        self.seen.append(("output", tuple(output_ids)))
        rest = self.guess[len(output_ids) :]
        if not rest:
            return EMPTY
        drafted, parents = [], []
        for _ in range(self.branches):
            length = min(self.chance.choice([2, 7, 20]), max_tokens // self.branches)
            branch = [i if self.chance.random() > 0.1 else (i + 1) % 500 for i in rest[:length]]
            parents += [-1, *range(len(drafted), len(drafted) + len(branch) - 1)][: len(branch)]
            drafted += branch
        return Draft(drafted, parents=parents if self.branches > 1 else None)

    def observe(self, accepted_ids):
        self.seen.append(("told", tuple(accepted_ids)))


@pytest.mark.parametrize("way", WAYS)
def test_the_answer_is_written_whoever_drafts(way):
    forced = Forced(way)
    assert forced.decode(NoDrafter()) == ANSWER
    drafter = Guesses(ANSWER)
    forced.target.passes_done.clear()
    assert forced.decode(drafter) == ANSWER
    assert bool((forced.forcing.table == -1).all())  # nothing is left for others
    assert len(forced.target.passes_done) < len(ANSWER) / 3
    if forced.runner.supports_trees:
        assert forced.decode(Guesses(ANSWER, branches=3)) == ANSWER


@pytest.mark.parametrize("way", WAYS)
def test_passes_have_their_real_widths(way):
    forced, widths = Forced(way), []
    first = forced.model.model.layers[0]
    first.register_forward_pre_hook(lambda _module, args: widths.append(args[0].shape[1]))
    forced.decode(Guesses(ANSWER))
    rows = [done.rows for done in forced.target.passes_done]
    verified = widths[-len(rows) :]
    assert max(rows) > 15
    if way == "plain":
        assert verified == rows
    else:  # passes of the fixed width alone, at least as many as the rows fill
        assert set(widths[-len(rows) :]) == {16}
        assert widths.count(16) >= sum(-(-count // 16) for count in rows)


def test_a_drafter_sees_nothing_of_what_is_to_come():
    """Two answers that begin alike look alike to a drafter until they part."""
    other = [*ANSWER[:50], *[(17 * i + 3) % 500 for i in range(40)]]
    seen = []
    for answer in (ANSWER, other):
        drafter = Guesses(ANSWER)
        Forced(answer=answer).decode(drafter)
        seen.append(drafter.seen)
    alike = next(i for i, (one, two) in enumerate(zip(*seen, strict=False)) if one != two)
    outputs = [entry[1] for entry in seen[0][:alike] if entry[0] == "output"]
    # They differ for the first time where a pass has gone past the place where the answers part.
    assert len(outputs[-1]) + 21 >= 50


def test_rows_behind_a_wrong_guess_are_the_models_own():
    assert wanted_by([5, 6, 7, 8], 0, [1, 5, 6, 9, 8], None) == [5, 6, 7, -1, -1]
    assert wanted_by([5, 6, 7], 1, [5, 6, 7], None) == [6, 7, -1]
    assert wanted_by([5, 6, 7], 3, [7], None) == [-1]
    # root ─ 5 ─ 6 and root ─ 9 ─ 6: the second 6 stands behind a wrong 9
    assert wanted_by([5, 6, 7], 0, [1, 5, 6, 9, 6], [-1, 0, -1, 2]) == [5, 6, 7, -1, -1]


def test_forcing_that_fails_is_noticed(monkeypatch):
    forced = Forced()
    inner = forced.forcing.want
    monkeypatch.setattr(forced.forcing, "want", lambda start, ids: inner(start + 1, ids))
    with pytest.raises(ForcingFailed, match="instead of"):
        forced.decode(NoDrafter())


@torch.inference_mode()
def test_a_model_that_is_not_forced_says_what_it_said():
    model = tiny.random_model("qwen2")

    def logits():
        cache = DynamicCache(config=model.config)
        return model(input_ids=torch.tensor([PROMPT]), past_key_values=cache).logits

    before, head = logits(), model.get_output_embeddings()
    forcing = Forcing(model, 256)
    assert torch.equal(logits(), before)
    with forcing.by_position(len(PROMPT), ANSWER):
        assert int(logits()[0, -1].argmax()) == ANSWER[0]
    assert torch.equal(logits(), before)
    forcing.remove()
    assert model.get_output_embeddings() is head
    assert not model.base_model._forward_pre_hooks
    assert torch.equal(logits(), before)


@pytest.mark.parametrize("lookup", [False, True], ids=["plain", "prompt lookup"])
def test_transformers_is_forced_in_the_same_way(lookup):
    forced = Forced()
    case = Case("one", "", "", "", "", "")
    prompt = [*PROMPT, *ANSWER[:30], 3]  # so that looking up finds something
    request = EditRequest("one", "", "")
    known = Known(case, request, tuple(prompt), tuple(ANSWER), copied=1.0, first_change=0)
    timed = generate(forced.model, known, lookup=lookup, most=60, forcing=forced.forcing)
    assert timed.token_ids == ANSWER[:60]
    assert timed.passes < 45 if lookup else timed.passes == 59
    assert forced.model.config._attn_implementation == "editd"
