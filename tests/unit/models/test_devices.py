"""What holds on every device that is here: reuse is bit-equal, rows agree, choices are made."""

from __future__ import annotations

import pytest
import torch

from editd.decode.target import GREEDY, Sampling
from editd.models import machine
from editd.models.model import ModelSpec
from editd.models.torch import device
from editd.models.torch.device import choose_dtype
from editd.models.torch.loading import load
from tests import tiny

DEVICES = [
    "cpu",
    pytest.param(
        "cuda",
        marks=[pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")],
    ),
    pytest.param(
        "mps",
        marks=[
            pytest.mark.gpu,
            pytest.mark.skipif(not torch.backends.mps.is_available(), reason="no Apple GPU"),
        ],
    ),
]
TEXT = [3 + (7919 * i * i + 13 * i) % 480 for i in range(1000)]


@pytest.fixture(params=DEVICES, scope="module")
def model(request):
    folder = tiny.checkpoint("llama", dtype="float32")
    loaded = load(ModelSpec(str(folder), device=request.param, max_context=2048, threads=1))
    yield loaded
    loaded.close()


def opened(model, prompt_ids):
    sequence = model.target.open([*prompt_ids, 3])
    sequence.prefill(prompt_ids[sequence.length :])
    return sequence


def test_reused_and_fresh_prefixes_are_equal_bit_for_bit(model):
    model.target.drop_caches()
    fresh = opened(model, TEXT)
    opened(model, [*TEXT[:900], 5, 6, 7]).close()
    reused = opened(model, TEXT)
    assert reused.cached_tokens > 500
    for mine, other in zip(reused.cache.layers, fresh.cache.layers, strict=True):
        assert torch.equal(mine.keys[:, :, : len(TEXT)], other.keys[:, :, : len(TEXT)])
        assert torch.equal(mine.values[:, :, : len(TEXT)], other.values[:, :, : len(TEXT)])
    fresh.close()
    reused.close()


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.8, top_p=0.9, seed=1)])
def test_wide_and_narrow_passes_choose_alike_but_for_near_ties(model, sampling):
    sequence = opened(model, TEXT[:600])
    wide = sequence.verify(TEXT[600:640], sampling)
    sequence.crop(600)
    for index, token_id in enumerate(TEXT[600:640]):
        narrow = sequence.verify([token_id], sampling)
        near_tie = wide.margins[index] < model.target.near_tie_margin
        assert narrow.choice_ids[0] == wide.choice_ids[index] or near_tie
    sequence.close()


def test_the_default_dtype_is_sensible():
    assert choose_dtype("auto", torch.device("cpu")) == torch.float32
    assert choose_dtype("auto", torch.device("mps")) == torch.float16


def test_threads_are_at_least_one():
    assert machine.usable_cores() >= 1


@pytest.mark.parametrize(
    ("physical", "usable", "others", "free"),
    [
        (2, 2, 0.2, 2),
        (2, 2, 0.7, 1),
        (2, 2, 2.0, 1),
        (8, 8, 3.0, 5),
        (8, 8, 8.0, 4),  # never less than half
        (64, 2, 60.0, 2),  # others compute on the cores that are not this process's
    ],
)
def test_other_programs_keep_their_cores(monkeypatch, physical, usable, others, free):
    clock = {"now": 0.0}
    monkeypatch.setattr(machine, "usable_cores", lambda: usable)
    monkeypatch.setattr(machine, "_physical_cores", lambda: physical)
    monkeypatch.setattr(machine.psutil, "cpu_count", lambda: physical)
    monkeypatch.setattr(machine, "monotonic", lambda: clock["now"])
    monkeypatch.setattr(machine, "process_time", lambda: 1.5 * clock["now"])
    monkeypatch.setattr(machine, "_used_seconds", lambda: (others + 1.5) * clock["now"])
    count = machine.FreeCores()
    assert count() == usable
    clock["now"] = 2.0
    assert count() == free


def test_a_container_leaves_what_it_leaves(monkeypatch):
    files = {
        "cpu.max": "150000 100000",
        "memory.max": str(10 << 20),
        "memory.current": str(8 << 20),
        "memory.stat": f"anon 5 active_file {1 << 20} inactive_file {2 << 20}",
    }
    monkeypatch.setattr(machine, "_read_words", lambda path: files[path.split("/")[-1]].split())
    assert device.free_memory(torch.device("cpu")) == machine.free_memory() == 5 << 20
    assert machine.usable_cores() <= 2
    files |= {"memory.max": "max", "cpu.max": "max 100000"}
    assert device.free_memory(torch.device("cpu")) > 5 << 20
