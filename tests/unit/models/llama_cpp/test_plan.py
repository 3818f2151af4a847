"""Where layers go, what they take, and what is given back."""

import re

import pytest

from editd import errors
from editd.config import ModelConfig
from editd.models import registry
from editd.models.llama_cpp import placement
from editd.models.llama_cpp.context import Context, Passes
from editd.models.llama_cpp.library import Device, load_library
from editd.models.llama_cpp.placement import STATES
from editd.models.llama_cpp.weights import Weights
from editd.models.model import ModelSpec
from tests.architectures import RECURRENT, SLIDING, random_file
from tests.unit.models.llama_cpp.loaded import PROMPT, load

DELTA_NET = {
    "architecture": "qwen35",
    "attention.head_count": 8,
    "attention.head_count_kv": 2,
    "ssm.conv_kernel": 4,
    "ssm.state_size": 128,
    "ssm.group_count": 16,
}

SHARED = Device("Vulkan1", 4, 16 << 30, shared=True)
GPUS = [Device("CUDA0", 1, 8 << 30), Device("CUDA1", 2, 4 << 30), Device("Vulkan0", 3, 8 << 30)]


@pytest.mark.parametrize(
    ("wanted", "here", "names"),
    [
        ("auto", [], ""),
        ("auto", GPUS[:2], "CUDA0 CUDA1"),
        ("cpu", GPUS, ""),
        ("cuda", GPUS, "CUDA0 CUDA1"),
        ("cuda:1", GPUS, "CUDA1"),
        ("vulkan", GPUS, "Vulkan0"),
        ("mps", [Device("MTL0", 1, 1)], "MTL0"),
        ("metal", [Device("MTL0", 1, 1)], "MTL0"),
        ("auto", [SHARED, GPUS[2]], "Vulkan0"),
        ("auto", [SHARED], "Vulkan1"),
        ("vulkan:1", [SHARED, GPUS[2]], "Vulkan1"),
        ("mps", GPUS, None),
        ("cuda:2", GPUS, None),
        ("rocm", [], None),
    ],
)
def test_devices_by_name(wanted, here, names):
    if names is None:
        with pytest.raises(errors.ConfigError, match=f"model.device is {wanted}"):
            placement.choose_devices(wanted, here)
    else:
        assert " ".join(one.name for one in placement.choose_devices(wanted, here)) == names


@pytest.mark.parametrize(
    ("gigabytes", "where"), [(2, "CUDA0"), (16, r"CUDA0, 1\d of 32 layers"), (2000, "cpu")]
)
def test_as_many_layers_as_there_is_room_for(file, gigabytes, where):
    sizes = placement.Placement(file, gigabytes << 30, 1000, 4096, layers=32, free_bytes=1 << 40)
    placed = placement.place_layers(sizes, (GPUS[0],))
    assert re.fullmatch(where, placed.location)
    assert (placed.needed_on_cpu < 1 << 30) == (gigabytes == 2)


@pytest.mark.parametrize(
    ("largest", "longest"),
    [((0,), 100_000), ((1 << 40,), 100_000), ((64_000_000,), 62_500 - 512), ((0, 1 << 20), 512)],
)
def test_a_cache_is_no_longer_than_the_largest_tensor_of_a_device(file, largest, longest):
    """Of 32 layers: 1,024 bytes of keys a token and layer, or 512 tokens in a megabyte."""
    devices = tuple(
        Device(f"Vulkan{n}", n, 8 << 30, largest=most) for n, most in enumerate(largest)
    )
    sizes = placement.Placement(
        file, 1 << 30, 2 * 32 * 1024, 100_000, layers=32, free_bytes=1 << 40
    )
    placed = placement.place_layers(sizes, devices)
    assert placed.longest == longest


def test_layers_that_stay_on_the_processor_take_of_its_memory(file):
    sizes = placement.Placement(file, 16 << 30, 1 << 20, 1 << 20, layers=32, free_bytes=64 << 30)
    assert (
        placement.place_layers(sizes, (GPUS[0],)).context > 40_000
    )  # 8 GB there, 64 here, 16 of weights
    assert placement.place_layers(sizes, (GPUS[0], SHARED)).needed_on_cpu == sizes.needed_bytes
    shared = placement.place_layers(sizes, (SHARED._replace(free=64 << 30),))
    assert (shared.location, shared.needed_on_cpu) == ("Vulkan1", sizes.needed_bytes)


def test_the_plan_says_what_it_takes_and_where(file, monkeypatch):
    monkeypatch.setattr("editd.models.llama_cpp.weights.Weights.__init__", _no_loading)
    report = registry.plan_model(ModelConfig(name=str(file), device="cpu"))
    assert "of memory on llama.cpp (cpu)" in report.summary()
    assert (report.refusal, report.weights_bytes) == ("", file.stat().st_size)
    assert report.context == 1024
    assert placement.placement_of(file, "cpu").kv_bytes_per_token == 2 * 3 * 2 * 12 * 2  # halves
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("M", (), {"available": 1}))
    full = registry.plan_model(ModelConfig(name=str(file), device="cpu"))
    assert "choose a smaller quantisation" in full.refusal


def _no_loading(*_args, **_options):
    raise AssertionError("weights were loaded")


def test_what_a_token_takes_is_what_was_planned(model, file):
    planned = placement.placement_of(file, "cpu").kv_bytes_per_token
    assert planned <= model.target.passes.token_bytes <= 1.2 * planned


@pytest.mark.parametrize("architecture", [*SLIDING, *RECURRENT])
def test_caches_of_other_architectures_take_what_was_planned(architecture):
    """Keys and values of the layers that attend, and two recurrent states a context."""
    file = random_file(architecture)
    planned, loaded = placement.placement_of(file, "cpu"), load(file)
    passes, states = loaded.target.passes, planned.states_bytes
    assert planned.kv_bytes_per_token <= passes.token_bytes <= 1.2 * planned.kv_bytes_per_token
    assert states <= 2 * passes.state_bytes <= 1.1 * states
    assert bool(states) == (architecture in RECURRENT)
    sequence = loaded.target.open([1] * 100)
    expected = sequence.context.capacity * passes.token_bytes + 2 * passes.state_bytes
    assert loaded.status().kv_bytes == expected
    sequence.close()
    loaded.close()


@pytest.mark.parametrize("architecture", RECURRENT)
def test_two_recurrent_states_are_reserved_a_context(architecture):
    weights = Weights(load_library(), random_file(architecture))
    passes = Passes(weights.library, weights.handle, 512, 128, 1, recurrent=True)
    context = Context(passes, 100)
    rejected = weights.library.llama_memory_seq_rm
    assert rejected(context._memory, STATES - 1, -1, -1)
    assert not rejected(context._memory, STATES, -1, -1)  # no such sequence
    context.close()
    weights.close()


@pytest.mark.parametrize(
    ("values", "bytes_each"),
    [
        # Qwen 3.5 0.8B, and 4B: 18 of 24 layers, and 24 of 32 (20.2 MB and 52.7 MB).
        ({**DELTA_NET, "ssm.inner_size": 2048, "block_count": 24}, 4 * 18 * 280_576),
        ({**DELTA_NET, "ssm.inner_size": 4096, "block_count": 32}, 4 * 24 * 548_864),
        ({"architecture": "rwkv7", "embedding_length": 768, "wkv.head_size": 64,
          "block_count": 12, "attention.head_count": 0}, 4 * 12 * (2 * 768 + 768 * 64)),
        ({"architecture": "llama", "block_count": 32, "attention.head_count": 32}, 0),
    ],
)  # fmt: skip
def test_recurrent_states_by_header(values, bytes_each):
    heads = placement._heads_by_layer(values, values["block_count"])
    assert placement._state_bytes(values, heads) == bytes_each


def test_memory_is_told_and_given_back(file):
    loaded = load(file)
    base = loaded.memory_bytes
    sequence = loaded.target.open(loaded.codec.prompt_ids(PROMPT))
    assert loaded.memory_bytes == base + sequence.context.nbytes
    assert loaded.status().kv_bytes == sequence.context.nbytes
    loaded.close()
    loaded.close()
    assert sequence.context._handle is None
    sequence.close()


def test_a_limit_on_memory_holds_for_caches(file):
    loaded = registry.load(ModelSpec(str(file), threads=1), most_bytes=1 << 30)
    target = loaded.target
    assert target.kv_limit_bytes == (1 << 30) - loaded.weights_bytes
    first = target.open([1] * 900)
    target.kv_limit_bytes = 5 * first.context.nbytes // 2
    target.open([2] * 900)
    with pytest.raises(errors.OutOfMemory, match="caches may take"):
        target.open([3] * 900)
    first.close()
    target.open([3] * 900)
    assert target.cache_bytes <= target.kv_limit_bytes
    loaded.close()
