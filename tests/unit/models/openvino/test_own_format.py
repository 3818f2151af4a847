"""Folders in OpenVINO's own format, as Optimum Intel exports them: they run as they are, or are refused."""

import json
import shutil

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from editd import errors
from editd.decode.target import GREEDY
from editd.models import registry
from editd.models.model import ModelSpec
from tests.gguf_files import wide_checkpoint
from tests.openvino_writer import traced

ov = pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Traced from transformers' own model, with its tokenizer beside."""
    source, folder = wide_checkpoint("qwen3"), tmp_path_factory.mktemp("exported")
    ov.save_model(traced(source), folder / "openvino_model.xml", compress_to_fp16=False)
    for file in source.glob("*.json"):
        shutil.copy(file, folder)
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))


def load(folder):
    return registry.load(ModelSpec(str(folder), threads=1, device="cpu"))


def test_its_logits_are_those_of_transformers_and_every_width_agrees(exported):
    ids = [*range(5, 60)]
    model = load(exported)
    assert model.status().runs.startswith("OpenVINO")
    assert model.target.exactness == "bitwise"
    sequence = model.target.open(ids)
    ours = sequence.table.append_chain(ids).copy()
    sequence.crop(0)
    sequence.prefill(ids[:20])
    for at in range(20, len(ids), 7):
        rows = sequence.table.append_chain(ids[at : at + 7])
        assert np.array_equal(rows, ours[at : at + 7])
    sequence.table.crop_to(20)
    assert len(sequence.verify(ids[20:30], GREEDY).choice_ids) == 10
    sequence.close()
    model.close()
    with torch.inference_mode():
        reference = AutoModelForCausalLM.from_pretrained(
            wide_checkpoint("qwen3"), dtype=torch.float32
        )
        theirs = reference(input_ids=torch.tensor([ids])).logits[0].numpy()
    assert (ours - theirs).std() < 0.01 * theirs.std()


def cut(name):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-5000])


def no_language_model(folder):
    from openvino import opset15 as ops

    x = ops.parameter(ov.PartialShape([-1, 4]), np.float32, name="pixels")
    x.output(0).get_tensor().set_names({"pixels"})
    ov.save_model(ov.Model([ops.result(ops.relu(x))], [x]), folder / "openvino_model.xml")


def no_shape(folder):
    (folder / "config.json").write_text(json.dumps({"model_type": "qwen3"}))


@pytest.mark.parametrize(
    ("spoil", "error", "said"),
    [
        (cut("openvino_model.xml"), errors.ModelDamaged, "OpenVINO cannot read"),
        (cut("openvino_model.bin"), errors.ModelDamaged, "OpenVINO cannot read"),
        (lambda at: (at / "openvino_model.bin").unlink(), errors.ModelDamaged, "no openvino_model.bin"),
        (lambda at: (at / "tokenizer.json").unlink(), errors.ModelDamaged, "no tokenizer.json"),
        (no_shape, errors.ModelDamaged, "does not say which shape"),
        (no_language_model, errors.ModelUnsupported, "no causal language model"),
    ],
)  # fmt: skip
def test_what_is_damaged_or_foreign_is_one_sentence(exported, tmp_path, spoil, error, said):
    folder = shutil.copytree(exported, tmp_path / "spoilt")
    spoil(folder)
    with pytest.raises(error, match=said) as told:
        load(folder)
    assert "\n" not in str(told.value)
