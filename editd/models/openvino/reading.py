"""Reads the model files that people have for OpenVINO: the network's shape, and its weights under GGUF's names.

Blocks of a GGUF file are carried over as they are: ``q8_0``, ``q5_0`` and ``q4_0`` keep their codes and scales,
``q4_1`` and ``q4_k`` their codes and the products of their scales and minima. Kinds that OpenVINO has no fast and
exact kernel for (``q5_1``, ``q5_k``, ``q6_k``, and matrices of a folder with safetensors) are rounded to 8 bits in
groups of 32, as ``q8_0`` does it. Other kinds, architectures and settings are refused.

The ``gguf`` package decodes the numbers of blocks. Codes are these numbers over their scales, which is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editd.errors import ModelDamaged, ModelUnsupported
from editd.models.llama_cpp.header import described_folder, open_file
from editd.models.llama_cpp.header import shape as header_shape
from editd.models.llama_cpp.weights import check_file, parts_of
from editd.models.model_folder import weight_files
from editd.models.openvino.weights import (
    ARCHITECTURES,
    GROUP,
    HYBRID,
    DeltaShape,
    Matrix,
    NetworkShape,
    TensorFile,
    Weight,
    check_names,
    pack_nibbles,
    round_to_eight_bits,
    to_codes,
)

_BLOCKS = {
    "Q8_0": 34,
    "Q5_0": 22,
    "Q4_0": 18,
    "Q4_1": 20,
    "Q4_K": 144,
}  # bytes of those that are carried over
_OFFSET = ("Q4_1", "Q4_K")
_WIDENED = ("Q5_1", "Q5_K", "Q6_K")
_NUMBERS = ("F32", "F16", "BF16")

# Of folders, by ``model_type``.
_ARCHITECTURE_OF = {**{name: name for name in ARCHITECTURES if name != HYBRID}, "mistral": "llama"}

# By the name in ``config.json``, the name in a header.
_HEADER_NAMES = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "attention_multiplier": "attention.scale",
    "embedding_multiplier": "embedding_scale",
    "residual_multiplier": "residual_scale",
    "logits_scaling": "logit_scale",
}


def read_file(file: Path) -> tuple[NetworkShape, list[Weight]]:
    """The network in a GGUF file, with all parts of a split one: its shape, and weights whose rows
    are read when they are asked for.

    Tensors of layers after the last one (they predict several tokens at once) are left out. Raises
    ``ModelDamaged`` for a damaged file or one that lacks sizes, ``ModelUnsupported`` for a network
    that editd does not build, and as ``check_file``.
    """
    check_file(file)
    header = header_shape(described_folder(file))
    try:
        readers = [open_file(part) for part in parts_of(file)]
        tensors = {tensor.name: tensor for reader in readers for tensor in reader.tensors}
    except Exception as error:  # the reader raises whatever its arrays raise
        raise ModelDamaged(f"{file} is cut short or damaged: download it again.") from error
    architecture = str(header["architecture"])
    if architecture not in ARCHITECTURES or "token_embd.weight" not in tensors:
        raise ModelUnsupported(
            f"editd builds {', '.join(ARCHITECTURES)} networks for OpenVINO, and {file.name} is "
            f"{architecture or 'none'}, which llama.cpp may run: set model.engine to local."
        )
    try:
        shape = _shape(architecture, int(tensors["token_embd.weight"].shape[1]), header)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ModelDamaged(
            f"{file.name} does not say which shape it has: download it again."
        ) from error
    plain = (
        header.get("rope.scaling.type", "none") == "none",
        header.get("attention.sliding_window", 0) in (0, None),
        header.get("attention.value_length", shape.head_width) == shape.head_width,
        architecture == HYBRID
        or header.get("rope.dimension_count", shape.head_width) == shape.head_width,
        not header.get("expert_count", 0),
    )
    if not all(plain):
        raise ModelUnsupported(
            f"{file.name} has scaled positions, local attention or experts, which editd does not build "
            "for OpenVINO: set model.engine to local."
        )
    # Layers behind the last one predict several tokens at once, for drafts of another kind.
    used = [tensor for name, tensor in tensors.items() if _layer_of(name) < shape.layers]
    check_names(file.name, shape, {tensor.name for tensor in used})
    return shape, [_weight(file.name, shape, tensor) for tensor in used]


def _layer_of(name: str) -> int:
    """The number of the layer in a tensor's name (``blk.3.attn_q.weight``); -1 for a tensor of
    none.
    """
    block, _, rest = name.partition(".")
    number = rest.partition(".")[0]
    return int(number) if block == "blk" and number.isdecimal() else -1


def _shape(architecture: str, vocab_size: int, header: dict[str, Any]) -> NetworkShape:
    """The shape by a header's values, under names without the architecture's, with the usual values
    where optional ones are missing.

    Raises ``KeyError``, ``TypeError``, ``ValueError`` or ``ZeroDivisionError`` if a required one is
    missing or wrong.
    """
    heads, width = int(header["attention.head_count"]), int(header["embedding_length"])
    predicting = int(header.get("nextn_predict_layers") or 0) if architecture == HYBRID else 0
    return NetworkShape(
        architecture=architecture,
        layers=int(header["block_count"]) - predicting,
        width=width,
        heads=heads,
        kv_heads=int(header.get("attention.head_count_kv") or heads),
        head_width=int(header.get("attention.key_length") or width // heads),
        vocab_size=vocab_size,
        context=int(header["context_length"]),
        epsilon=float(header["attention.layer_norm_rms_epsilon"]),
        rope_base=float(header.get("rope.freq_base") or 10000.0),
        attention_scale=float(header.get("attention.scale") or 0.0),
        embedding_scale=float(header.get("embedding_scale") or 1.0),
        residual_scale=float(header.get("residual_scale") or 1.0),
        logit_scale=float(header.get("logit_scale") or 1.0),
        rotary_width=int(header.get("rope.dimension_count") or 0),
        delta=_delta_shape(header) if architecture == HYBRID else None,
    )


def _delta_shape(header: dict[str, Any]) -> DeltaShape:
    """The shape of gated delta nets by a header's values; raises as ``_shape``, and ``ValueError``
    if heads of keys and of values do not fit.
    """
    shape = DeltaShape(
        attention_interval=int(header.get("full_attention_interval") or 4),
        key_heads=int(header["ssm.group_count"]),
        value_heads=int(header["ssm.time_step_rank"]),
        head_width=int(header["ssm.state_size"]),
        kernel=int(header["ssm.conv_kernel"]),
    )
    if (
        shape.value_heads * shape.head_width != int(header["ssm.inner_size"])
        or shape.value_heads % shape.key_heads
    ):
        raise ValueError("heads of keys and of values do not fit")
    return shape


def _weight(title: str, shape: NetworkShape, tensor: Any) -> Weight:
    """A tensor of a GGUF file as a weight, its rows in the network's order; nothing is read yet.
    title: of the model, for the error.

    Raises ``ModelUnsupported`` for a kind that is not carried over.
    """
    kind = tensor.tensor_type.name
    if kind not in (*_NUMBERS[:2], *_BLOCKS, *_WIDENED):
        raise ModelUnsupported(
            f"{title} has {kind} weights, which editd does not carry over to OpenVINO: set "
            "model.engine to local."
        )
    data = tensor.data
    at = _row_order(shape, tensor.name, len(data))

    def read_rows(first: int, last: int) -> Matrix:
        return _matrix(kind, data[first:last] if at is None else data[at[first:last]])

    return Weight(tensor.name, len(data), read_rows)


def _row_order(shape: NetworkShape, name: str, rows: int) -> NDArray[np.int64] | None:
    """The order in which the network takes the rows of a weight for queries or keys of a Llama or
    Granite, as indices into the file's rows.

    ``None`` for other weights, which keep theirs. The file has rotary pairs side by side, and the
    network has them in halves. rows: their number.
    """
    part = name.split(".")[2] if name.count(".") == 3 else ""
    if shape.architecture not in ("llama", "granite") or part not in ("attn_q", "attn_k"):
        return None
    heads = shape.heads if part == "attn_q" else shape.kv_heads
    pairs = np.arange(rows).reshape(heads, rows // heads // 2, 2)
    return pairs.swapaxes(1, 2).reshape(rows)


def _matrix(kind: str, data: NDArray[Any]) -> Matrix:
    """Rows of a file as a matrix: plain numbers as they are, blocks as codes with scales, kinds
    without a kernel rounded to 8 bits.

    kind: GGUF's name of the format. data: numbers, or bytes of blocks, ``[rows, …]``.
    """
    import gguf

    if kind in _NUMBERS:
        return Matrix(np.ascontiguousarray(data))
    numbers = gguf.quants.dequantize(data, gguf.GGMLQuantizationType[kind])
    if kind in _WIDENED:
        return round_to_eight_bits(numbers)
    numbers = numbers.reshape(len(data), -1, GROUP)
    scales, minima = _scales_and_minima(kind, data)
    if kind not in _OFFSET:
        codes = to_codes(numbers, scales)
        return Matrix(pack_nibbles(codes) if kind == "Q4_0" else codes, scales)
    codes = to_codes(
        numbers - minima, scales
    )  # from 0 on; the kernel for four bits has them from -8 on
    return Matrix(pack_nibbles(codes - np.int8(8)), scales, (minima + 8 * scales)[..., 0])


def _scales_and_minima(kind: str, data: NDArray[np.uint8]) -> tuple[NDArray[np.float32], Any]:
    """The scale of each group, ``[rows, groups, 1]``, and its minimum in the same shape, of width 0
    for blocks without one.

    kind: GGUF's name of the format, one of ``_BLOCKS``. data: bytes of blocks, ``[rows, …]``.
    """
    import gguf

    blocks = data.reshape(len(data), -1, _BLOCKS[kind])
    first = np.ascontiguousarray(blocks[..., :4]).view(np.float16).astype(np.float32)
    if kind != "Q4_K":
        return first[..., :1], first[..., 1:]
    # 256 numbers: a scale and a minimum, each times 6 bits for every group.
    sixths = gguf.quants.Q4_K.get_scale_min(blocks[..., 4:16].reshape(-1, 12))
    scales, minima = (
        (first[..., part, None] * sixth.reshape(*first.shape[:2], 8)).reshape(len(data), -1, 1)
        for part, sixth in enumerate(sixths)
    )
    return scales, -minima


def read_folder(folder: Path, config: dict[str, Any]) -> tuple[NetworkShape, list[Weight]]:
    """The network in a folder with safetensors: its shape, and weights whose rows are read when
    they are asked for. config: the content of ``config.json``.

    Raises ``ModelDamaged``, or ``ModelUnsupported`` for a network that editd does not build; a head
    of its own is left out if the configuration ties it to the embeddings.
    """
    shape = _folder_shape(folder.name, config)
    tied = bool(config.get("tie_word_embeddings"))
    weights = [
        weight
        for path in weight_files(folder)
        for weight in _weights(folder.name, shape, TensorFile(path))
        if not (tied and weight.name == "output.weight")
    ]
    check_names(folder.name, shape, {weight.name for weight in weights})
    return shape, weights


def _folder_shape(title: str, config: dict[str, Any]) -> NetworkShape:
    """The shape by ``config.json``. title: of the model, for errors.

    Raises ``ModelUnsupported`` for another family, scaled positions, a window shorter than the
    context, another activation or a quantised folder; ``ModelDamaged`` if a size is missing or
    wrong.
    """
    family = str(config.get("model_type", ""))
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    # Qwen names a window that it does not use.
    window = int((config.get("use_sliding_window", True) and config.get("sliding_window")) or 0)
    plain = (
        family in _ARCHITECTURE_OF,
        (rope.get("rope_type") or rope.get("type") or "default") == "default",
        not window or window >= int(config.get("max_position_embeddings") or 0),
        config.get("hidden_act", "silu") == "silu",
        not config.get("quantization_config"),
    )
    if not all(plain):
        raise ModelUnsupported(
            f"editd builds plain {', '.join(_ARCHITECTURE_OF)} networks for OpenVINO, and {title} is "
            "another: set model.engine to local."
        )
    try:
        header = {
            header_name: config[config_name]
            for config_name, header_name in _HEADER_NAMES.items()
            if config_name in config
        }
        header["rope.freq_base"] = rope.get("rope_theta") or config.get("rope_theta")
        return _shape(_ARCHITECTURE_OF[family], int(config["vocab_size"]), header)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ModelDamaged(
            f"The config.json of {title} does not say which shape it has: pull or copy the model again."
        ) from error


def _weights(title: str, shape: NetworkShape, file: TensorFile) -> Iterator[Weight]:
    """The weights in a safetensors file, in its order, under GGUF's names, or under their own where
    GGUF has none; without ``inv_freq``.

    Matrices whose width is a multiple of 32 are rounded to 8 bits. Raises ``ModelUnsupported`` for
    a number format other than F32, F16 and BF16.
    """
    import gguf

    family = gguf.MODEL_ARCH[shape.architecture.upper()]
    names = gguf.get_tensor_name_map(family, shape.layers)
    for name, extents in file.shapes.items():
        if name.endswith("rotary_emb.inv_freq"):  # computed, in old checkpoints
            continue
        if file.kind(name) not in _NUMBERS:
            raise ModelUnsupported(
                f"{title} has {file.kind(name)} weights, which editd does not convert for OpenVINO: set "
                "model.engine to local."
            )
        known = names.get_name(name, try_suffixes=(".weight", ".bias"))
        coded = len(extents) == 2 and extents[1] % GROUP == 0
        # A weight without a name in a GGUF file keeps its own, and is refused.
        yield Weight(known or name, extents[0], _reader(file, name, coded=coded))


def _reader(file: TensorFile, name: str, *, coded: bool) -> Callable[[int, int], Matrix]:
    """A function that reads rows of a tensor, from its first argument to before its second, as a ``Matrix``: of
    float32, or if ``coded`` of 8-bit codes in groups of 32.
    """

    def read_rows(first: int, last: int) -> Matrix:
        rows = file.array(name)[first:last]
        if file.kind(name) == "BF16":  # the upper half of a float32
            numbers = (rows.astype(np.uint32) << 16).view(np.float32)
        else:
            numbers = rows.astype(np.float32)
        return round_to_eight_bits(numbers) if coded else Matrix(numbers)

    return read_rows
