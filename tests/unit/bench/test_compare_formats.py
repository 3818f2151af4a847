"""Conversions for other engines: the same tensors in another order, and read back by their libraries."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from editd.errors import ModelUnsupported
from tests.gguf_writer import write_gguf

HEADS, KV_HEADS, HEAD_DIM, HIDDEN, INNER, VOCAB = 4, 2, 16, 64, 96, 40


def write_checkpoint(folder, **changes):
    """A one-layer Llama with attention biases, random weights and a tiny byte-level tokenizer."""
    folder.mkdir()
    config = {
        "model_type": "llama",
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": 1,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD_DIM,
        "vocab_size": VOCAB,
        "max_position_embeddings": 128,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
        "tie_word_embeddings": True,
        "eos_token_id": 1,
        **changes,
    }
    (folder / "config.json").write_text(json.dumps(config))
    vocab = {"<|end|>": 1, "a": 2, "b": 3, "ab": 4}
    tokenizer = {
        "model": {"type": "BPE", "vocab": vocab, "merges": [["a", "b"]]},
        "added_tokens": [{"id": 1, "content": "<|end|>", "special": True}],
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    layer = "model.layers.0"
    queries, keys = HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM
    sizes = {
        "model.embed_tokens.weight": (VOCAB, HIDDEN),
        "model.norm.weight": (HIDDEN,),
        f"{layer}.input_layernorm.weight": (HIDDEN,),
        f"{layer}.self_attn.q_proj.weight": (queries, HIDDEN),
        f"{layer}.self_attn.q_proj.bias": (queries,),
        f"{layer}.self_attn.k_proj.weight": (keys, HIDDEN),
        f"{layer}.self_attn.k_proj.bias": (keys,),
        f"{layer}.self_attn.v_proj.weight": (keys, HIDDEN),
        f"{layer}.self_attn.o_proj.weight": (HIDDEN, queries),
        f"{layer}.post_attention_layernorm.weight": (HIDDEN,),
        f"{layer}.mlp.gate_proj.weight": (INNER, HIDDEN),
        f"{layer}.mlp.up_proj.weight": (INNER, HIDDEN),
        f"{layer}.mlp.down_proj.weight": (HIDDEN, INNER),
    }
    random = torch.Generator().manual_seed(0)
    weights = {name: torch.randn(*size, generator=random) for name, size in sizes.items()}
    save_file(weights, folder / "model.safetensors")
    return {name: weight.numpy() for name, weight in weights.items()}


NAMES = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "blk.0.attn_norm.weight": "model.layers.0.input_layernorm.weight",
    "blk.0.attn_v.weight": "model.layers.0.self_attn.v_proj.weight",
    "blk.0.attn_output.weight": "model.layers.0.self_attn.o_proj.weight",
    "blk.0.ffn_norm.weight": "model.layers.0.post_attention_layernorm.weight",
    "blk.0.ffn_gate.weight": "model.layers.0.mlp.gate_proj.weight",
    "blk.0.ffn_up.weight": "model.layers.0.mlp.up_proj.weight",
    "blk.0.ffn_down.weight": "model.layers.0.mlp.down_proj.weight",
}


def read(path):
    gguf = pytest.importorskip("gguf")
    reader = gguf.GGUFReader(path)
    tensors = {
        tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors
    }
    return reader, tensors


@pytest.mark.parametrize(("weights", "most"), [("float32", 0.0), ("q8_0", 0.02), ("q4_k_m", 0.1)])
def test_tensors_come_back(tmp_path, weights, most):
    pytest.importorskip("gguf")
    originals = write_checkpoint(tmp_path / "checkpoint")
    write_gguf(tmp_path / "checkpoint", tmp_path / "model.gguf", weights)
    reader, tensors = read(tmp_path / "model.gguf")
    for new_name, name in NAMES.items():
        assert (
            np.abs(tensors[new_name] - originals[name]).max()
            <= most * np.abs(originals[name]).max()
        )
    assert reader.fields["llama.rope.freq_base"].parts[-1][0] == 5000.0
    assert "output.weight" not in tensors  # tied
    assert len(tensors) == len(originals)


def test_rotary_rows_lie_in_pairs(tmp_path):
    pytest.importorskip("gguf")
    originals = write_checkpoint(tmp_path / "checkpoint")
    write_gguf(tmp_path / "checkpoint", tmp_path / "model.gguf", "float32")
    _, tensors = read(tmp_path / "model.gguf")
    half = HEAD_DIM // 2
    for heads, short in ((HEADS, "q"), (KV_HEADS, "k")):
        for kind in ("weight", "bias"):
            original = originals[f"model.layers.0.self_attn.{short}_proj.{kind}"]
            stored = tensors[f"blk.0.attn_{short}.{kind}"]
            for head in range(heads):
                for index in range(half):
                    place = head * HEAD_DIM
                    for part in range(2):  # transformers: (i, i + half); llama.cpp: (2i, 2i + 1)
                        assert np.array_equal(
                            stored[place + 2 * index + part], original[place + part * half + index]
                        )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "mamba"}, "and not mamba"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "yarn rotary positions"),
    ],
)
def test_what_cannot_be_converted_is_refused(tmp_path, changes, said):
    pytest.importorskip("gguf")
    write_checkpoint(tmp_path / "checkpoint", **changes)
    with pytest.raises(ModelUnsupported, match=said):
        write_gguf(tmp_path / "checkpoint", tmp_path / "model.gguf", "float32")


@pytest.mark.parametrize(("weights", "apart"), [("float32", 1e-3), ("int8", 0.05)])
def test_openvino_reads_the_same_function(tmp_path, weights, apart):
    openvino = pytest.importorskip("openvino")
    pytest.importorskip("openvino_tokenizers")
    pytest.importorskip("nncf")
    from transformers import LlamaConfig, LlamaForCausalLM

    from tests.fixtures.solved.tokenizer import train_tokenizer
    from tests.openvino_writer import write_ir

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=300,
        hidden_size=HIDDEN,
        intermediate_size=INNER,
        num_hidden_layers=2,
        num_attention_heads=HEADS,
        num_key_value_heads=KV_HEADS,
        attention_bias=True,
        eos_token_id=0,
    )
    model = LlamaForCausalLM(config).eval()
    model.save_pretrained(tmp_path / "checkpoint")
    train_tokenizer(["some text"], 300, ["<|end|>"]).save(
        str(tmp_path / "checkpoint" / "tokenizer.json")
    )
    (tmp_path / "checkpoint" / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>"}'
    )
    (tmp_path / "ir").mkdir()
    write_ir(tmp_path / "checkpoint", tmp_path / "ir", weights)
    request = (
        openvino.Core()
        .compile_model(
            tmp_path / "ir" / "openvino_model.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
        )
        .create_infer_request()
    )
    ids = torch.randint(1, 300, (1, 12))
    with torch.inference_mode():
        wanted = model(ids).logits.numpy()
    start = 0
    for end in (7, 8, 12):  # a prompt, one token, a draft of four
        outputs = request.infer(
            {
                "input_ids": ids[:, start:end].numpy(),
                "attention_mask": np.ones((1, end), dtype=np.int64),
                "position_ids": np.arange(start, end)[None],
                "beam_idx": np.zeros(1, dtype=np.int32),
            }
        )
        assert np.allclose(outputs["logits"], wanted[:, start:end], atol=apart)
        start = end
