"""Quantised weights: the available kinds, where they run, and how they are configured.

torchao stores and multiplies them (the extra ``editd[quantize]``). transformers quantises one weight
at a time while reading, so the whole unquantised model is never in memory. Embeddings are not
quantised, nor is an output head that shares their weights.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch

from editd.errors import ModelUnsupported
from editd.installed import with_extra, with_packages
from editd.models.model_folder import GROUP

# Bytes a weight takes: int8 and fp8 with one scale a row, int4 with a scale and a zero for 128.
BYTES = {"int8": 1.005, "int4": 0.5 + 4 / 128, "fp8": 1.005}
ORDER = ("int8", "int4")  # what ``auto`` tries after the weights as they are, the most exact first

# What a checkpoint that is quantised already is read with, by its ``quant_method``.
_READERS = {
    "awq": ("gptqmodel", "gptqmodel"),
    "bitsandbytes": ("bitsandbytes", "bitsandbytes"),
    "compressed-tensors": ("compressed_tensors", "compressed-tensors"),
    "gptq": ("gptqmodel", "gptqmodel"),
    "hqq": ("hqq", "hqq"),
    "torchao": ("torchao", "torchao"),
}


def installed() -> bool:
    """Whether the extra is here."""
    return find_spec("torchao") is not None and find_spec("accelerate") is not None


def refusal(kind: str, device: torch.device, dtype: torch.dtype) -> str:
    """Why ``kind`` cannot run on ``device`` beside weights in ``dtype``, as a sentence's beginning.

    Empty if it can.
    """
    if kind == "none":
        return ""
    if device.type == "mps":
        return f"{kind} weights do not run on Apple's GPUs here"
    if device.type == "cpu" and kind != "int8":
        return f"{kind} weights have no fast way on a CPU"
    newest = {"int8": (8, 0), "int4": (8, 0), "fp8": (8, 9)}[kind]
    if device.type == "cuda" and torch.cuda.get_device_capability(device) < newest:
        return f"{kind} weights need a card of compute capability {newest[0]}.{newest[1]}"
    if kind == "int4" and dtype != torch.bfloat16:
        return (
            f"int4 weights are multiplied in bfloat16, not in {str(dtype).removeprefix('torch.')}"
        )
    return ""


def check(kind: str, device: torch.device, dtype: torch.dtype, name: str) -> None:
    """Raise ``ModelUnsupported`` with a remedy unless weights of ``kind`` can be used."""
    if reason := refusal(kind, device, dtype):
        other = "int8" if kind != "int8" and not refusal("int8", device, dtype) else "none"
        raise ModelUnsupported(f"{reason}: set model.quantize to {other} for {name}.")
    if kind != "none" and not installed():
        raise ModelUnsupported(
            f"{kind} weights need torchao. Install it with: {with_extra('quantize')}, or set "
            "model.quantize to none."
        )


def check_stored(config: dict[str, Any], name: str) -> None:
    """Raise ``ModelUnsupported`` if what reads an already quantised checkpoint is missing."""
    method = stored_method(config)
    module, package = _READERS.get(method, ("", ""))
    if module and find_spec(module) is None:
        raise ModelUnsupported(
            f"{name} is stored as {method}, which another package reads. Install it with: {with_packages(package)}, "
            "or choose the model in safetensors without quantisation."
        )


def keeps_small(config: dict[str, Any]) -> bool:
    """Whether a checkpoint of this configuration is quantised already, and stays so in memory."""
    return bool(_stored(config)) and not stored_bits(config)


def stored_bits(config: dict[str, Any]) -> int:
    """Bits that a weight takes on disk where it is unpacked when it is read; 0: it is not.

    compressed-tensors would unpack it in the first pass, and the others are multiplied as they are only
    by kernels that are fetched from the hub.
    """
    stored = _stored(config)
    match stored_method(config):
        case "fp8":
            return 8
        case "mxfp4":
            return 4
        case "compressed-tensors":
            groups = (stored.get("config_groups") or {}).values()
            bits = [(group.get("weights") or {}).get("num_bits") for group in groups]
            return min((int(count) for count in bits if count), default=16)
    return 0


def stored_method(config: dict[str, Any]) -> str:
    """By which method a checkpoint is quantised already; empty: by none."""
    return str(_stored(config).get("quant_method", ""))


def _stored(config: dict[str, Any]) -> dict[str, Any]:
    stored = config.get("quantization_config")
    return stored if isinstance(stored, dict) else {}


def loading_arguments(kind: str, *, tied: bool) -> dict[str, Any]:
    """Arguments for ``from_pretrained``; ``tied``: input and output embeddings are one."""
    if kind == "none":
        return {}
    from torchao import quantization
    from transformers import TorchAoConfig

    if kind == "int8":
        config: Any = quantization.Int8WeightOnlyConfig(set_inductor_config=False)
    elif kind == "int4":
        config = quantization.Int4WeightOnlyConfig(
            group_size=GROUP, int4_packing_format="tile_packed_to_4d", set_inductor_config=False
        )
    else:
        config = quantization.Float8WeightOnlyConfig(set_inductor_config=False)
    # Only linear layers are touched: of the embeddings that means the output head.
    return {"quantization_config": TorchAoConfig(config, include_input_output_embeddings=not tied)}


def held_bytes(tensor: torch.Tensor) -> int:
    """Bytes that a weight really takes; a quantised one calls itself as large as it was."""
    flatten = getattr(tensor, "__tensor_flatten__", None)
    if flatten is None:
        return tensor.nbytes
    parts, _ = flatten()
    return sum(held_bytes(getattr(tensor, part)) for part in parts)
