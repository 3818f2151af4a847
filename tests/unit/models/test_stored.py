"""Checkpoints that somebody else quantised: unpacked where nothing multiplies them as they are, else
left as they are and trusted with no more than near-ties.

Each kind is stored by the library that stores it elsewhere, and is skipped where that is not installed;
fp8 is stored by hand.
"""

import json
import shutil

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from editd.decode.target import GREEDY
from editd.models.model import ModelSpec
from editd.models.model_folder import open_checkpoint
from editd.models.torch import loading
from editd.models.torch.memory_plan import make_plan, stored_bits
from tests import tiny

BLOCK = 12  # what divides all sides of the tiny model's weights


@pytest.fixture
def plain(tmp_path):
    return shutil.copytree(tiny.checkpoint("llama", dtype="float32"), tmp_path / "plain")


def fp8(plain, folder):
    """As DeepSeek and Qwen store it: a scale for each square."""
    weights = {}
    for name, weight in load_file(plain / "model.safetensors").items():
        if "proj" not in name:
            weights[name] = weight
            continue
        rows, columns = weight.shape
        squares = weight.reshape(rows // BLOCK, BLOCK, columns // BLOCK, BLOCK)
        scales = squares.abs().amax(dim=(1, 3)) / 448
        small = (squares / scales[:, None, :, None]).reshape(rows, columns)
        weights[name] = small.to(torch.float8_e4m3fn)
        weights[name.replace(".weight", ".weight_scale_inv")] = scales
    shutil.copytree(plain, folder)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    stored = {
        "quant_method": "fp8",
        "activation_scheme": "dynamic",
        "weight_block_size": [BLOCK, BLOCK],
        "modules_to_not_convert": ["lm_head"],
    }
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "quantization_config": stored}))


def torchao(plain, folder):
    quantization = pytest.importorskip("torchao.quantization")
    kind = quantization.Int8WeightOnlyConfig(set_inductor_config=False)
    save_quantised(plain, folder, transformers.TorchAoConfig(kind))


def bitsandbytes(plain, folder):
    pytest.importorskip("bitsandbytes")
    save_quantised(plain, folder, transformers.BitsAndBytesConfig(load_in_8bit=True))


def compressed_tensors(plain, folder):
    pytest.importorskip("compressed_tensors")
    from compressed_tensors.compressors import ModelCompressor
    from compressed_tensors.quantization import (
        QuantizationArgs,
        QuantizationConfig,
        QuantizationScheme,
        apply_quantization_config,
    )

    model = transformers.AutoModelForCausalLM.from_pretrained(plain)
    kind = QuantizationArgs(num_bits=4, strategy="group", group_size=BLOCK, symmetric=True)
    scheme = QuantizationScheme(targets=["Linear"], weights=kind)
    apply_quantization_config(
        model,
        QuantizationConfig(
            config_groups={"all": scheme}, ignore=["lm_head"], format="pack-quantized"
        ),
    )
    for module in model.modules():
        if hasattr(module, "weight_scale"):
            groups = module.weight.data.unflatten(1, (-1, BLOCK))
            module.weight_scale.data.copy_(groups.abs().amax(dim=-1) / 7)
    compressor = ModelCompressor.from_pretrained_model(model)
    compressor.compress_model(model)
    shutil.copytree(plain, folder)
    model.save_pretrained(folder)
    compressor.update_config(str(folder))


def save_quantised(plain, folder, config):
    pytest.importorskip("accelerate")
    model = transformers.AutoModelForCausalLM.from_pretrained(
        plain, quantization_config=config, device_map={"": "cpu"}
    )
    shutil.copytree(plain, folder)
    model.save_pretrained(folder)


def load(folder, exactness="auto"):
    return loading.load(ModelSpec(str(folder), device="cpu", threads=1, exactness=exactness))


def says(model):
    sequence = model.target.open([5, 6, 7])
    sequence.prefill([5, 6])
    rows = sequence.verify([7, 8, 9], GREEDY)
    sequence.close()
    return rows.choice_ids


@pytest.mark.parametrize(
    ("store", "spread"), [(fp8, 0.07), (compressed_tensors, 0.2)], ids=["fp8", "compressed-tensors"]
)
def test_unpacked_weights_are_plain_ones(plain, tmp_path, capfd, store, spread):
    store(plain, tmp_path / "small")
    capfd.readouterr()
    model = load(tmp_path / "small")
    # What they were before, but for what was lost in storing them: no more, and not nothing.
    was = load_file(plain / "model.safetensors")
    lost = [
        float((weight.detach() - was[name]).abs().max() / was[name].abs().max())
        for name, weight in model.target.model.named_parameters()
    ]
    assert 0.0 < max(lost) < spread
    assert {weight.dtype for weight in model.target.model.parameters()} == {torch.float32}
    # So they take the memory, run the way and keep the promise of plain ones.
    planned = make_plan(
        open_checkpoint(str(tmp_path / "small")), torch.device("cpu"), torch.float32
    )
    assert planned.weights_bytes == pytest.approx(model.weights_bytes, rel=0.1)
    assert model.target.exactness == "token"
    assert len(says(model)) == 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("store", [torchao, bitsandbytes], ids=["torchao", "bitsandbytes"])
@pytest.mark.parametrize("exactness", ["auto", "bitwise"])
def test_what_stays_small_is_trusted_with_near_ties(plain, tmp_path, capfd, store, exactness):
    store(plain, tmp_path / "small")
    capfd.readouterr()
    model = load(tmp_path / "small", exactness)
    assert model.weights_bytes < 0.6 * load(plain).weights_bytes
    assert model.target.exactness == "near-tie"
    assert model.target.near_tie_margin == 0.5
    assert len(says(model)) == 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("stored", "bits"),
    [
        (None, 0),
        ({"quant_method": "awq", "bits": 4}, 0),
        ({"quant_method": "fp8"}, 8),
        ({"quant_method": "mxfp4"}, 4),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"a": {"weights": {"num_bits": 8}}, "b": {"weights": None}},
            },
            8,
        ),
        ({"quant_method": "compressed-tensors", "config_groups": {}}, 16),
    ],
    ids=str,
)
def test_bits_of_what_is_unpacked(stored, bits):
    assert stored_bits({} if stored is None else {"quantization_config": stored}) == bits
