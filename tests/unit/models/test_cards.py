"""A model over several cards says what it says on one: real values, on devices that are pretended.

``pretended_cards`` raises where a tensor lies on another card than the ones it meets.
"""

from __future__ import annotations

from functools import cache

import pytest
import torch
from transformers import AutoModelForCausalLM

from editd import errors
from editd.config import ModelConfig
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.draft_session import DraftSession
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.models.model import ModelSpec
from editd.models.model_folder import open_checkpoint
from editd.models.torch import device as device_module
from editd.models.torch import loading as loading_module
from editd.models.torch import memory_plan as planning
from editd.models.torch.attention import use_grouped_attention
from editd.models.torch.gpu import execution_mode as modes
from editd.models.torch.gpu.execution_mode import Mode, enter
from editd.models.torch.layer_placement import spread_over, stand_in_for
from editd.models.torch.loading import load_model
from editd.models.torch.runner import ModelRunner
from tests import pretended_cards, tiny
from tests.unit.models.sequences import choices_without_cache, opened, random_ids

pytest.importorskip("accelerate", reason="needs pip install -e '.[gpus]'")

CHUNK = 16
SAMPLED = Sampling(temperature=0.9, top_p=0.97, seed=5)
families = pytest.mark.parametrize("family", ["llama", "gemma3", "gpt2"])


@cache
def placed(family):
    """Where the layers of ``model`` lie: on two cards, and on three for the family that has four."""
    stand_in = stand_in_for(open_checkpoint(str(tiny.checkpoint(family))), torch.float64)
    size = sum(weight.nbytes for weight in stand_in.parameters())
    shares = (0.66, 0.4, 0.35) if family == "gemma3" else (0.8, 0.8)
    free = [
        device_module.FreeDevice(torch.device("card", index), int(share * size))
        for index, share in enumerate(shares)
    ]
    found = spread_over(stand_in, free, 1, least_tokens=1, most_tokens=1)
    assert len(found.devices) == len(shares)
    return found


@cache
def model(family):
    loaded = AutoModelForCausalLM.from_pretrained(
        str(tiny.checkpoint(family)), dtype=torch.float64, device_map=placed(family).device_map
    )
    use_grouped_attention(loaded)
    return loaded


def runner(family="llama", **options):
    return ModelRunner(model(family), prefill_chunk=CHUNK, **options)


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


def test_without_hooks_a_card_is_left_with_what_lies_elsewhere():
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
    homes = [str(layer.keys.device) for layer in sequence.cache.layers]
    counts = zip(placed(family).devices, placed(family).counts, strict=True)
    assert homes == [str(device) for device, count in counts for _ in range(count)]


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


def test_a_cached_prefix_is_bit_for_bit_a_fresh_one():
    text = random_ids(100)
    target = runner()
    opened(target, text[:70]).close()
    other_end = [*text[:30], *random_ids(60, seed=5)]
    copied = target.open(other_end)  # a copy: most of the entry is not shared
    assert copied.cached_tokens == CHUNK
    copied.prefill(other_end[CHUNK:-1])
    alone = opened(runner(), other_end[:-1])
    assert copied.verify(other_end[-1:], GREEDY) == alone.verify(other_end[-1:], GREEDY)
    for mine, fresh in zip(copied.cache.layers, alone.cache.layers, strict=True):
        assert mine.keys.device == fresh.keys.device
        assert mine.keys[:, :, :90].tolist() == fresh.keys[:, :, :90].tolist()
    again = target.open(text[:70])
    assert again.cached_tokens == 64
    assert again.verify(text[64:], GREEDY).choice_ids == fresh_rows("llama", text, 36)


def test_sampled_rows_are_those_of_one_device():
    text = random_ids(60)
    mine, other = (opened(one, text[:40]) for one in (runner(), ModelRunner(whole("llama"))))
    assert mine.verify(text[40:], SAMPLED).choice_ids == other.verify(text[40:], SAMPLED).choice_ids


# --- loading -------------------------------------------------------------------------------------


@pytest.fixture
def cards(monkeypatch):
    """Two cards of so many bytes more than the workspace, in place of what is here."""

    def pretend(*free):
        places = [
            device_module.FreeDevice(torch.device("card", index), (64 << 20) + room)
            for index, room in enumerate(free)
        ]
        rooms = {place.device: place.free_bytes for place in places}
        for module in (loading_module, planning):
            monkeypatch.setattr(module, "choose_device", lambda _: places[0].device)
            monkeypatch.setattr(module, "free_memory", rooms.__getitem__)
            monkeypatch.setattr(module, "other_cards", lambda *_: places[1:])

    return pretend


def load(family="llama", **options):
    return load_model(
        ModelSpec(str(tiny.checkpoint(family)), threads=1, **{"dtype": "float64", **options})
    )


def decode(target, spec="none", draft=None, sampling=GREEDY):
    prompt = "".join(tiny.corpus(3))[:300]
    prompt_ids = target.codec.prompt_ids(prompt)
    session = draft and DraftSession(
        draft, target, sampling=sampling, acceptance="coupled", cost=0.01
    )
    task = DraftTask(prompt_ids, prompt, "", target.codec, draft=session)
    decoding = Decoding(
        target.target,
        prompt_ids,
        make_drafter(spec, task),
        ends_answer=lambda _: False,
        max_new_tokens=16,
        sampling=sampling,
        window=FixedWindow(8),
    )
    while decoding.finish_reason is None:
        decoding.advance()
    decoding.close()
    return decoding


@pytest.mark.parametrize(("spec", "sampling"), [("draft-model", GREEDY), ("buffer", SAMPLED)])
def test_a_model_that_no_card_holds_is_loaded_over_two(cards, spec, sampling):
    alone = load(device="cpu")
    cards(1_800_000, 1_800_000)
    loaded = load()
    assert loaded.device == loaded.target.where == "card:0+card:1"
    draft = loaded if spec == "draft-model" else None
    drafted = decode(loaded, spec, draft, sampling)
    assert drafted.output_ids == decode(alone, sampling=sampling).output_ids
    assert drafted.stats.near_ties == 0
    assert loaded.weights_bytes == pytest.approx(alone.weights_bytes, rel=0.01)
    assert loaded.memory_bytes > loaded.weights_bytes
    loaded.close()


def test_a_context_that_the_fullest_card_has_room_for(cards, monkeypatch):
    monkeypatch.setattr("editd.models.torch.memory_plan.EDIT_TOKENS", 64)
    cards(600_000, 600_000)
    planned = planning.plan_model(ModelConfig(name=str(tiny.checkpoint("llama")), dtype="float64"))
    assert sum(map(bool, planned.figures()["layers"])) == 2
    assert load().context_length == planned.context < 1024


def test_the_printed_plan_names_the_cards(cards):
    cards(1_900_000, 1_300_000)
    config = ModelConfig(name=str(tiny.checkpoint("llama")), dtype="float64")
    report = planning.plan_model(config)
    text = "\n".join(report.lines())
    assert "on card:0 and card:1" in text
    assert "2 + 1 layers" in text
    figures = report.figures()
    assert (figures["device"], figures["layers"]) == ("card:0+card:1", (2, 1))
    cards(100_000, 100_000)
    refused = planning.plan_model(config)
    assert refused.figures()["fits"] is False
    assert "on all 2 devices together" in refused.refusal


def test_no_memory_on_one_of_the_cards_is_one_sentence(monkeypatch):
    target = runner()
    sequence = opened(target, random_ids(30))

    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. GPU 1 has a total capacity of …")

    with monkeypatch.context() as patch:
        patch.setattr(sequence.cache.layers[2], "update", full)
        with pytest.raises(errors.OutOfMemory, match=r"Memory on card:0\+card:1 ran out.*--range"):
            sequence.verify([5, 6], GREEDY)
    assert sequence.verify([5, 6], GREEDY).choice_ids == fresh_rows(
        "llama", [*random_ids(30), 5, 6], 2
    )


def test_static_caches_and_recorded_passes_are_for_one_device(caplog):
    target = runner()
    with caplog.at_level("INFO", logger="editd.models.torch.gpu.execution_mode"):
        enter(target, "this-model", Mode(exactness="bitwise"))
    assert target.passes is None
    assert target.exactness == "near-tie"
    assert [record.message for record in caplog.records] == [
        "this-model: on card:0+card:1; its cache grows, and passes are not recorded"
    ]


# --- static caches on one card -------------------------------------------------------------------


@pytest.mark.parametrize("family", ["gemma2"])
def test_a_static_pass_leaves_nothing_on_another_device(family):
    """Slots, masks, trees and words of a pass lie where the model does."""
    placed = tiny.random_model(family)
    pretended_cards.place(placed, "card:1")
    target = ModelRunner(placed, prefill_chunk=CHUNK)
    mode = Mode(static=True, first_bucket=64, widths=(1, 8, 32))
    passes = modes._passes(target, family, mode, modes._layout(target), "masks")
    target.run_statically(passes)
    text = random_ids(90)
    sequence = opened(target, text[:50])
    sequence.verify(random_ids(30, seed=7), GREEDY)
    sequence.crop(50)
    assert sequence.verify(text[50:70], GREEDY).choice_ids == fresh_rows(family, text[:70], 20)
    rows = sequence.verify([5, 6, 7, 8], GREEDY, parents=[-1, -1, 1])
    chain = [*text[:70], 5, 7, 8]
    assert [rows.choice_ids[row] for row in (0, 2, 3)] == fresh_rows(family, chain, 3)
    sequence.keep_branch(70, [0, 2, 3])
    assert sequence.verify([9], GREEDY).choice_ids == fresh_rows(family, [*chain, 9], 1)
