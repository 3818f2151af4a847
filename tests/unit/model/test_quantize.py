"""Smaller weights, really loaded and run on the CPU; skipped without the extra ``quantize``."""

import dataclasses
import shutil

import pytest
import torch

from editd import errors
from editd.decode.target import GREEDY
from editd.model.loader import ModelSpec, load_model
from editd.model.quantize import held_bytes
from tests import tiny

pytest.importorskip("torchao", reason="needs pip install -e '.[quantize]'")
pytest.importorskip("accelerate", reason="needs pip install -e '.[quantize]'")


def load(quantize, dtype="float32", folder=None):
    name = str(folder or tiny.checkpoint("llama", dtype="float32"))
    return load_model(ModelSpec(name, device="cpu", threads=1, dtype=dtype, quantize=quantize))


def decode(model, count=24, width=1):
    """Greedy text; ``width`` > 1: verified in pieces after a wrong draft was taken back."""
    prompt = model.codec.prompt_ids("def value(index):\n")
    sequence = model.target.open(prompt)
    sequence.prefill(prompt[sequence.cached_tokens : -1])
    ids = prompt[-1:]
    while len(ids) <= count:
        base = sequence.length
        wrong = [*ids[-1:], *[(7 * i) % 500 for i in range(width - 1)]]
        ids += sequence.verify(wrong, GREEDY).choice_ids[:1]
        sequence.crop(base + 1)
    sequence.close()
    return ids[1 : count + 1]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_int8_is_smaller_and_near(dtype):
    plain, small = load("none", dtype), load("int8", dtype)
    assert small.dtype == f"int8 ({dtype})"
    assert small.weights_bytes < (0.45 if dtype == "float32" else 0.75) * plain.weights_bytes
    assert small.parameters == plain.parameters
    kinds = {type(weight).__name__ for weight in small.target.model.parameters()}
    assert "Int8Tensor" in kinds
    ids = torch.arange(5, 45)[None]
    with torch.inference_mode():
        logits = [model.target.model(input_ids=ids).logits[0].float() for model in (plain, small)]
    error = (logits[0] - logits[1]).std() / logits[0].std()
    assert 0 < error < 0.1


def test_int8_speculative_text_is_its_own_plain_text():
    model = load("int8")
    assert model.target.exactness == "token"
    assert decode(model, width=1) == decode(model, width=9) == decode(model, width=40)


def test_tied_embeddings_stay_one(tmp_path):
    folder = shutil.copytree(tiny.checkpoint("llama", dtype="float32"), tmp_path / "tied")
    model = tiny.random_model("llama", dtype="float32")
    config = type(model.config)(**{**model.config.to_dict(), "tie_word_embeddings": True})
    tied = type(model)(config)
    tied.save_pretrained(folder)
    loaded = load("int8", folder=folder)
    network = loaded.target.model
    assert network.lm_head.weight is network.model.embed_tokens.weight
    assert held_bytes(network.lm_head.weight) == 512 * 48 * 4


def test_what_runs_nowhere_here_is_refused():
    for kind in ("int4", "fp8"):
        with pytest.raises(errors.ModelUnsupported, match=r"set model\.quantize to int8"):
            load(kind)


def test_no_memory_for_quantising_is_one_sentence(monkeypatch):
    def no_memory(*_, **__):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr("torchao.quantization.quantize_", no_memory)
    with pytest.raises(errors.OutOfMemory, match="ran out while loading"):
        load("int8")
    monkeypatch.undo()
    assert load("int8").weights_bytes  # and the process goes on


def test_spec_says_none_unless_told():
    fields = {field.name: field.default for field in dataclasses.fields(ModelSpec)}
    assert fields["quantize"] == "none"
