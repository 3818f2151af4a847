"""Which layers of a model lie on which of several devices: reckoned, planned, refused."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from editd import errors
from editd.models.model_folder import open_checkpoint
from editd.models.torch import memory_plan as planning_module
from editd.models.torch.device import FreeDevice
from editd.models.torch.layer_placement import spread_over, stand_in_for
from editd.models.torch.memory_plan import choose_plan, make_plan
from tests import tiny

CPU = torch.device("cpu")
MIB = 1 << 20
TOKEN = 8 << 10  # bytes of a token's keys and values


def cards(*free):
    return [FreeDevice(torch.device("cuda", index), room) for index, room in enumerate(free)]


@pytest.fixture(scope="module")
def stand_in():
    """Eight layers of 3 MiB, embeddings and head of 1 MiB each."""
    size = {"hidden_size": 256, "intermediate_size": 683, "num_hidden_layers": 8}
    config = LlamaConfig(**size, num_attention_heads=4, vocab_size=1024)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    layer = sum(weight.nbytes for weight in model.model.layers[0].parameters())
    assert layer == pytest.approx(3 * MIB, rel=0.01)
    return model


def spread(stand_in, *free, least=1, most=100, **options):
    places = cards(*(int(room * MIB) for room in free))
    found = spread_over(stand_in, places, TOKEN, least_tokens=least, most_tokens=most, **options)
    return found and (dict(zip(map(str, found.devices), found.counts, strict=True)), found.tokens)


@pytest.mark.parametrize(
    ("free", "options", "expected"),
    [
        ((24, 24), {}, ({"cuda:0": 4, "cuda:1": 4}, 100)),
        ((16, 24), {}, ({"cuda:1": 4, "cuda:0": 4}, 100)),
        ((11, 24), {}, ({"cuda:1": 6, "cuda:0": 2}, 100)),
        # As few as have room for the whole context; more only where it is cut otherwise.
        ((24, 24, 24), {}, ({"cuda:0": 4, "cuda:1": 4}, 100)),
        ((17, 17, 17), {"most": 1600}, ({"cuda:0": 2, "cuda:1": 3, "cuda:2": 3}, 1600)),
        ((17, 17), {"most": 1600}, ({"cuda:0": 4, "cuda:1": 4}, 200)),
        ((13, 13), {}, None),
        ((17, 17), {"least": 400}, None),
        ((24, 24), {"workspace_bytes": 14 * MIB}, None),
        ((24, 24), {"beside_bytes": 8 * MIB, "most": 8}, ({"cuda:0": 3, "cuda:1": 5}, 8)),
        ((24, 24), {"limit_bytes": 26 * MIB + 50 * TOKEN}, ({"cuda:0": 4, "cuda:1": 4}, 46)),
        ((24, 24), {"limit_bytes": 20 * MIB}, None),
        ((200,), {}, None),  # one card is not this module's business
    ],
)
def test_layers_go_where_there_is_room(stand_in, free, options, expected):
    assert spread(stand_in, *free, **options) == expected


def test_no_device_gets_more_than_it_has(stand_in):
    """Over seeded cards: every weight once, all layers in order, each device within its room."""
    draw = random.Random(0)
    sizes = {name: weight.nbytes for name, weight in stand_in.named_parameters()}
    spread_out = 0
    for _ in range(60):
        places = cards(*(draw.randrange(4 * MIB, 40 * MIB) for _ in range(draw.randrange(2, 5))))
        found = spread_over(stand_in, places, TOKEN, least_tokens=1, most_tokens=500)
        if found is None:
            continue
        spread_out += 1
        left = {place.device: place.free_bytes for place in places}
        for name, size in sizes.items():
            (home,) = (
                device
                for part, device in found.device_map.items()
                if f"{name}.".startswith(f"{part}.")
            )
            left[home] -= size
        for device, count in zip(found.devices, found.counts, strict=True):
            left[device] -= count * found.tokens * TOKEN // 8
        assert sum(found.counts) == 8
        assert min(left.values()) >= 0
    assert spread_out > 20


def test_room_for_caches_is_that_of_the_fullest(stand_in):
    found = spread_over(stand_in, cards(11 * MIB, 24 * MIB), TOKEN, least_tokens=1, most_tokens=100)
    assert found.counts == (6, 2)
    assert found.cache_room([60, 1000]) == 80
    assert found.cache_room([6000, 20]) == 80


# --- plans ---------------------------------------------------------------------------------------


@pytest.fixture
def checkpoint():
    return open_checkpoint(str(tiny.checkpoint("llama", dtype="float32")))


def test_sizes_are_those_of_the_plan(checkpoint):
    stand_in = stand_in_for(checkpoint, torch.float32)
    held = sum(t.nbytes for t in [*stand_in.parameters(), *stand_in.buffers()])
    planned = make_plan(checkpoint, CPU, torch.float32).weights_bytes
    assert held == pytest.approx(planned, rel=0.01)


@pytest.fixture(autouse=True)
def _small_workspace(monkeypatch):
    """So that the tiny model is what decides."""
    monkeypatch.setattr(planning_module, "EDIT_TOKENS", 64)
    monkeypatch.setattr(planning_module, "_WORKSPACE", 1000)


def choose(checkpoint, first, *others, **options):
    """On cards with so much of what the whole model needs; how often the others were asked."""
    whole = make_plan(checkpoint, CPU, torch.float32).needed_bytes
    places = cards(*(int(share * whole) for share in (first, *others)))
    asked = []

    def further():
        asked.append(1)
        return places[1:]

    plan = choose_plan(
        checkpoint,
        places[0].device,
        torch.float32,
        places[0].free_bytes,
        others=further,
        **options,
    )
    return plan, len(asked)


def test_one_card_that_is_enough_is_used_alone(checkpoint):
    plan, asked = choose(checkpoint, 1.1, 5.0)
    assert (plan.devices, plan.spread, asked) == ((torch.device("cuda", 0),), None, 0)
    plan, asked = choose(checkpoint, 0.8, 0.9, 1.1)
    assert (plan.devices, plan.spread, asked) == ((torch.device("cuda", 2),), None, 1)
    assert plan.free_bytes == int(1.1 * plan.needed_bytes)


def test_several_together(checkpoint):
    plan, _ = choose(checkpoint, 0.7, 0.75, graphs=True)
    assert (str(plan.devices[0]), str(plan.device)) == ("cuda:1", "cuda:1")  # it has more
    assert sum(plan.spread.counts) == 3
    assert plan.graphs_bytes == 0
    assert plan.usable_context(plan.free_bytes) == plan.spread.tokens >= 64
    assert plan.workspace_bytes == 2000


@pytest.mark.parametrize(
    ("free", "options", "words"),
    [
        ((0.4, 0.3), {}, r"are free on cuda:0 and .* on all 2 devices together: choose"),
        ((0.9, 0.12), {}, "together, over which it cannot be spread"),
        ((0.7, 0.75), {"most_bytes": 100_000}, "only 100 kB are free on cuda:0: "),
    ],
)
def test_what_fits_nowhere_is_refused_with_the_numbers(checkpoint, free, options, words):
    with pytest.raises(errors.OutOfMemory, match=words):
        choose(checkpoint, *free, **options)


def test_models_that_cannot_be_taken_apart_are_not_spread(checkpoint):
    other = replace(checkpoint, config={**checkpoint.config, "quantization_config": {}})
    assert stand_in_for(other, torch.float32) is None
    with pytest.raises(errors.OutOfMemory, match="over which it cannot be spread"):
        choose(other, 0.7, 0.75)


def test_the_missing_package_is_named(checkpoint, monkeypatch):
    monkeypatch.setattr(planning_module, "find_spec", lambda _: None)
    with pytest.raises(errors.OutOfMemory, match=r"over 2 devices it may fit, after .*\bgpus\b"):
        choose(checkpoint, 0.7, 0.75)
