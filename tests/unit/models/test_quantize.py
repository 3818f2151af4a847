"""Smaller weights, really loaded and run on the CPU; skipped without the extra ``quantize``.

fp8 has no fast way there and is refused; the tests let it, since it has a slow one. int4 has none: what
is asked of torchao, counted and refused is tested, not its arithmetic.
"""

import dataclasses
import weakref

import pytest
import torch
import transformers

from editd import errors
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.draft_session import DraftSession
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.models.model import ModelSpec
from editd.models.model_folder import open_checkpoint
from editd.models.torch import quantize as quantisation
from editd.models.torch.loading import load_model
from editd.models.torch.memory_plan import make_plan
from editd.models.torch.quantize import held_bytes
from tests import tiny

pytest.importorskip("torchao", reason="needs pip install -e '.[quantize]'")
pytest.importorskip("accelerate", reason="needs pip install -e '.[quantize]'")

CPU = torch.device("cpu")
SAMPLED = Sampling(temperature=0.8, top_p=0.95, seed=3)
KINDS = ("int8", "fp8")
TENSORS = {"int8": "Int8Tensor", "fp8": "Float8Tensor"}
SPREAD = {"int8": 0.1, "fp8": 0.35}  # of the tiny model's random weights; what fp8 keeps is coarse


@pytest.fixture
def anything_goes(monkeypatch):
    monkeypatch.setattr(quantisation, "refusal", lambda *_: "")


def load(quantize, dtype="float32", folder=None):
    name = str(folder or tiny.checkpoint("llama", dtype="float32"))
    return load_model(ModelSpec(name, device="cpu", threads=1, dtype=dtype, quantize=quantize))


def altered(folder, **changes):
    """A folder with another Llama."""
    values = tiny.random_model("llama", dtype="float32").config.to_dict() | changes
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**values))
    return tiny.save(folder / "model", model)


def decode(model, spec="none", draft=None, sampling=GREEDY, window=16):
    """Some lines and then the first of them again, which drafters have something to say to."""
    prompt = "".join(tiny.corpus(2))
    prompt_ids = model.codec.prompt_ids(prompt)
    session = draft and DraftSession(
        draft, model, sampling=sampling, acceptance="coupled", cost=0.01
    )
    task = DraftTask(prompt_ids, prompt, "", model.codec, draft=session)
    decoding = Decoding(
        model.target,
        prompt_ids,
        make_drafter(spec, task),
        ends_answer=lambda _: False,
        max_new_tokens=30,
        sampling=sampling,
        window=FixedWindow(window),
    )
    while decoding.finish_reason is None:
        decoding.advance()
    decoding.close()
    return decoding


# --- loaded and run ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("kind", KINDS)
def test_smaller_weights_are_smaller_near_and_steady(kind, dtype, anything_goes):
    plain, small = load("none", dtype), load(kind, dtype)
    assert small.dtype == f"{kind} ({dtype})"
    assert small.weights_bytes < (0.45 if dtype == "float32" else 0.75) * plain.weights_bytes
    assert small.parameters == plain.parameters
    kinds = {type(weight).__name__ for weight in small.target.model.parameters()}
    assert TENSORS[kind] in kinds
    ids = torch.arange(5, 45)[None]
    with torch.inference_mode():
        logits = [
            model.target.model(input_ids=ids).logits[0].float() for model in (plain, small, small)
        ]
    error = (logits[0] - logits[1]).std() / logits[0].std()
    assert 0 < error < SPREAD[kind]
    assert torch.equal(logits[1], logits[2])


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
@pytest.mark.parametrize("kind", KINDS)
def test_drafts_change_nothing(kind, sampling, anything_goes):
    """Not of the text of the *quantised* model, which is another one than the original's."""
    model = load(kind)
    assert model.target.exactness == "token"
    plain = decode(model, sampling=sampling)
    assert len(set(plain.output_ids)) > 8
    accepted = 0
    for spec, draft in (
        ("buffer", None),
        ("prompt-lookup", None),
        ("draft-model", model),
        ("draft-model", load("none")),
    ):
        for window in (3, 16):
            drafted = decode(model, spec, draft, sampling, window)
            assert drafted.output_ids == plain.output_ids, (spec, window)
            assert drafted.stats.near_ties == 0
            accepted += drafted.stats.accepted
    assert accepted > 30
    if kind == "int8" and sampling is GREEDY:
        assert decode(load("none")).output_ids != plain.output_ids  # it is another model


# --- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_plan_counts_what_is_held(kind, tied, tmp_path, anything_goes):
    """Embeddings as they are, a head of its own smaller, one that is the embedding not."""
    folder = altered(tmp_path, tie_word_embeddings=tied, hidden_size=256, num_attention_heads=8)
    loaded = load(kind, folder=folder)
    planned = make_plan(open_checkpoint(str(folder)), CPU, torch.float32, kind)
    # A scale a row weighs more in rows as short as these.
    assert loaded.weights_bytes == pytest.approx(planned.weights_bytes, rel=0.02)
    network = loaded.target.model
    assert (network.lm_head.weight is network.model.embed_tokens.weight) == tied
    assert held_bytes(network.model.embed_tokens.weight) == 512 * 256 * 4
    assert (held_bytes(network.lm_head.weight) < 512 * 256 * 2) != tied


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_never_all_in_memory_as_they_were(kind, monkeypatch, anything_goes):
    """By the plain weights that live whenever one more is quantised."""
    from torchao import quantization

    given, alive = [], []
    plainly = quantization.quantize_

    def watched(module, *args, **kwargs):
        given.append(weakref.ref(module.weight.untyped_storage()))
        plainly(module, *args, **kwargs)
        alive.append(sum(storage() is not None for storage in given))

    monkeypatch.setattr(quantization, "quantize_", watched)
    model = load(kind)
    assert len(given) == 3 * 7 + 2
    assert max(alive) <= 3  # the embedding, which stays, and what is in hand
    assert model.parameters


def test_no_memory_for_quantising_is_one_sentence(monkeypatch):
    def no_memory(*_, **__):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr("torchao.quantization.quantize_", no_memory)
    with pytest.raises(errors.OutOfMemory, match="ran out while loading"):
        load("int8")
    monkeypatch.undo()
    assert load("int8").weights_bytes  # and the process goes on


# --- what is refused -----------------------------------------------------------------------------


def test_what_runs_nowhere_here_is_refused():
    for kind in ("int4", "fp8"):
        with pytest.raises(errors.ModelUnsupported, match=r"set model\.quantize to int8"):
            load(kind)


@pytest.mark.skipif(torch.cuda.is_available(), reason="a card packs them")
def test_weights_that_cannot_be_packed_are_not_called_damaged(tmp_path, anything_goes):
    folder = altered(tmp_path, hidden_size=128, intermediate_size=256, head_dim=32)
    with pytest.raises(
        errors.ModelUnsupported, match=r"cannot be converted to int4 here: set model"
    ):
        load("int4", "bfloat16", folder)


def test_int4_leaves_rows_of_broken_groups_and_the_plan_knows(anything_goes, tmp_path):
    """Of the tiny model no row is a whole number of groups: nothing is quantised at all."""
    checkpoint = open_checkpoint(str(tiny.checkpoint("llama", dtype="float32")))
    planned = make_plan(checkpoint, CPU, torch.bfloat16, "int4")
    assert planned.weights_bytes == make_plan(checkpoint, CPU, torch.bfloat16).weights_bytes
    assert load("int4", "bfloat16").weights_bytes == pytest.approx(planned.weights_bytes, rel=0.01)
    whole = open_checkpoint(str(altered(tmp_path, hidden_size=128, intermediate_size=200)))
    packed = make_plan(whole, CPU, torch.bfloat16, "int4").weights_bytes
    plain = make_plan(whole, CPU, torch.bfloat16).weights_bytes
    down = 3 * 128 * 200  # the one that reads rows of 200
    linear = 3 * (2 * 128 * 48 + 2 * 128 * 24 + 3 * 128 * 200) + 512 * 128
    output = 3 * 48 * 128  # and the one that reads rows of 48
    left = linear - down - output
    assert plain - packed == pytest.approx(left * (2 - 0.53125), rel=0.01)


def test_what_torchao_is_asked_for():
    arguments = quantisation.loading_arguments("int4", tied=True)
    asked = arguments["quantization_config"]
    assert asked.quant_type.group_size == 128
    assert asked.quant_type.int4_packing_format == "tile_packed_to_4d"
    assert asked.include_input_output_embeddings is False
    assert quantisation.loading_arguments("none", tied=True) == {}


def test_spec_says_none_unless_told():
    fields = {field.name: field.default for field in dataclasses.fields(ModelSpec)}
    assert fields["quantize"] == "none"
