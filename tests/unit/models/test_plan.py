"""What a model will take: reckoned from headers, chosen, printed, refused."""

import shutil

import pytest
import torch

from editd import errors
from editd.config import ModelConfig
from editd.models.model_folder import open_checkpoint
from editd.models.torch import memory_plan as planning
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
    assert make_plan(checkpoint, CPU, torch.bfloat16).weights_bytes == 2 * 111_696


def test_choice(checkpoint):
    needed = make_plan(checkpoint, CPU, torch.float32).needed_bytes
    assert choose_plan(checkpoint, CPU, torch.float32, needed).free_bytes == needed
    with pytest.raises(errors.OutOfMemory, match=r"are free on cpu: .*choose a GGUF file of it"):
        choose_plan(checkpoint, CPU, torch.float32, needed - 1)


def test_a_pulled_model_that_fits_is_named(checkpoint, monkeypatch, tmp_path):
    small = str(tiny.checkpoint("llama", dtype="float32"))
    monkeypatch.setattr("editd.stores.hub.pulled_models", lambda: [small, "gone/away"])
    shutil.copytree(small, tmp_path / "big")
    big = open_checkpoint(str(tmp_path / "big"))
    big.config["num_hidden_layers"] = 10_000  # a cache that fits nowhere
    with pytest.raises(errors.OutOfMemory, match=f"choose {small}, which fits"):
        choose_plan(big, CPU, torch.float32, 100 * MIB)


def test_stored_quantised_asks_for_what_reads_it(checkpoint):
    checkpoint.config["quantization_config"] = {"quant_method": "awq"}
    with pytest.raises(errors.ModelUnsupported, match=r"stored as awq.*install.* gptqmodel"):
        choose_plan(checkpoint, CPU, torch.float32, 100 * MIB)


def test_report(monkeypatch):
    config = ModelConfig(name=str(tiny.checkpoint("llama", dtype="float32")), device="cpu")
    monkeypatch.setattr(planning, "free_memory", lambda _: 100 * MIB)
    report = planning.plan_model(config)
    assert report.context == 1024
    assert report.summary().endswith("of memory as float32, room for 1,024 tokens")
    monkeypatch.setattr(planning, "free_memory", lambda _: 1 * MIB)
    assert "are free on cpu" in planning.plan_model(config).refusal


def test_context_is_what_there_is_room_for(checkpoint):
    plan = make_plan(checkpoint, CPU, torch.float32)
    assert plan.usable_context(1 << 40) == 1024
    assert plan.usable_context(plan.fixed_bytes + 100 * plan.kv_bytes_per_token) == 100
    assert plan.usable_context(0) == 0
