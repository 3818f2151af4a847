"""A good folder loads and decodes; each bad one ends in one sentence that says what to do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file

from editd import errors
from editd.decode.target import GREEDY
from editd.models import quiet_loading
from editd.models.model import ModelSpec
from editd.models.torch import loading as loading_module
from editd.models.torch.loading import load
from tests import tiny


def spec(folder, **options):
    return ModelSpec(str(folder), **{"device": "cpu", "threads": 1, **options})


@pytest.fixture
def folder(tmp_path):
    """A copy of a good model, to be spoilt."""
    return shutil.copytree(tiny.checkpoint("llama", dtype="float32"), tmp_path / "model")


def greedy(model, count=20):
    prompt = model.codec.prompt_ids("def value(index):\n")
    sequence = model.target.open(prompt)
    sequence.prefill(prompt[:-1])
    ids = prompt[-1:]
    for _ in range(count):
        ids += sequence.verify(ids[-1:], GREEDY).choice_ids
    sequence.close()
    return ids[1:]


# --- good folders --------------------------------------------------------------------------------


def test_what_a_loaded_model_tells(folder):
    (folder / "editd.json").write_text('{"format": "marks", "version": 3}')
    heard = []
    model = load(spec(folder, max_context=300), heard.append)
    assert (model.name, model.device, model.dtype) == (str(folder), "cpu", "float32")
    assert model.parameters == model.status().parameters == 111_696
    assert model.weights_bytes == pytest.approx(4 * 111_696, rel=0.01)
    assert model.context_length == model.target.max_context == 300
    assert model.memory_bytes == model.weights_bytes
    assert (model.edit_format, model.manifest["version"]) == ("marks", 3)
    assert model.codec.vocab_size == model.target.vocab_size == 512
    assert model.render_chat is None
    assert heard[0] == 0.0
    assert heard[-1] == 1.0
    assert heard == sorted(heard)
    assert len(heard) > 10
    assert len(greedy(model)) == 20
    assert model.memory_bytes > model.weights_bytes
    model.close()
    model.close()


@pytest.mark.parametrize("family", tiny.ATTENTION_FAMILIES)
def test_every_family_loads(family):
    model = load(spec(tiny.checkpoint(family), dtype="float64"))
    assert len(greedy(model)) == 20


def test_a_recurrent_one_is_refused_with_a_way_to_run_it():
    with pytest.raises(
        errors.ModelUnsupported, match=r"cannot take back: choose a GGUF file of it"
    ):
        load(spec(tiny.checkpoint("mamba"), dtype="float64"))


def test_shards_are_one_model(folder, tmp_path):
    whole = greedy(load(spec(folder)))
    shutil.copytree(folder, tmp_path / "sharded")
    (tmp_path / "sharded" / "model.safetensors").unlink()
    with quiet_loading():
        tiny.random_model("llama", dtype="float32").save_pretrained(
            tmp_path / "sharded", max_shard_size="100KB"
        )
    assert len(list((tmp_path / "sharded").glob("model-*.safetensors"))) > 2
    assert greedy(load(spec(tmp_path / "sharded"))) == whole


def test_dtype_is_chosen_or_given(folder):
    assert load(spec(folder)).dtype == "float32"
    half = load(spec(folder, dtype="bfloat16"))
    assert half.target.exactness == "near-tie"
    assert half.weights_bytes == pytest.approx(2 * 111_696, rel=0.02)


def test_only_the_stop_ids_of_generation_config_are_used(folder):
    plain = greedy(load(spec(folder)))
    settings = {
        "do_sample": True,
        "temperature": 2.0,
        "repetition_penalty": 3.0,
        "top_k": 1,
        "eos_token_id": [7, 9],
    }
    (folder / "generation_config.json").write_text(json.dumps(settings))
    (folder / "tokenizer_config.json").write_text('{"eos_token": {"content": "<|end|>"}}')
    model = load(spec(folder))
    assert model.stop_ids == {1, 7, 9}  # <|end|> and config.json's eos_token_id are 1
    assert greedy(model) == plain


def test_a_pulled_hub_id_is_found_without_network(folder, tmp_path, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("socket.socket.connect", _no_network)
    repository = tmp_path / "hub" / "models--some--coder"
    shutil.copytree(folder, repository / "snapshots" / ("a" * 40))
    assert load(spec("some/coder")).name == "some/coder"  # pulled by revision: no ref
    assert load(spec("some/coder@" + "a" * 40)).parameters
    with pytest.raises(errors.ModelNotFound, match="editd models pull other/coder"):
        load(spec("other/coder"))


def test_loading_and_decoding_print_nothing(folder):
    """In a process of its own: what libraries print at import counts as well."""
    (folder / "config.json").write_text(
        json.dumps({**json.loads((folder / "config.json").read_text()), "use_cache": False, "x": 1})
    )
    program = (
        "import contextlib, editd.models.torch.runner\n"
        "with contextlib.suppress(ImportError): import torchao\n"
        "from editd.models.torch.loading import *; from editd.decode.target import GREEDY\n"
        f"m = load(ModelSpec({str(folder)!r}, device='cpu', threads=1))\n"
        "s = m.target.open([5, 6, 7]); s.prefill([5, 6]); s.verify([7], GREEDY)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- bad folders ---------------------------------------------------------------------------------


def edit_json(file, **changes):
    values = json.loads(file.read_text())
    file.write_text(json.dumps({k: v for k, v in {**values, **changes}.items() if v is not None}))


def not_a_model(folder):
    (folder / "config.json").unlink()


def broken_config(folder):
    (folder / "config.json").write_text("{")


def truncated(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])


def truncated_header(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])


def empty_weights(folder):
    (folder / "model.safetensors").write_bytes(b"")


def garbage(folder):
    (folder / "model.safetensors").write_bytes(b"<!DOCTYPE html>" * 1000)


def missing_shard(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    shards = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))


def missing_tensor(folder):
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def other_shapes(folder):
    edit_json(folder / "config.json", intermediate_size=64)


def no_weights(folder):
    (folder / "model.safetensors").unlink()


def pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def adapter(folder):
    (folder / "model.safetensors").rename(folder / "adapter_model.safetensors")


def no_tokenizer(folder):
    (folder / "tokenizer.json").unlink()


def foreign_tokenizer(folder):
    edit_json(folder / "config.json", vocab_size=300)


def encoder(folder):
    edit_json(folder / "config.json", architectures=["BertForMaskedLM"], model_type="bert")


def vision(folder):
    edit_json(folder / "config.json", architectures=["ViTModel"], model_type="vit")


def headless(folder):
    edit_json(folder / "config.json", architectures=["LlamaModel"])


def from_the_future(folder):
    edit_json(folder / "config.json", architectures=["Llama9ForCausalLM"], model_type="llama9")


def own_code(folder):
    code = {"AutoModelForCausalLM": "modeling_own.OwnForCausalLM"}
    edit_json(
        folder / "config.json", architectures=["OwnForCausalLM"], model_type="own", auto_map=code
    )


def device_file(name):
    def spoil(folder):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to("/dev/null")

    spoil.__name__ = f"device_file {name}"
    return spoil


def header(**tensors):
    """A file of weights whose header says this beside what is true."""

    def spoil(folder):
        weights = folder / "model.safetensors"
        data = weights.read_bytes()
        length = int.from_bytes(data[:8], "little")
        told = json.dumps({**json.loads(data[8 : 8 + length]), **tensors}).encode()
        weights.write_bytes(len(told).to_bytes(8, "little") + told + data[8 + length :])

    spoil.__name__ = f"header {tensors}"
    return spoil


def deep_header(folder):
    (folder / "model.safetensors").write_bytes((90_000).to_bytes(8, "little") + b"[" * 90_000)


def deep(name):
    def spoil(folder):
        (folder / name).write_text("[" * 100_000)

    spoil.__name__ = f"deep {name}"
    return spoil


def values(name="config.json", **values):
    def spoil(folder):
        edit_json(folder / name, **values)

    spoil.__name__ = f"{name} {values}"
    return spoil


def huge_id(folder):
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["huge"] = 2**31
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


TENSOR = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
BAD_FOLDERS = [
    *(
        (device_file(name), errors.ModelDamaged, f"{name} is a pipe or a device")
        for name in ("config.json", "model.safetensors", "tokenizer.json", "generation_config.json")
    ),
    *(
        (header(x={**TENSOR, **wrong}), errors.ModelDamaged, "is damaged")
        for wrong in (
            {"dtype": []},
            {"shape": 5},
            {"shape": ["a"]},
            {"shape": [-1]},
            {"shape": [1.5]},
            {"shape": {"a": 5}},
            {"data_offsets": [4, 0]},
            {"data_offsets": [0]},
            {"data_offsets": ["a", "b"]},
        )
    ),
    (header(x=5), errors.ModelDamaged, "is damaged"),
    (deep_header, errors.ModelDamaged, "is damaged"),
    (deep("config.json"), errors.ModelDamaged, "cannot be read"),
    (deep("editd.json"), errors.ModelDamaged, "cannot be read"),
    (values(architectures=[[[]]]), errors.ModelUnsupported, "not a causal"),
    (values(architectures=5, model_type=None), errors.ModelUnsupported, "which transformers"),
    (huge_id, errors.ModelDamaged, "a token with the number 2,147,483,648"),
    (not_a_model, errors.ModelDamaged, "no config.json"),
    (broken_config, errors.ModelDamaged, "cannot be read"),
    (truncated, errors.ModelDamaged, "cut short"),
    (truncated_header, errors.ModelDamaged, "cut short"),
    (empty_weights, errors.ModelDamaged, "cut short"),
    (garbage, errors.ModelDamaged, "is damaged"),
    (missing_shard, errors.ModelDamaged, "lacks 1 of 2 weight files .*model-00002-of-00002"),
    (missing_tensor, errors.ModelDamaged, "incomplete .1 missing.*up_proj"),
    (other_shapes, errors.ModelDamaged, "do not fit its config.json"),
    (no_weights, errors.ModelDamaged, "has no weights"),
    (pickled, errors.ModelUnsupported, "pickled weights .pytorch_model.bin.*safetensors version"),
    (adapter, errors.ModelUnsupported, "adapter"),
    (no_tokenizer, errors.ModelDamaged, "has no tokenizer"),
    (foreign_tokenizer, errors.ModelDamaged, "do not belong together"),
    (encoder, errors.ModelUnsupported, "not a causal language model .it is a BertForMaskedLM"),
    (vision, errors.ModelUnsupported, "not a causal language model"),
    (headless, errors.ModelUnsupported, "not a causal language model"),
    (from_the_future, errors.ModelUnsupported, "Llama9ForCausalLM, which transformers"),
    (own_code, errors.ModelUnsupported, "which editd does not run"),
]


@pytest.mark.parametrize(
    ("spoil", "error", "words"), BAD_FOLDERS, ids=lambda v: getattr(v, "__name__", "")
)
def test_a_bad_folder_ends_in_one_sentence(folder, spoil, error, words):
    spoil(folder)
    check_refused(spec(folder), error, words)


@pytest.mark.parametrize(
    ("name", "options", "error", "words"),
    [
        ("./nowhere", {}, errors.ModelNotFound, "no folder ./nowhere"),
        ("/no/such/folder", {}, errors.ModelNotFound, "no folder /no/such/folder"),
        ("~nobody-here/m", {}, errors.ModelNotFound, "no folder ~nobody-here/m"),
        ("nobody/never-pulled", {}, errors.ModelNotFound, "editd models pull nobody/never-pulled"),
        ("not an id", {}, errors.ModelNotFound, "neither a folder nor a hub id"),
        ("", {}, errors.ModelNotFound, "existing model folder"),
        ("TINY", {"device": "cuda:77"}, errors.ConfigError, "cannot be used on this machine"),
        ("TINY", {"device": "toaster"}, errors.ConfigError, "set model.device to auto"),
        ("TINY", {"dtype": "int3"}, errors.ConfigError, "set model.dtype to auto"),
    ],
)
def test_a_wrong_name_or_setting_ends_in_one_sentence(name, options, error, words):
    name = str(tiny.checkpoint("llama", dtype="float32")) if name == "TINY" else name
    check_refused(spec(name, **options), error, words)


def test_a_file_instead_of_a_folder(folder):
    check_refused(spec(folder / "config.json"), errors.ModelNotFound, "is a file: give the folder")


def test_too_little_memory_is_said_before_loading(folder, monkeypatch):
    monkeypatch.setattr(loading_module, "free_memory", lambda _: 50 << 20)
    check_refused(
        spec(folder),
        errors.OutOfMemory,
        r"needs about \d+ [kM]B as float32, but only 52 MB are free",
    )


def test_a_smaller_dtype_is_suggested_where_it_would_fit(monkeypatch):
    from editd.models.torch.memory_plan import MemoryPlan, too_large

    cpu = torch.device("cpu")
    plan = MemoryPlan(cpu, torch.float32, 8 << 30, 1 << 10, 4096, free_bytes=6 << 30)
    said = str(too_large(plan, "big"))
    assert re.search(r"8.7 GB.*6.4 GB.*model.dtype to bfloat16", said)


def test_weights_that_cannot_be_allocated_are_out_of_memory(folder, monkeypatch):
    monkeypatch.setattr("transformers.AutoModelForCausalLM.from_pretrained", _no_memory)
    check_refused(spec(folder), errors.OutOfMemory, "ran out while loading")


def test_native_models_never_run_code_of_the_folder(folder):
    (folder / "modeling_evil.py").write_text("raise SystemExit('ran')")
    edit_json(
        folder / "config.json",
        auto_map={"AutoModelForCausalLM": "modeling_evil.EvilForCausalLM"},
    )
    model = load(spec(folder))
    assert type(model.target.model).__name__ == "LlamaForCausalLM"


def check_refused(wanted, error, words):
    with pytest.raises(error, match=words) as caught:
        load(wanted)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith((".", ")."))
    assert "Traceback" not in sentence


def _no_network(*_):
    raise AssertionError("the network was asked")


def _no_memory(*_, **__):
    raise RuntimeError(
        "[enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory"
    )
