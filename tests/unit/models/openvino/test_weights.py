"""What is read of people's files: blocks as they are, or no worse than said; other networks refused."""

import json
import shutil

import gguf
import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from editd import errors
from editd.models import registry
from editd.models.llama_cpp.header import described_folder, end_candidates, open_file
from editd.models.model import ModelSpec
from editd.models.openvino.reading import read_file, read_folder
from tests import tiny
from tests.gguf_files import wide_checkpoint, wide_file, write

pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")


def numbers(matrix):
    """The float32 numbers that a matrix stands for."""
    if matrix.scales is None:
        return matrix.values.astype(np.float32)
    codes = matrix.values
    if codes.dtype == np.uint8:
        pairs = np.stack([codes & 15, codes >> 4], -1).astype(np.int8)
        codes = (pairs.reshape(*codes.shape[:2], -1) ^ 8) - 8
    exact = codes * matrix.scales.astype(np.float32)
    if matrix.offsets is not None:
        exact += matrix.offsets[..., None]
    return exact.reshape(len(codes), -1)


def carried(file):
    """Name, kind, the numbers that OpenVINO gets, and those of the file."""
    _, weights = read_file(file)
    theirs = {tensor.name: tensor for tensor in open_file(file).tensors}
    for one in weights:
        tensor = theirs[one.name]
        exact = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        pieces = [numbers(one.read_rows(at, min(at + 7, one.rows))) for at in range(0, one.rows, 7)]
        yield one.name, tensor.tensor_type.name, np.concatenate(pieces), exact


@pytest.mark.parametrize("kind", ["float32", "f16", "q8_0", "q5_0", "q4_0"])
def test_blocks_are_carried_over_as_they_are(kind):
    kinds = set()
    for name, stored, ours, exact in carried(wide_file("qwen2", kind)):
        assert np.array_equal(ours, exact), name
        kinds.add(stored)
    assert len(kinds) == 1 + (kind != "float32")  # vectors are in float32


@pytest.mark.parametrize(("kind", "blocks"), [("q4_1", "Q4_1"), ("q4_k_m", "Q4_K")])
def test_minima_are_carried_over_as_offsets(kind, blocks):
    """Exact but for the rounding of their sum with eight scales."""
    found = [one for one in carried(wide_file("qwen2", kind)) if one[1] == blocks]
    assert len(found) > 5
    for name, _, ours, exact in found:
        largest = np.abs(exact).reshape(-1, 32).max(-1)
        assert (np.abs(ours - exact).reshape(-1, 32).max(-1) <= 1e-6 * largest).all(), name


@pytest.mark.parametrize(("kind", "blocks"), [("q4_k_m", "Q6_K"), ("q5_1", "Q5_1")])
def test_other_blocks_are_widened_within_half_a_step(kind, blocks):
    """A step: the 127th part of the largest number in 32."""
    found = [one for one in carried(wide_file("qwen2", kind)) if one[1] == blocks]
    assert found
    for _, _, ours, exact in found:
        largest = np.abs(exact).reshape(-1, 32).max(-1)
        assert (np.abs(ours - exact).reshape(-1, 32).max(-1) <= 0.505 * largest / 127 + 1e-7).all()


def test_rotary_pairs_of_a_llama_are_put_into_halves():
    halves = dict(AutoModelForCausalLM.from_pretrained(wide_checkpoint("llama")).named_parameters())
    _, weights = read_file(wide_file("llama", "float32"))
    ours = {one.name: numbers(one.read_rows(0, one.rows)) for one in weights}
    for part in ("q", "k"):
        theirs = halves[f"model.layers.1.self_attn.{part}_proj.weight"].detach().numpy()
        assert np.array_equal(ours[f"blk.1.attn_{part}.weight"], theirs)


def logits_of(spec, ids):
    model = registry.load(spec)
    sequence = model.target.open(ids)
    logits = sequence.table.append_chain(ids).copy()
    sequence.close()
    model.close()
    return logits


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3", "mistral", "granite"])
@pytest.mark.parametrize(
    ("kind", "apart"), [("float32", 0.01), ("safetensors", 0.1), ("q8_0", 0.1)]
)
def test_logits_are_those_of_transformers(family, kind, apart, tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    source, ids = wide_checkpoint(family), [*range(5, 60)]
    named = source if kind == "safetensors" else wide_file(family, kind)
    ours = logits_of(ModelSpec(f"openvino:{named}", threads=1), ids)
    with torch.inference_mode():
        model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
        theirs = model(input_ids=torch.tensor([ids])).logits[0].numpy()
    assert (ours - theirs).std() < apart * theirs.std()


@pytest.mark.parametrize("name", ["BF16", "F16"])
def test_halves_of_a_checkpoint_are_read(name, tmp_path):
    kind = {"BF16": torch.bfloat16, "F16": torch.float16}[name]
    model = tiny.random_model("llama", dtype="float32").to(kind)
    folder = tiny.save(tmp_path / "half", model)
    _, weights = read_folder(folder, json.loads((folder / "config.json").read_text()))
    ours = {one.name: numbers(one.read_rows(0, one.rows)) for one in weights}
    theirs = model.get_parameter("model.norm.weight").detach().float().numpy()
    assert np.array_equal(ours["output_norm.weight"], theirs)
    embeddings = model.get_parameter("model.embed_tokens.weight").detach().float().numpy()
    assert np.abs(ours["token_embd.weight"] - embeddings).max() <= np.abs(embeddings).max() / 250


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"general__architecture": "qwen9"}, "is qwen9"),
        ({"llama__rope__scaling__type": "yarn"}, "scaled positions"),
        ({"llama__expert_count": 4}, "experts"),
        ({"llama__attention__value_length": 6}, "scaled positions"),
        ({"tensor": "blk.0.attn_q_norm.weight"}, r"has blk\.0\.attn_q_norm\.weight"),
        ({"llama__block_count": 4}, r"lacks blk\.3\."),
    ],
)
def test_another_network_is_refused_in_a_sentence(tmp_path, fields, said):
    path = write(tiny.checkpoint("llama", dtype="float32"), tmp_path / "m.gguf", **fields)
    with pytest.raises(errors.ModelUnsupported, match=f"{said}.*model.engine to local") as refusal:
        read_file(path)
    assert str(refusal.value).count(".\n") == 0


def test_unknown_blocks_are_refused():
    with pytest.raises(errors.ModelUnsupported, match="IQ4_NL weights"):
        read_file(wide_file("llama", "iq4_nl"))


@pytest.mark.parametrize("family", ["phi3", "gemma2", "mistral"])
def test_another_family_of_checkpoints_is_refused(family):
    folder = tiny.checkpoint(family, dtype="float32")
    with pytest.raises(errors.ModelUnsupported, match=r"another: set model\.engine to local"):
        read_folder(folder, json.loads((folder / "config.json").read_text()))


def test_a_file_that_is_cut_short(tmp_path):
    path = tmp_path / "cut.gguf"
    path.write_bytes(wide_file("llama", "q8_0").read_bytes()[:9000])
    with pytest.raises(errors.ModelDamaged, match="cut short"):
        read_file(path)


def test_answers_end_where_llama_cpp_ends_them(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    path = write(tiny.checkpoint("llama", dtype="float32"), tmp_path / "m.gguf")
    ends = []
    for scheme in ("openvino", "llama_cpp"):
        model = registry.load(ModelSpec(f"{scheme}:{path}", threads=1, device="cpu"))
        ends.append(model.stop_ids)
        model.close()
    assert ends[0] == ends[1] != frozenset()
    assert end_candidates(described_folder(path)) >= ends[0]
    shutil.rmtree(tmp_path / "cache")
