"""The fused pass says what transformers says, of every model that it claims and of no other."""

from __future__ import annotations

import logging

import pytest
import torch
import transformers

from editd.models.torch.run import cpu_matmul as products
from editd.models.torch.run.attention import use_grouped_attention
from editd.models.torch.run.caches.growing_cache import new_cache
from editd.models.torch.run.fused_forward import FusedForward
from editd.models.torch.run.masks import tree_masks
from editd.models.torch.run.runner import ModelRunner
from editd.models.torch.run.selfcheck import check_cache
from tests import tiny

CLAIMED = ("llama", "mistral", "qwen2", "qwen2-sliding", "qwen3")
OTHERS = ("gemma2", "gemma3", "phi3", "starcoder2", "gpt2")
PIECES = (5, 1, 40, 2, 1, 30)  # a window of 24 tokens lies behind, across and before these
IDS = [(7919 * i + 13) % 500 for i in range(sum(PIECES))]
PARENTS = [-1, 0, 1, -1, 3, 3]

llama3_rope = {
    "rope_type": "llama3",
    "rope_theta": 5e5,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
yarn_rope = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0}


def model(family, dtype="float64", **changes):
    class_name, of_family = tiny.FAMILIES[family]
    config = getattr(transformers, class_name)(**{**tiny._BASE, **of_family, **changes})
    torch.manual_seed(1)
    built = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    for name, weight in built.named_parameters():
        if "norm" in name or "bias" in name:  # ones and zeros would hide a mistake
            torch.nn.init.normal_(weight, mean=1.0, std=0.3)
    built = built.to(getattr(torch, dtype)).eval()
    use_grouped_attention(built)
    return built


@torch.inference_mode()
def check(built, *, packed=False):
    """Piece by piece behind a cache, and a tree at the end, against passes of transformers'."""
    expected = built(input_ids=torch.tensor([IDS]), use_cache=False).logits[0].clone()
    runner = ModelRunner(built)
    assert runner.fused is not None
    assert bool(runner.fused.pack(1 << 40)) == packed
    cache, start = new_cache(built.config, 16), 0
    for piece in PIECES:
        end = start + piece
        logits = runner.forward(cache, IDS[start:end], runner.positions(start, end))
        assert_close(logits, expected[start:end])
        cache.reserve(end)
        cache.advance(piece)
        start = end
    masks = tree_masks(runner.config, PARENTS, start, runner.dtype, runner.device)
    depths = torch.tensor([[0, 1, 2, 3, 1, 2, 2]]) + start
    rows = [11, 12, 13, 14, 21, 22, 23]
    fused = runner.forward(cache, rows, depths, masks=masks)
    cache.crop_to(start)
    runner.fused = None
    assert_close(fused, runner.forward(cache, rows, depths, masks=masks))
    # the weights that transformers' own modules hold are still the same
    assert_close(built(input_ids=torch.tensor([IDS]), use_cache=False).logits[0], expected, 1e-9)


def assert_close(logits, expected, tolerance=1e-3):
    """A lost position costs about 1; norms are in single precision everywhere."""
    assert logits.shape == expected.shape
    assert float((logits - expected).abs().max()) <= tolerance * float(expected.std())


@pytest.mark.parametrize("family", CLAIMED)
def test_it_says_what_transformers_says(family):
    check(model(family))


@pytest.mark.parametrize(
    ("family", "changes"),
    [
        ("llama", {"tie_word_embeddings": True}),
        ("llama", {"attention_bias": True, "mlp_bias": True}),
        ("llama", {"num_key_value_heads": 4}),
        ("llama", {"rope_parameters": llama3_rope}),
        ("llama", {"rope_parameters": yarn_rope}),
        ("llama", {"head_dim": 16}),
        ("mistral", {"sliding_window": None}),
        ("qwen3", {"rms_norm_eps": 0.1}),
    ],
    ids=str,
)
def test_it_follows_the_configuration(family, changes):
    check(model(family, **changes))


def test_single_precision_differs_by_rounding_alone():
    check(model("qwen3", "float32"))


@pytest.mark.parametrize("family", CLAIMED)
def test_a_second_order_of_the_weights_says_the_same(family, monkeypatch):
    monkeypatch.setattr(products, "_WIDE", 1)
    check(model(family, "float32"), packed=True)


def test_a_second_order_takes_a_quarter_of_what_is_free_at_most(monkeypatch):
    monkeypatch.setattr(products, "_WIDE", 1)
    fused = ModelRunner(model("llama", "float32")).fused
    taken = fused.pack(1 << 40)
    assert fused.pack(4 * taken - 4) == 0 < fused.pack(4 * taken) == taken


@pytest.mark.parametrize("past", [0, 30])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("family", ["llama", "mistral", "qwen3"])
@torch.inference_mode()
def test_only_the_last_rows_get_logits_but_all_get_keys_and_values(family, rows, past):
    runner = ModelRunner(model(family))
    everything, last = (_after(runner, past, asked) for asked in (0, rows))
    assert_close(last[0], everything[0][-rows:])
    for one, other in zip(last[1], everything[1], strict=True):
        assert torch.equal(one, other)


def _after(runner, past, rows):
    """The logits of nine tokens behind ``past`` others, and all keys and values then."""
    cache = new_cache(runner.model.config, 64)
    if past:
        runner.forward(cache, IDS[:past], runner.positions(0, past))
        cache.advance(past)
    end = past + 9
    logits = runner.forward(cache, IDS[past:end], runner.positions(past, end), rows=rows)
    tensors = [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]
    return logits, [tensor[:, :, :end].clone() for tensor in tensors]


@pytest.mark.parametrize("family", OTHERS)
def test_others_are_left_to_transformers(family):
    assert FusedForward.of(model(family)) is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda m: m.to(torch.bfloat16), "rounds elsewhere"),
        (lambda m: setattr(m.config, "hidden_act", "gelu"), "another activation"),
        (lambda m: m.config.rope_parameters.update(rope_type="dynamic"), "turns with the length"),
        (lambda m: m.set_attn_implementation("sdpa"), "masks of another kind"),
        (lambda m: setattr(m.model.layers[0].mlp, "up_proj", OtherLinear()), "quantised weights"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_it_does_not_know_is_left_to_transformers(change, why):
    built = model("llama")
    assert FusedForward.of(built) is not None
    change(built)
    assert FusedForward.of(built) is None, why


class OtherLinear(torch.nn.Linear):
    def __init__(self):
        super().__init__(48, 96, bias=False, dtype=torch.float64)


def test_weights_are_not_held_twice():
    built = model("llama")
    FusedForward.of(built)
    attention = built.model.layers[0].self_attn
    storages = {
        projection.weight.untyped_storage().data_ptr()
        for projection in (attention.q_proj, attention.k_proj, attention.v_proj)
    }
    assert len(storages) == 1


def test_a_lean_pass_that_says_something_else_is_not_used(caplog):
    runner = ModelRunner(model("qwen2"))
    fused = runner.fused
    fused._norm._weight.neg_()
    with caplog.at_level(logging.WARNING):
        check_cache(runner, "tiny")
    assert runner.fused is None
    assert runner.rewindable
    assert "fused pass" in caplog.text
