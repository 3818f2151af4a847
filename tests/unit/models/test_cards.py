"""A model on another card than the first says what it says on the CPU: real values, on devices that are pretended.

``pretended_cards`` raises where a tensor lies on another card than the ones it meets.
"""

from __future__ import annotations

from functools import cache

import pytest
import torch

from editd import errors
from editd.decode.target import GREEDY
from editd.models.torch.attention import use_grouped_attention
from editd.models.torch.runner import ModelRunner
from tests import pretended_cards, tiny
from tests.unit.models.sequences import choices_without_cache, opened, random_ids

CHUNK = 16
families = pytest.mark.parametrize("family", ["llama", "gemma3", "gpt2"])


def runner(family="llama"):
    model = tiny.random_model(family)
    pretended_cards.place(model, "card:1")
    use_grouped_attention(model)
    return ModelRunner(model, prefill_chunk=CHUNK)


@cache
def whole(family):
    return tiny.random_model(family)


def fresh_rows(family, token_ids, rows):
    return choices_without_cache(whole(family), token_ids, rows)


def test_pretended_cards_refuse_what_cards_refuse():
    there, elsewhere = torch.ones(3, device="card:0"), torch.ones(3, device="card:1")
    assert (there + there[0] * 2).tolist() == [3, 3, 3]
    there[1:] = elsewhere[1:].to("card:0") + 4
    assert there.tolist() == [1, 5, 5]
    for other in (elsewhere, elsewhere[0], torch.ones(3)):
        with pytest.raises(RuntimeError, match="over tensors on"):
            there + other


def test_what_lies_elsewhere_is_noticed():
    torn = tiny.random_model("llama")
    for part in torn.children():
        pretended_cards.place(part, "card:0")
    pretended_cards.place(torn.model.layers[1], "card:1")
    with pytest.raises(RuntimeError, match=r"over tensors on \['card:0', 'card:1'\]"):
        ModelRunner(torn).open([5, 6]).verify([5], GREEDY)


@families
def test_rows_after_crop_and_regrowth_equal_a_fresh_pass(family):
    text = random_ids(90)
    target = runner(family)
    sequence = opened(target, text[:50])
    sequence.verify(random_ids(30, seed=1), GREEDY)
    sequence.crop(50)
    assert sequence.verify(text[50:], GREEDY).choice_ids == fresh_rows(family, text, 40)
    sequence.crop(20)
    assert sequence.verify(text[20:60], GREEDY).choice_ids == fresh_rows(family, text[:60], 40)


@families
def test_branches_of_a_tree_equal_chains(family):
    text = random_ids(60)
    sequence = opened(runner(family), text[:-1])
    tokens, parents = [11, 12, 13, 21, 22, 33], [-1, 0, 1, -1, 3, 3]
    rows = sequence.verify([text[-1], *tokens], GREEDY, parents=parents)
    chain = [*text, 21, 33]
    assert [rows.choice_ids[row] for row in (0, 4, 6)] == fresh_rows(family, chain, 3)
    sequence.keep_branch(59, [0, 4, 6])
    following = random_ids(30, seed=2)
    expected = fresh_rows(family, [*chain, *following], 30)
    assert sequence.verify(following, GREEDY).choice_ids == expected


def test_no_memory_on_one_of_the_cards_is_one_sentence(monkeypatch):
    target = runner()
    sequence = opened(target, random_ids(30))

    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. GPU 1 has a total capacity of …")

    with monkeypatch.context() as patch:
        patch.setattr(sequence.cache.layers[2], "update", full)
        with pytest.raises(errors.OutOfMemory, match=r"Memory on card:1 ran out.*--range"):
            sequence.verify([5, 6], GREEDY)
    assert sequence.verify([5, 6], GREEDY).choice_ids == fresh_rows(
        "llama", [*random_ids(30), 5, 6], 2
    )
