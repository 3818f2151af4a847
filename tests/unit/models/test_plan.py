"""What a model will take: reckoned from headers, chosen, printed, refused."""

import shutil
from dataclasses import replace

import pytest
import torch

from editd import errors
from editd.config import ModelConfig
from editd.models.model_folder import open_checkpoint
from editd.models.torch import memory_plan as planning
from editd.models.torch import quantize
from editd.models.torch.memory_plan import choose_plan, make_plan
from tests import tiny

CPU = torch.device("cpu")
MIB = 1 << 20


@pytest.fixture
def checkpoint():
    return open_checkpoint(str(tiny.checkpoint("llama", dtype="float32")))


def test_sizes(checkpoint):
    plain = make_plan(checkpoint, CPU, torch.float32)
    assert plain.weights_bytes == 4 * 111_696
    assert plain.kv_bytes_per_token == 2 * 3 * 2 * 12 * 4
    linear = 3 * (2 * 48 * 48 + 2 * 48 * 24 + 3 * 48 * 96) + 512 * 48
    assert make_plan(checkpoint, CPU, torch.float32, "int8").weights_bytes == pytest.approx(
        4 * (111_696 - linear) + linear, rel=0.01
    )
    assert make_plan(checkpoint, CPU, torch.bfloat16).weights_bytes == 2 * 111_696


@pytest.mark.parametrize(
    ("wanted", "room", "extra", "expected"),
    [
        ("auto", "plenty", True, "none"),
        ("auto", "plain", True, "none"),
        ("auto", "between", True, "int8"),
        ("none", "between", True, errors.OutOfMemory),
        ("auto", "between", False, r"install .*\[.*quantize"),
        ("auto", "little", True, "choose a smaller model"),
        ("int8", "plenty", True, "int8"),
        ("int8", "plenty", False, r"Install it with: .*\[.*quantize"),
        ("int4", "plenty", True, "int4 weights have no fast way on a CPU: set .* to int8"),
        ("fp8", "plenty", True, "fp8 weights have no fast way on a CPU"),
    ],
)
def test_choice(checkpoint, monkeypatch, wanted, room, extra, expected):
    """``between``: room for the weights as int8, not as they are."""
    monkeypatch.setattr(quantize, "installed", lambda: extra)
    plain = make_plan(checkpoint, CPU, torch.float32).needed_bytes
    small = make_plan(checkpoint, CPU, torch.float32, "int8").needed_bytes
    rooms = {"plenty": 2 * plain, "plain": plain, "between": (plain + small) // 2}
    free = {**rooms, "little": small - 1}[room]
    if expected in ("none", "int8"):
        assert choose_plan(checkpoint, CPU, torch.float32, wanted, free).quantize == expected
        return
    words = expected if isinstance(expected, str) else "are free"
    with pytest.raises((errors.OutOfMemory, errors.ModelUnsupported), match=words):
        choose_plan(checkpoint, CPU, torch.float32, wanted, free)


@pytest.mark.parametrize(
    ("kind", "device", "capability", "dtype", "words"),
    [
        ("none", "cuda", (5, 0), torch.float16, ""),
        ("int8", "cpu", None, torch.float32, ""),
        ("int8", "cuda", (8, 0), torch.float16, ""),
        ("int8", "cuda", (7, 5), torch.float16, "int8 weights need a card of compute capability 8.0"),
        ("int4", "cuda", (8, 0), torch.bfloat16, ""),
        ("int4", "cuda", (8, 0), torch.float16, "int4 weights are multiplied in bfloat16, not in float16"),
        ("int4", "cpu", None, torch.bfloat16, "int4 weights have no fast way on a CPU"),
        ("fp8", "cuda", (8, 9), torch.bfloat16, ""),
        ("fp8", "cuda", (8, 6), torch.bfloat16, "fp8 weights need a card of compute capability 8.9"),
        ("fp8", "mps", None, torch.float16, "fp8 weights do not run on Apple's GPUs here"),
    ],
)  # fmt: skip
def test_where_smaller_weights_run(monkeypatch, kind, device, capability, dtype, words):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)
    assert quantize.refusal(kind, torch.device(device), dtype) == words


def test_a_pulled_model_that_fits_is_named(checkpoint, monkeypatch, tmp_path):
    small = str(tiny.checkpoint("llama", dtype="float32"))
    monkeypatch.setattr("editd.stores.hub.pulled_models", lambda: [small, "gone/away"])
    monkeypatch.setattr(quantize, "installed", lambda: False)
    shutil.copytree(small, tmp_path / "big")
    big = open_checkpoint(str(tmp_path / "big"))
    big.config["num_hidden_layers"] = 10_000  # a cache that fits nowhere
    with pytest.raises(errors.OutOfMemory, match=f"choose {small}, which fits"):
        choose_plan(big, CPU, torch.float32, "auto", 100 * MIB)


def test_stored_quantised_asks_for_what_reads_it(checkpoint):
    checkpoint.config["quantization_config"] = {"quant_method": "awq"}
    with pytest.raises(errors.ModelUnsupported, match=r"stored as awq.*install.* gptqmodel"):
        choose_plan(checkpoint, CPU, torch.float32, "auto", 100 * MIB)


def test_report(monkeypatch):
    name = str(tiny.checkpoint("llama", dtype="float32"))
    config = ModelConfig(name=name, device="cpu", draft=name)
    monkeypatch.setattr(planning, "free_memory", lambda _: 100 * MIB)
    report = planning.plan_model(config)
    text = "\n".join(report.lines())
    assert "fits." in text
    assert "draft model" in text
    assert "for 1,000 tokens" in text
    assert report.figures()["context"] == 1024
    alone = planning.plan_model(replace(config, draft=""))
    assert alone.draft_bytes < report.draft_bytes
    assert alone.weights_bytes == report.weights_bytes
    monkeypatch.setattr(planning, "free_memory", lambda _: 1 * MIB)
    report = planning.plan_model(config)
    assert "does not fit" in report.lines()[0]
    assert report.figures()["fits"] is False


def test_context_is_what_there_is_room_for(checkpoint):
    plan = make_plan(checkpoint, CPU, torch.float32)
    assert plan.usable_context(1 << 40) == 1024
    assert plan.usable_context(plan.fixed_bytes + 100 * plan.kv_bytes_per_token) == 100
    assert plan.usable_context(0) == 0
