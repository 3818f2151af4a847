"""A sequence in a cropped, grown, branched or reused cache says what a fresh pass says."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from editd.decode.target import GREEDY, Sampling
from editd.errors import OutOfMemory, ScopeTooLarge
from editd.models.torch.attention import use_grouped_attention
from editd.models.torch.runner import ModelRunner
from tests import tiny
from tests.unit.models.sequences import choices_without_cache, opened, random_ids

CHUNK = 16
SEEN_LIMITS = ("mistral", "gemma2", "gemma3", "qwen2-sliding", "phi3", "starcoder2")


@cache
def model(family):
    built = tiny.random_model(family)
    use_grouped_attention(built)
    return built


def runner(family="llama", **options):
    return ModelRunner(model(family), prefill_chunk=CHUNK, **options)


def fresh_rows(family, token_ids, rows):
    return choices_without_cache(model(family), token_ids, rows)


@pytest.mark.parametrize("family", tiny.ATTENTION_FAMILIES)
def test_rows_after_crop_and_regrowth_equal_a_fresh_pass(family):
    text = random_ids(90)
    sequence = opened(runner(family), text[:50])
    sequence.verify(random_ids(30, seed=1), GREEDY)  # a wrong draft, longer than the window
    sequence.crop(50)
    assert sequence.verify(text[50:], GREEDY).choice_ids == fresh_rows(family, text, 40)
    sequence.crop(20)
    assert sequence.verify(text[20:60], GREEDY).choice_ids == fresh_rows(family, text[:60], 40)


@pytest.mark.parametrize("family", SEEN_LIMITS)
def test_sliding_windows_are_reached(family):
    """Else the tests here would pass with masks that let every row see everything."""
    text = random_ids(90)
    unlimited = tiny.random_model(family)
    unlimited.config.sliding_window = 10_000
    with torch.inference_mode():
        logits = unlimited(input_ids=torch.tensor([text]), use_cache=False).logits[0]
    assert logits[-40:].argmax(-1).tolist() != fresh_rows(family, text, 40)


@pytest.mark.parametrize("family", tiny.ATTENTION_FAMILIES)
def test_branches_of_a_tree_equal_chains(family):
    text = random_ids(60)
    # 0 ─ a ─ b ─ c        rows 1 2 3
    #   ╰ d ─ e ╮          rows 4 5
    #         ╰ f          row 6
    tokens, parents = [11, 12, 13, 21, 22, 33], [-1, 0, 1, -1, 3, 3]
    branches = {(1, 2, 3): [11, 12, 13], (4, 5): [21, 22], (4, 6): [21, 33]}
    target = runner(family)
    assert target.supports_trees
    for branch, branch_ids in branches.items():
        sequence = opened(target, text[:-1])
        rows = sequence.verify([text[-1], *tokens], GREEDY, parents=parents)
        chain = [*text, *branch_ids]
        expected = fresh_rows(family, chain, len(branch_ids) + 1)
        assert [rows.choice_ids[row] for row in (0, *branch)] == expected
        sequence.keep_branch(59, [0, *branch])
        assert sequence.length == len(chain)
        following = random_ids(30, seed=2)
        assert sequence.verify(following, GREEDY).choice_ids == fresh_rows(
            family, [*chain, *following], 30
        )
        sequence.close()


def test_a_chain_given_as_a_tree_is_a_chain():
    sequence = opened(runner(), random_ids(20))
    rows = sequence.verify([5, 6, 7], GREEDY, parents=[-1, 0])
    sequence.crop(20)
    assert sequence.verify([5, 6, 7], GREEDY) == rows


def test_a_cached_prefix_changes_nothing():
    text = random_ids(100)
    target = runner()
    first = opened(target, text[:70])
    first.verify(text[70:80], GREEDY)
    first.close()
    other_end = [*text[:60], *random_ids(30, seed=5)]
    again = target.open(other_end)
    assert again.cached_tokens == 48  # whole chunks of the 60 common tokens
    again.prefill(other_end[48:-1])
    rows = again.verify(other_end[-1:], GREEDY)
    alone = opened(runner(), other_end[:-1])
    assert rows == alone.verify(other_end[-1:], GREEDY)  # margins too: bit for bit
    for mine, fresh in zip(again.cache.layers, alone.cache.layers, strict=True):
        assert torch.equal(mine.keys[:, :, :90], fresh.keys[:, :, :90])
        assert torch.equal(mine.values[:, :, :90], fresh.values[:, :, :90])


def test_the_same_prompt_again_costs_no_prefill():
    text = random_ids(75)
    target = runner()
    first = opened(target, text[:74])
    rows = first.verify(text[74:], GREEDY)
    first.close()
    again = target.open(text)
    assert again.cached_tokens == 74
    assert again.verify(text[74:], GREEDY) == rows


def test_what_was_verified_is_never_reused():
    """Rows of another width are equal only nearly; a later prompt gets none of them."""
    target = runner()
    first = opened(target, random_ids(16))
    first.verify(random_ids(32, seed=3), GREEDY)
    first.close()
    assert target.open([*random_ids(16), *random_ids(33, seed=3)]).cached_tokens == 16


def test_an_unaligned_chunk_is_not_reused():
    target = runner()
    sequence = target.open(random_ids(65))
    sequence.prefill(random_ids(65)[:10])
    sequence.prefill(random_ids(65)[10:64])
    sequence.close()
    assert target.open(random_ids(65)).cached_tokens == 0


def test_two_sequences_do_not_see_each_other():
    first_text, second_text = random_ids(40), random_ids(40, seed=9)
    target = runner()
    first, second = opened(target, first_text[:30]), opened(target, second_text[:30])
    rows = first.verify(first_text[30:], GREEDY).choice_ids
    assert second.verify(second_text[30:], GREEDY).choice_ids == fresh_rows(
        "llama", second_text, 10
    )
    assert rows == fresh_rows("llama", first_text, 10)


def test_closing_twice_stores_once():
    target = runner()
    sequence = opened(target, random_ids(40))
    sequence.close()
    sequence.close()
    assert len(target.prefixes) == 1


def test_a_failing_pass_leaves_the_sequence_as_it_was(monkeypatch):
    text = random_ids(40)
    target = runner()
    sequence = opened(target, text[:30])
    layer = sequence.cache.layers[1]
    with monkeypatch.context() as patch:
        patch.setattr(layer, "update", _fails_with("DefaultCPUAllocator: can't allocate memory"))
        with pytest.raises(OutOfMemory, match="--range"):
            sequence.verify(text[30:], GREEDY)
    assert sequence.length == 30
    assert sequence.verify(text[30:], GREEDY).choice_ids == fresh_rows("llama", text, 10)


def test_memory_of_closed_sequences_is_given_up_before_an_edit_fails(monkeypatch):
    target = runner()
    opened(target, random_ids(40)).close()
    sequence = opened(target, random_ids(40, seed=1))
    forward, calls = target.model.forward, []

    def fails_once(*args, **kwargs):
        calls.append(1)
        if len(calls) == 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(*args, **kwargs)

    monkeypatch.setattr(target.model, "forward", fails_once)
    sequence.verify([5], GREEDY)
    assert len(calls) == 2
    assert len(target.prefixes) == 0


def test_other_errors_stay_what_they_are(monkeypatch):
    target = runner()
    monkeypatch.setattr(target.model, "forward", _fails_with("shapes do not match"))
    with pytest.raises(RuntimeError, match="shapes"):
        target.open([5, 6]).verify([5], GREEDY)


def test_a_prompt_beyond_the_context_is_refused_with_the_numbers():
    with pytest.raises(ScopeTooLarge, match=r"50 tokens.*at most 50.*--range"):
        runner(max_context=50).open(random_ids(50))


def test_sampled_rows_are_keyed_by_position_not_by_width():
    text = random_ids(60)
    sampling = Sampling(temperature=1.0, seed=7)
    sequence = opened(runner(), text[:40])
    together = sequence.verify(text[40:], sampling).choice_ids
    sequence.crop(40)
    one_by_one = [sequence.verify([token_id], sampling).choice_ids[0] for token_id in text[40:]]
    assert together == one_by_one
    assert together != fresh_rows("llama", text, 20)


def test_exactness_follows_dtype():
    half = ModelRunner(tiny.random_model("llama", dtype="bfloat16"))
    assert (runner().exactness, half.exactness) == ("token", "near-tie")
    assert half.near_tie_margin > runner().near_tie_margin


def _fails_with(words):
    def fail(*_, **__):
        raise RuntimeError(words)

    return fail
