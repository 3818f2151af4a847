"""What a model will take, reckoned from headers before anything is loaded.

Knows sizes; loads nothing. A plan that does not fit is refused with the numbers and a remedy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from editd.errors import OutOfMemory
from editd.model.checkpoint import Checkpoint

_FLOATS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_ITEM_SIZES = {torch.float64: 8, torch.float32: 4, torch.bfloat16: 2, torch.float16: 2}
_WORKSPACE = 64 << 20  # activations, logits and the allocator's own
_KV_TOKENS = 4096  # an edit of a usual file


@dataclass(frozen=True, slots=True)
class Plan:
    """Memory in bytes: the weights in the dtype they will have, and the KV cache of one token."""

    device: torch.device
    dtype: torch.dtype
    weights_bytes: int
    kv_bytes_per_token: int
    context_length: int

    @property
    def needed_bytes(self) -> int:
        """Weights, the cache of one usual edit, and room to work in."""
        tokens = min(_KV_TOKENS, self.context_length)
        return self.weights_bytes + tokens * self.kv_bytes_per_token + _WORKSPACE


def make_plan(checkpoint: Checkpoint, device: torch.device, dtype: torch.dtype) -> Plan:
    """The plan for ``checkpoint`` on ``device`` in ``dtype``."""
    config = _text_config(checkpoint.config)
    quantized = "quantization_config" in checkpoint.config
    weights = sum(
        group.elements * _ITEM_SIZES[dtype]
        if group.dtype in _FLOATS and not quantized
        else group.bytes
        for group in checkpoint.groups
    )
    return Plan(
        device, dtype, weights, _kv_elements(config) * _ITEM_SIZES[dtype], context_length(config)
    )


def check_fits(plan: Plan, free_bytes: int, name: str) -> None:
    """Raise ``OutOfMemory`` with the numbers unless ``plan`` fits into ``free_bytes``."""
    if plan.needed_bytes <= free_bytes:
        return
    dtype = str(plan.dtype).removeprefix("torch.")
    remedy = "choose a smaller model (`editd models list`) or free some memory"
    halved = plan.needed_bytes - plan.weights_bytes // 2
    if _ITEM_SIZES[plan.dtype] > 2 and halved <= free_bytes:
        remedy = "set model.dtype to bfloat16, " + remedy
    raise OutOfMemory(
        f"{name} needs about {_gigabytes(plan.needed_bytes)} as {dtype}, but only "
        f"{_gigabytes(free_bytes)} are free on {plan.device}: {remedy}."
    )


def context_length(config: dict[str, Any] | Any) -> int:
    """The most tokens the model was made for; recurrent models name none."""
    values = config if isinstance(config, dict) else vars(config)
    for key in ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"):
        value = values.get(key)
        if isinstance(value, int) and value > 0:
            return value
    return 1 << 17


def _kv_elements(config: dict[str, Any]) -> int:
    """Numbers a token leaves in the cache: keys and values of all heads of all layers."""
    layers = config.get("num_hidden_layers") or config.get("n_layer") or 0
    heads = config.get("num_attention_heads") or config.get("n_head") or 0
    hidden = config.get("hidden_size") or config.get("n_embd") or 0
    head_dim = config.get("head_dim") or (hidden // heads if heads else 0)
    return int(2 * layers * (config.get("num_key_value_heads") or heads) * head_dim)


def _text_config(config: dict[str, Any]) -> dict[str, Any]:
    inner = config.get("text_config")
    return inner if isinstance(inner, dict) else config


def _gigabytes(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 28 else f"{count / (1 << 20):.0f} MiB"
