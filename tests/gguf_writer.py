"""A checkpoint as a GGUF file, for llama.cpp: float32 as it is, or quantised as people use it.

Written with the ``gguf`` package; blocks are made by llama.cpp's own library, in the kinds that its
``llama-quantize`` chooses. Knows the families whose weights need no more than new names (and, for
Llama, rows in another order); others are refused with a sentence. Everybody here is given token ids,
so the vocabulary only has to be there: its pre-tokenizer is a stand-in, since llama.cpp refuses those
it does not know.
"""

from __future__ import annotations

import ctypes
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from editd.errors import ModelUnsupported
from editd.models.llama_cpp.library import load_library
from tests.conversions import converted

_FAMILIES = {
    "llama": "LLAMA",
    "mistral": "LLAMA",
    "qwen2": "QWEN2",
    "qwen3": "QWEN3",
    "granite": "GRANITE",
}
_STAND_IN = "qwen2"  # a pre-tokenizer that llama.cpp knows


def gguf_of(checkpoint: Path, weights: str) -> Path:
    """The file for ``checkpoint`` with these ``weights``, converted now if need be.

    A GGUF file is its own.
    """
    if checkpoint.suffix == ".gguf":
        return checkpoint
    from importlib.metadata import version

    recipe = f"gguf {version('gguf')} {weights} {Path(__file__).read_text(encoding='utf-8')}"
    folder = converted(
        checkpoint,
        f"gguf-{weights}",
        recipe,
        lambda folder: write_gguf(checkpoint, folder / "model.gguf", weights),
    )
    return folder / "model.gguf"


def write_gguf(checkpoint: Path, path: Path, weights: str) -> None:
    """Convert. Raises ``ModelUnsupported`` for a family or a setting that is not known here."""
    import gguf

    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    family = _family(config)
    architecture = gguf.MODEL_ARCH[family]
    writer = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[architecture])
    try:
        _write_shape(writer, config, weights)
        _write_vocabulary(writer, checkpoint, config)
        names = gguf.get_tensor_name_map(architecture, int(config["num_hidden_layers"]))
        tied = bool(config.get("tie_word_embeddings"))
        for name, tensor in _tensors(checkpoint):
            if tied and name == "lm_head.weight":
                continue
            new_name = names.get_name(name, try_suffixes=(".weight", ".bias"))
            if new_name is None:
                raise ModelUnsupported(f"{name} of {checkpoint.name} has no name in GGUF.")
            if family in ("LLAMA", "GRANITE"):
                tensor = _in_pairs(name, tensor, config)  # noqa: PLW2901  the same, reordered
            kind = block_kind(new_name, tensor, weights, config)
            blocks = tensor if kind is None else quantised(tensor, kind)
            writer.add_tensor(new_name, blocks, raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        writer.close()


def _family(config: dict[str, Any]) -> str:
    family = _FAMILIES.get(config.get("model_type", ""))
    if family is None:
        known = ", ".join(_FAMILIES)
        raise ModelUnsupported(
            f"The benchmark converts {known} to GGUF, and not {config.get('model_type')}."
        )
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind != "default":
        raise ModelUnsupported(f"The benchmark does not convert {kind} rotary positions to GGUF.")
    return family


def _write_shape(writer: Any, config: dict[str, Any], weights: str) -> None:
    import gguf

    heads = int(config["num_attention_heads"])
    head_dim = int(config.get("head_dim") or config["hidden_size"] // heads)
    rope = config.get("rope_parameters") or {}
    writer.add_context_length(int(config["max_position_embeddings"]))
    writer.add_embedding_length(int(config["hidden_size"]))
    writer.add_block_count(int(config["num_hidden_layers"]))
    writer.add_feed_forward_length(int(config["intermediate_size"]))
    writer.add_head_count(heads)
    writer.add_head_count_kv(int(config.get("num_key_value_heads") or heads))
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_rope_dimension_count(head_dim)
    writer.add_rope_freq_base(float(rope.get("rope_theta") or config.get("rope_theta") or 10000.0))
    writer.add_layer_norm_rms_eps(float(config["rms_norm_eps"]))
    writer.add_vocab_size(int(config["vocab_size"]))
    if config.get("model_type") == "granite":
        writer.add_attention_scale(float(config["attention_multiplier"]))
        writer.add_embedding_scale(float(config["embedding_multiplier"]))
        writer.add_residual_scale(float(config["residual_multiplier"]))
        writer.add_logit_scale(float(config["logits_scaling"]))
    kind = "ALL_F32" if weights == "float32" else f"MOSTLY_{weights.upper()}"
    writer.add_file_type(gguf.LlamaFileType[kind])


def _write_vocabulary(writer: Any, checkpoint: Path, config: dict[str, Any]) -> None:
    """Tokens by id, with a word of its own for every row that the tokenizer does not use."""
    import gguf

    content = json.loads((checkpoint / "tokenizer.json").read_text(encoding="utf-8"))
    num_rows = int(config["vocab_size"])
    tokens = [f"[UNUSED {token_id}]" for token_id in range(num_rows)]
    kinds = [int(gguf.TokenType.UNUSED)] * num_rows
    for token, token_id in content["model"]["vocab"].items():
        tokens[token_id], kinds[token_id] = token, int(gguf.TokenType.NORMAL)
    for added in content.get("added_tokens", ()):
        kind = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
        tokens[added["id"]], kinds[added["id"]] = added["content"], int(kind)
    merges = [
        merge if isinstance(merge, str) else " ".join(merge)
        for merge in content["model"].get("merges", ())
    ]
    stop = config.get("eos_token_id")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(_STAND_IN)
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_add_bos_token(False)
    if stop is not None:
        writer.add_eos_token_id(int(stop[0] if isinstance(stop, list) else stop))


def _tensors(checkpoint: Path) -> Iterator[tuple[str, Any]]:
    """Name and float32 array of every weight, in the order of their names."""
    import torch
    from safetensors import safe_open

    for file in sorted(checkpoint.glob("*.safetensors")):
        with safe_open(file, framework="pt") as weights:
            for name in sorted(weights.keys()):
                yield name, weights.get_tensor(name).to(torch.float32).numpy()


def _in_pairs(name: str, tensor: Any, config: dict[str, Any]) -> Any:
    """Rotary pairs side by side, as llama.cpp reads a Llama; transformers has them in halves."""
    if ".q_proj." in name:
        heads = int(config["num_attention_heads"])
    elif ".k_proj." in name:
        heads = int(config.get("num_key_value_heads") or config["num_attention_heads"])
    else:
        return tensor
    rest = tensor.shape[1:]
    return (
        tensor.reshape(heads, 2, tensor.shape[0] // heads // 2, *rest)
        .swapaxes(1, 2)
        .reshape(tensor.shape)
    )


def block_kind(name: str, tensor: Any, weights: str, config: dict[str, Any]) -> Any:
    """The kind of blocks of a tensor, ``None`` for float32: as llama.cpp's quantiser has it (``llama-quant.cpp``).

    ``q4_k_m`` gives six bits to the head and, in some layers, to values and the second matrix of the
    MLP. Rows that are no multiple of 256 take the blocks of 32 that come nearest.
    """
    import gguf

    kinds, width = gguf.GGMLQuantizationType, tensor.shape[-1]
    if weights == "float32" or tensor.ndim != 2 or width % 32:
        return None
    if weights != "q4_k_m":
        return kinds[weights.upper()]
    layers = int(config["num_hidden_layers"])
    head = "token_embd" if config.get("tie_word_embeddings") else "output"
    place = re.match(r"blk\.(\d+)\.(attn_v|ffn_down)\.", name)
    fine = name == f"{head}.weight" or (place is not None and _takes_more(int(place[1]), layers))
    if width % 256:
        return kinds.Q8_0 if fine else kinds.Q5_0
    return kinds.Q6_K if fine else kinds.Q4_K


def _takes_more(layer: int, layers: int) -> bool:
    """``use_more_bits``: the first and last eighth of the layers, and every third between."""
    eighth = layers // 8
    return layer < eighth or layer >= 7 * layers // 8 or (layer - eighth) % 3 == 2


def quantised(tensor: Any, kind: Any) -> Any:
    """``tensor``, a matrix of float32, in blocks of ``kind``: bytes, ``[rows, bytes of a row]``."""
    import gguf

    rows, width = tensor.shape
    source = np.ascontiguousarray(tensor, np.float32)
    blocks = np.empty(gguf.quants.quant_shape_to_byte_shape(source.shape, kind), np.uint8)
    quantise = load_library().ggml_quantize_chunk
    long, pointer = ctypes.c_int64, ctypes.c_void_p
    quantise.restype = ctypes.c_size_t
    quantise.argtypes = [ctypes.c_int, pointer, pointer, long, long, long, pointer]
    written = quantise(kind, source.ctypes.data, blocks.ctypes.data, 0, rows, width, None)
    if written != blocks.nbytes:
        raise ModelUnsupported(
            f"llama.cpp wrote {written} bytes for {blocks.nbytes} of {kind.name}."
        )
    return blocks
