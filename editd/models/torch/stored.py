"""Checkpoints that were quantised before they were stored: by which method, what reads them, what they take.

editd quantises none itself: a GGUF file holds smaller weights, and llama.cpp and OpenVINO multiply them.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch

from editd.errors import ModelUnsupported
from editd.installed import with_packages

# What such a checkpoint is read with, by its ``quant_method``.
_READERS = {
    "awq": ("gptqmodel", "gptqmodel"),
    "bitsandbytes": ("bitsandbytes", "bitsandbytes"),
    "compressed-tensors": ("compressed_tensors", "compressed-tensors"),
    "fp8": ("accelerate", "accelerate"),
    "gptq": ("gptqmodel", "gptqmodel"),
    "hqq": ("hqq", "hqq"),
    "mxfp4": ("accelerate", "accelerate"),
    "torchao": ("torchao", "torchao"),
}


def check_stored(config: dict[str, Any], name: str) -> None:
    """Raise ``ModelUnsupported`` if what reads a quantised checkpoint is missing."""
    method = stored_method(config)
    module, package = _READERS.get(method, ("", ""))
    if module and find_spec(module) is None:
        raise ModelUnsupported(
            f"{name} is stored as {method}, which another package reads. Install it with: {with_packages(package)}, "
            "or choose the model in safetensors without quantisation."
        )


def keeps_small(config: dict[str, Any]) -> bool:
    """Whether a checkpoint of this configuration is quantised, and stays so in memory."""
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
    """By which method a checkpoint is quantised; empty: by none."""
    return str(_stored(config).get("quant_method", ""))


def _stored(config: dict[str, Any]) -> dict[str, Any]:
    stored = config.get("quantization_config")
    return stored if isinstance(stored, dict) else {}


def held_bytes(tensor: torch.Tensor) -> int:
    """Bytes that a weight really takes; a quantised one calls itself as large as it was."""
    flatten = getattr(tensor, "__tensor_flatten__", None)
    if flatten is None:
        return tensor.nbytes
    parts, _ = flatten()
    return sum(held_bytes(getattr(tensor, part)) for part in parts)
