"""Which layers of a model lie on which of several devices: reckoned, planned, refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from editd import errors
from editd.models.torch.device import FreeDevice
from editd.models.torch.files import memory_plan as planning_module
from editd.models.torch.files import quantize
from editd.models.torch.files.checkpoint import open_checkpoint
from editd.models.torch.files.layer_placement import Blocks, blocks_of, split, spread_over
from editd.models.torch.files.memory_plan import choose_plan, make_plan
from tests import tiny

CPU = torch.device("cpu")
LAYERS = 8
# Layers of 100 bytes, the rest 50; a token takes 8, one byte a layer.
BLOCKS = Blocks("model.layers", (100,) * LAYERS, ("model.embed_tokens", "lm_head"), 50)


def cards(*free):
    return [FreeDevice(torch.device("cuda", index), room) for index, room in enumerate(free)]


def spread(*free, blocks=BLOCKS, least=1, most=10, **options):
    found = spread_over(blocks, cards(*free), 8, least_tokens=least, most_tokens=most, **options)
    return found and (dict(zip(map(str, found.devices), found.counts, strict=True)), found.tokens)


@pytest.mark.parametrize(
    ("free", "options", "expected"),
    [
        ((600, 600), {}, ({"cuda:0": 4, "cuda:1": 4}, 10)),
        # The first has the rest as well: it takes fewer layers, so that both have as much left.
        (
            (650, 650),
            {"blocks": Blocks("l", (100,) * 8, (), 250)},
            ({"cuda:0": 3, "cuda:1": 5}, 10),
        ),
        ((300, 900), {}, ({"cuda:1": 6, "cuda:0": 2}, 10)),
        # As few as have room for the whole context; more only where it is cut otherwise.
        ((600, 600, 600), {}, ({"cuda:0": 4, "cuda:1": 4}, 10)),
        ((500, 500, 500), {"most": 60}, ({"cuda:0": 2, "cuda:1": 3, "cuda:2": 3}, 60)),
        ((480, 480), {"most": 60}, ({"cuda:0": 4, "cuda:1": 4}, 7)),
        ((440, 440), {}, None),  # not even one token
        ((480, 480), {"least": 8}, None),
        ((600, 600), {"workspace_bytes": 190}, None),
        ((600, 600), {"workspace_bytes": 140}, ({"cuda:0": 4, "cuda:1": 4}, 2)),
        ((600, 600), {"beside_bytes": 200}, ({"cuda:0": 3, "cuda:1": 5}, 10)),
        ((600, 600), {"limit_bytes": 874}, ({"cuda:0": 4, "cuda:1": 4}, 3)),
        ((600, 600), {"limit_bytes": 850}, None),
        ((2000,), {}, None),  # one card is not this module's business
    ],
)
def test_layers_go_where_there_is_room(free, options, expected):
    assert spread(*free, **options) == expected


def test_no_device_gets_more_than_it_has():
    """Over seeded cards and models: all layers once, in order, each device within its room."""
    torch.manual_seed(0)
    for _ in range(200):
        sizes = tuple(torch.randint(1, 200, (12,)).tolist())
        blocks = Blocks("l", sizes, (), int(torch.randint(0, 300, ())))
        free = torch.randint(100, 1200, (int(torch.randint(2, 5, ())),)).tolist()
        found = spread_over(blocks, cards(*free), 24, least_tokens=1, most_tokens=100)
        if found is None:
            continue
        left, start = dict(zip(map(str, [c.device for c in cards(*free)]), free, strict=True)), 0
        left[str(found.devices[0])] -= blocks.other_bytes
        for device, count in zip(found.devices, found.counts, strict=True):
            left[str(device)] -= sum(sizes[start : start + count]) + 2 * count * found.tokens
            start += count
        assert start == len(sizes)
        assert min(left.values()) >= 0
        assert found.tokens >= 1


def test_room_for_caches_is_that_of_the_fullest():
    found = spread_over(BLOCKS, cards(300, 900), 8, least_tokens=1, most_tokens=10)
    assert found.counts == (6, 2)
    assert found.cache_room([60, 1000]) == 80
    assert found.cache_room([6000, 20]) == 80


def test_everything_has_a_place():
    for family in tiny.FAMILIES:
        model = tiny.random_model(family)
        blocks = split(model)
        assert blocks is not None
        held = {t.data_ptr(): t.nbytes for t in [*model.parameters(), *model.buffers()]}
        assert sum(blocks.layer_bytes) + blocks.other_bytes == sum(held.values())
        found = spread_over(blocks, cards(10**6, 10**6), 8, least_tokens=1, most_tokens=10)
        places = found.device_map()
        for name, _ in [*model.named_parameters(), *model.named_buffers()]:
            homes = [place for place in places if f"{name}.".startswith(f"{place}.")]
            assert len(homes) == 1, name


# --- plans ---------------------------------------------------------------------------------------


@pytest.fixture
def checkpoint():
    return open_checkpoint(str(tiny.checkpoint("llama", dtype="float32")))


def test_sizes_are_those_of_the_plan(checkpoint):
    for kind in ("none", "int8"):
        blocks = blocks_of(checkpoint, torch.float32, kind)
        planned = make_plan(checkpoint, CPU, torch.float32, kind).weights_bytes
        assert sum(blocks.layer_bytes) + blocks.other_bytes == pytest.approx(planned, rel=0.01)


@pytest.fixture(autouse=True)
def _small_workspace(monkeypatch):
    """So that the tiny model is what decides."""
    monkeypatch.setattr(planning_module, "_KV_TOKENS", 64)
    monkeypatch.setattr(planning_module, "_WORKSPACE", 1000)


def choose(checkpoint, first, *others, wanted="none", **options):
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
        wanted,
        places[0].free_bytes,
        others=further,
        **options,
    )
    return plan, len(asked)


@pytest.fixture(autouse=True)
def _any_card_runs_anything(monkeypatch):
    monkeypatch.setattr(quantize, "refusal", lambda *_: "")
    monkeypatch.setattr(quantize, "installed", lambda: True)


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


def test_as_it_is_over_several_comes_before_smaller_on_one(checkpoint):
    assert choose(checkpoint, 0.7, 0.75, wanted="auto")[0].quantize == "none"
    smaller, _ = choose(checkpoint, 0.7, 0.1, wanted="auto")
    assert (smaller.quantize, smaller.spread) == ("int8", None)
    both, _ = choose(checkpoint, 0.35, 0.35, wanted="auto")
    assert both.quantize in ("int8", "int4")
    assert both.spread is not None


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
    assert blocks_of(other, torch.float32) is None
    with pytest.raises(errors.OutOfMemory, match="over which it cannot be spread"):
        choose(other, 0.7, 0.75)


def test_the_missing_package_is_named(checkpoint, monkeypatch):
    monkeypatch.setattr(planning_module, "find_spec", lambda _: None)
    with pytest.raises(errors.OutOfMemory, match=r"over 2 devices it would fit, after .*\bgpus\b"):
        choose(checkpoint, 0.7, 0.75)
