"""Reads a folder with safetensors for OpenVINO: which network it is, and its weights in 8 bits.

Matrices are rounded in groups of 32, as ``q8_0`` does it. Weights get GGUF's names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editd.errors import ModelDamaged, ModelUnsupported
from editd.models.openvino.converted import TensorFile
from editd.models.openvino.weights import (
    ARCHITECTURES,
    GROUP,
    Matrix,
    Shape,
    Weight,
    check_names,
    in_eight_bits,
)
from editd.models.torch.files.checkpoint import read_json

_FAMILIES = {**dict(zip(ARCHITECTURES, ARCHITECTURES, strict=True)), "mistral": "llama"}
_OUTSIDE = {
    "model.embed_tokens.": "token_embd.",
    "model.norm.": "output_norm.",
    "lm_head.": "output.",
}
_IN_LAYER = {
    "input_layernorm.": "attn_norm.",
    "post_attention_layernorm.": "ffn_norm.",
    **{f"self_attn.{part}_proj.": f"attn_{part}." for part in ("q", "k", "v")},
    **{f"self_attn.{part}_norm.": f"attn_{part}_norm." for part in ("q", "k")},
    "self_attn.o_proj.": "attn_output.",
    **{f"mlp.{part}_proj.": f"ffn_{part}." for part in ("gate", "up", "down")},
}
_NUMBERS = ("F32", "F16", "BF16")


def read_folder(folder: Path, config: dict[str, Any]) -> tuple[Shape, list[Weight]]:
    """The network in ``folder``. Raises ``ModelDamaged``, or ``ModelUnsupported`` for another one."""
    shape = _shape(folder.name, config)
    tied = bool(config.get("tie_word_embeddings"))
    weights = [
        weight
        for path in files_of(folder)
        for weight in _weights(folder.name, TensorFile(path))
        if not (tied and weight.name == "output.weight")
    ]
    check_names(folder.name, shape, {weight.name for weight in weights})
    return shape, weights


def files_of(folder: Path) -> list[Path]:
    """The files with weights of a folder that is whole (``checkpoint.open_checkpoint``)."""
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        return [folder / "model.safetensors"]
    return [folder / name for name in sorted(set(read_json(index)["weight_map"].values()))]


def _shape(title: str, config: dict[str, Any]) -> Shape:
    family = str(config.get("model_type", ""))
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    # Qwen names a window that it does not use.
    window = int((config.get("use_sliding_window", True) and config.get("sliding_window")) or 0)
    plain = (
        family in _FAMILIES,
        (rope.get("rope_type") or rope.get("type") or "default") == "default",
        not window or window >= int(config.get("max_position_embeddings") or 0),
        config.get("hidden_act", "silu") == "silu",
        not config.get("quantization_config"),
    )
    if not all(plain):
        raise ModelUnsupported(
            f"editd builds plain {', '.join(_FAMILIES)} networks for OpenVINO, and {title} is "
            "another: set model.engine to local."
        )
    try:
        heads = int(config["num_attention_heads"])
        width = int(config["hidden_size"])
        return Shape(
            architecture=_FAMILIES[family],
            layers=int(config["num_hidden_layers"]),
            width=width,
            heads=heads,
            kv_heads=int(config.get("num_key_value_heads") or heads),
            head_width=int(config.get("head_dim") or width // heads),
            vocab_size=int(config["vocab_size"]),
            context=int(config["max_position_embeddings"]),
            epsilon=float(config["rms_norm_eps"]),
            rope_base=float(rope.get("rope_theta") or config.get("rope_theta") or 10000.0),
            attention_scale=float(config.get("attention_multiplier") or 0.0),
            embedding_scale=float(config.get("embedding_multiplier") or 1.0),
            residual_scale=float(config.get("residual_multiplier") or 1.0),
            logit_scale=float(config.get("logits_scaling") or 1.0),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelDamaged(
            f"The config.json of {title} does not say which shape it has: pull or copy the model again."
        ) from error


def _weights(title: str, file: TensorFile) -> Iterator[Weight]:
    for name, extents in file.shapes.items():
        if name.endswith("rotary_emb.inv_freq"):  # computed, in old checkpoints
            continue
        if file.kind(name) not in _NUMBERS:
            raise ModelUnsupported(
                f"{title} has {file.kind(name)} weights, which editd does not convert for OpenVINO: set "
                "model.engine to local."
            )
        yield _weight(_known(name), file, name, extents)


def _weight(known: str, file: TensorFile, name: str, extents: tuple[int, ...]) -> Weight:
    width = extents[1] if len(extents) == 2 else 0
    coded = width > 0 and width % GROUP == 0
    half = file.kind(name) == "BF16"

    def read(first: int, last: int) -> Matrix:
        numbers = _floats(file.array(name)[first:last], half)
        return in_eight_bits(numbers) if coded else Matrix(numbers)

    return Weight(known, "int8" if coded else "float32", extents[0], width, read)


def _floats(rows: NDArray[Any], is_bfloat16: bool) -> NDArray[np.float32]:  # noqa: FBT001
    if is_bfloat16:
        return (rows.astype(np.uint32) << 16).view(np.float32)
    return rows.astype(np.float32)


def _known(name: str) -> str:
    """GGUF's name of a weight; an unknown one stays as it is, to be refused."""
    for theirs, ours in _OUTSIDE.items():
        if name.startswith(theirs):
            return name.replace(theirs, ours, 1)
    if name.startswith("model.layers."):
        layer, _, rest = name.removeprefix("model.layers.").partition(".")
        for theirs, ours in _IN_LAYER.items():
            if rest.startswith(theirs):
                return f"blk.{layer}.{rest.replace(theirs, ours, 1)}"
    return name
