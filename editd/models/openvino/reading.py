"""Reads what people have for OpenVINO: which network it is, and its weights, under GGUF's names.

Of a GGUF file blocks are carried over as they are: ``q8_0``, ``q5_0`` and ``q4_0`` keep their codes and scales,
``q4_1`` and ``q4_k`` their codes and what their scales and minima come to, scales in half precision. Blocks that
OpenVINO has no fast and exact kernel for (``q5_1``, ``q5_k`` and ``q6_k``) are made float by the ``gguf`` package and
widened to 8 bits in groups of 32. Of a folder with safetensors, matrices are rounded to 8 bits in groups of 32, as
``q8_0`` does it. Other kinds, architectures and settings are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editd.errors import ModelDamaged, ModelUnsupported
from editd.models.llama_cpp.header import open_file
from editd.models.llama_cpp.weights import check_file, parts_of
from editd.models.model_folder import read_json
from editd.models.openvino.weights import (
    ARCHITECTURES,
    GROUP,
    Kind,
    Matrix,
    Shape,
    TensorFile,
    Weight,
    check_names,
    in_eight_bits,
    two_a_byte,
)

_OFFSET = ("Q4_1", "Q4_K")
_WIDENED = ("Q5_1", "Q5_K", "Q6_K")
_KINDS: dict[str, Kind] = {
    "F32": "float32",
    "F16": "float16",
    **dict.fromkeys(("Q4_0", *_OFFSET), "int4"),
    **dict.fromkeys(("Q8_0", "Q5_0", *_WIDENED), "int8"),
}


def read_file(file: Path) -> tuple[Shape, list[Weight]]:
    """The network in ``file``. Raises ``ModelDamaged``, or ``ModelUnsupported`` for another one."""
    check_file(file)
    try:
        readers = [open_file(part) for part in parts_of(file)]
        fields = {
            name: field.contents()
            for name, field in readers[0].fields.items()
            if not isinstance(field.parts[-1], list)
        }
        tensors = {tensor.name: tensor for reader in readers for tensor in reader.tensors}
    except Exception as error:  # the reader raises whatever its arrays raise
        raise ModelDamaged(f"{file} is cut short or damaged: download it again.") from error
    shape = _shape(file.name, fields, tensors)
    check_names(file.name, shape, {*tensors})
    return shape, [_weight(file.name, shape, tensor) for tensor in tensors.values()]


def _shape(title: str, fields: dict[str, Any], tensors: dict[str, Any]) -> Shape:
    architecture = str(fields.get("general.architecture", ""))

    def of(name: str, otherwise: Any = None) -> Any:
        return fields.get(f"{architecture}.{name}", otherwise)

    if architecture not in ARCHITECTURES or "token_embd.weight" not in tensors:
        raise ModelUnsupported(
            f"editd builds {', '.join(ARCHITECTURES)} networks for OpenVINO, and {title} is "
            f"{architecture or 'none'}: set model.engine to local."
        )
    try:
        heads = int(of("attention.head_count"))
        width = int(of("embedding_length"))
        shape = Shape(
            architecture=architecture,
            layers=int(of("block_count")),
            width=width,
            heads=heads,
            kv_heads=int(of("attention.head_count_kv", heads)),
            head_width=int(of("attention.key_length", width // heads)),
            vocab_size=int(tensors["token_embd.weight"].shape[1]),
            context=int(of("context_length")),
            epsilon=float(of("attention.layer_norm_rms_epsilon")),
            rope_base=float(of("rope.freq_base", 10000.0)),
            attention_scale=float(of("attention.scale", 0.0)),
            embedding_scale=float(of("embedding_scale", 1.0)),
            residual_scale=float(of("residual_scale", 1.0)),
            logit_scale=float(of("logit_scale", 1.0)),
        )
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise ModelDamaged(
            f"{title} does not say which shape it has: download it again."
        ) from error
    plain = (
        of("rope.scaling.type", "none") == "none",
        of("attention.sliding_window", 0) in (0, None),
        of("attention.value_length", shape.head_width) == shape.head_width,
        of("rope.dimension_count", shape.head_width) == shape.head_width,
        not of("expert_count", 0),
    )
    if not all(plain):
        raise ModelUnsupported(
            f"{title} has scaled positions, local attention or experts, which editd does not build "
            "for OpenVINO: set model.engine to local."
        )
    return shape


def _weight(title: str, shape: Shape, tensor: Any) -> Weight:
    kind = tensor.tensor_type.name
    if kind not in _KINDS:
        raise ModelUnsupported(
            f"{title} has {kind} weights, which editd does not carry over to OpenVINO: set "
            "model.engine to local."
        )
    data = tensor.data
    rows, width = (len(data), int(tensor.shape[0])) if data.ndim == 2 else (len(data), 0)
    at = _row_order(shape, tensor.name, rows)

    def read(first: int, last: int) -> Matrix:
        return _read(kind)(data[first:last] if at is None else data[at[first:last]])

    return Weight(tensor.name, _KINDS[kind], rows, width, read, has_offsets=kind in _OFFSET)


def _row_order(shape: Shape, name: str, rows: int) -> NDArray[np.int64] | None:
    """Where the rows lie, of queries and keys of a Llama or Granite: its file has rotary pairs side by side, and
    the network has them in halves.
    """
    part = name.split(".")[2] if name.count(".") == 3 else ""
    if shape.architecture not in ("llama", "granite") or part not in ("attn_q", "attn_k"):
        return None
    heads = shape.heads if part == "attn_q" else shape.kv_heads
    pairs = np.arange(rows).reshape(heads, rows // heads // 2, 2)
    return pairs.swapaxes(1, 2).reshape(rows)


def _read(kind: str) -> Callable[[NDArray[Any]], Matrix]:
    if kind in ("F32", "F16"):
        return lambda data: Matrix(np.ascontiguousarray(data))
    own = {
        "Q8_0": _eight_bits,
        "Q5_0": _five_bits,
        "Q4_0": _four_bits,
        "Q4_1": _four_bits_and_minimum,
        "Q4_K": _four_bits_in_superblocks,
    }
    return own.get(kind) or partial(_widened, kind)


def _eight_bits(data: NDArray[np.uint8]) -> Matrix:
    scales, codes = _scales_first(data, 34)
    return Matrix(np.ascontiguousarray(codes).view(np.int8), scales)


def _five_bits(data: NDArray[np.uint8]) -> Matrix:
    scales, rest = _scales_first(data, 22)
    high = np.unpackbits(np.ascontiguousarray(rest[..., :4]), axis=-1, bitorder="little")
    codes = _halves(rest[..., 4:]) | high << 4
    return Matrix(codes.view(np.int8) - np.int8(16), scales)


def _four_bits(data: NDArray[np.uint8]) -> Matrix:
    scales, codes = _scales_first(data, 18)
    return Matrix(_less_eight(_halves(codes)), scales)


def _four_bits_and_minimum(data: NDArray[np.uint8]) -> Matrix:
    scales, rest = _scales_first(data, 20)
    minima = np.ascontiguousarray(rest[..., :2]).view(np.float16).astype(np.float32)
    offsets = minima + 8 * scales.astype(np.float32)
    return Matrix(_less_eight(_halves(rest[..., 2:])), scales, offsets[..., 0])


def _four_bits_in_superblocks(data: NDArray[np.uint8]) -> Matrix:
    """Of 256 numbers: scale and minimum in half precision, each times 6 bits for every group."""
    import gguf

    blocks = data.reshape(len(data), -1, 144)
    both = np.ascontiguousarray(blocks[..., :4]).view(np.float16).astype(np.float32)
    sixths = gguf.quants.Q4_K.get_scale_min(blocks[..., 4:16].reshape(-1, 12))
    factors, minima = (
        (both[..., part, None] * six.reshape(*both.shape[:2], 8)).reshape(len(data), -1)
        for part, six in enumerate(sixths)
    )
    # 32 bytes have the codes of two groups, the first in the lower halves.
    pairs = blocks[..., 16:].reshape(len(data), -1, 1, GROUP)
    codes = np.concatenate([pairs & 15, pairs >> 4], axis=2).reshape(*factors.shape, GROUP)
    return Matrix(_less_eight(codes), factors[..., None].astype(np.float16), 8 * factors - minima)


def _widened(kind: str, data: NDArray[np.uint8]) -> Matrix:
    import gguf

    return in_eight_bits(gguf.quants.dequantize(data, gguf.GGMLQuantizationType[kind]))


def _scales_first(data: NDArray[np.uint8], size: int) -> tuple[NDArray[np.float16], Any]:
    """The scale of each block of ``size`` bytes, and what follows it."""
    blocks = data.reshape(len(data), -1, size)
    return np.ascontiguousarray(blocks[..., :2]).view(np.float16), blocks[..., 2:]


def _halves(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Bytes to codes of four bits: the lower halves come first."""
    return np.concatenate([codes & 15, codes >> 4], axis=-1)


def _less_eight(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Codes of four bits less eight, two a byte."""
    return two_a_byte(np.bitwise_xor(codes, np.uint8(8)))


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
    shape = _folder_shape(folder.name, config)
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


def _folder_shape(title: str, config: dict[str, Any]) -> Shape:
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
        yield _folder_weight(_gguf_name(name), file, name, extents)


def _folder_weight(known: str, file: TensorFile, name: str, extents: tuple[int, ...]) -> Weight:
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


def _gguf_name(name: str) -> str:
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
