"""The memory that a model needs, computed from headers before anything is loaded.

Knows sizes, also of checkpoints that were quantised before they were stored, and the packages that read those; loads
nothing, and quantises none: a GGUF file holds smaller weights, and llama.cpp and OpenVINO multiply them.
``choose_plan`` refuses a model that does not fit, with the numbers and a remedy. ``plan_model`` is the plan of a
configured model on this machine, for ``editd doctor``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import torch

from editd.config import ModelConfig
from editd.errors import EditdError, ModelUnsupported, OutOfMemory
from editd.installed import with_packages
from editd.models.machine import EDIT_TOKENS, Report
from editd.models.model_folder import Checkpoint, open_checkpoint
from editd.models.torch.device import (
    choose_device,
    choose_dtype,
    free_memory,
)
from editd.stores import hub
from editd.stores.hub import gigabytes

_FLOATS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_ITEM_SIZES = {torch.float64: 8, torch.float32: 4, torch.bfloat16: 2, torch.float16: 2}
_WORKSPACE = 64 << 20  # activations, logits and the allocator's own

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


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Memory in bytes: the weights as they will be, and the KV cache of one token.

    context_length: tokens that the model was made for. free_bytes: on the device, within the user's limit.
    """

    device: torch.device
    dtype: torch.dtype
    weights_bytes: int
    kv_bytes_per_token: int
    context_length: int
    free_bytes: int = 0

    @property
    def fixed_bytes(self) -> int:
        """Bytes of everything but the caches."""
        return self.weights_bytes + _WORKSPACE

    @property
    def needed_bytes(self) -> int:
        """Bytes with the cache of one usual edit."""
        return self.fixed_bytes + min(EDIT_TOKENS, self.context_length) * self.kv_bytes_per_token

    def usable_context(self, free_bytes: int) -> int:
        """The most tokens of prompt and answer that fit into ``free_bytes``."""
        room = max(0, free_bytes - self.fixed_bytes)
        return min(self.context_length, room // max(1, self.kv_bytes_per_token))

    def dtype_name(self) -> str:
        """The number format, such as ``bfloat16``."""
        return str(self.dtype).removeprefix("torch.")


def make_plan(checkpoint: Checkpoint, device: torch.device, dtype: torch.dtype) -> MemoryPlan:
    """The plan for ``checkpoint`` on ``device`` in ``dtype``, whether it fits or not; its
    ``free_bytes`` are 0.

    Floats count in ``dtype``, quantised weights as they are stored, or unpacked to ``dtype`` if
    reading unpacks them.
    """
    config = _text_config(checkpoint.config)
    is_small = stays_quantised(checkpoint.config)
    bits = stored_bits(checkpoint.config)
    weights = 0.0
    for group in checkpoint.groups:
        if bits and group.dtype not in _FLOATS:
            weights += group.bytes * 8 / bits * _ITEM_SIZES[dtype]
        elif is_small or group.dtype not in _FLOATS:
            weights += group.bytes
        else:
            weights += group.elements * _ITEM_SIZES[dtype]
    return MemoryPlan(
        device,
        dtype,
        int(weights),
        _kv_elements(config) * _ITEM_SIZES[dtype],
        context_length(config),
    )


def choose_plan(
    checkpoint: Checkpoint,
    device: torch.device,
    dtype: torch.dtype,
    free_bytes: int,
    *,
    most_bytes: int | None = None,
) -> MemoryPlan:
    """The plan for ``checkpoint`` on ``device`` in ``dtype``, if weights, working space and the
    cache of a usual edit fit into ``free_bytes`` and into ``most_bytes``; its own ``free_bytes``
    are the fewer of the two.

    most_bytes: the user's limit for the model with its caches; ``None`` for no limit. Raises
    ``OutOfMemory`` with a remedy if they do not fit, ``ModelUnsupported`` if the package that reads
    a quantised checkpoint is missing.
    """
    check_reader(checkpoint.config, checkpoint.name)
    free = free_bytes if most_bytes is None else min(free_bytes, most_bytes)
    plan = replace(make_plan(checkpoint, device, dtype), free_bytes=free)
    if plan.needed_bytes > plan.free_bytes:
        raise too_large(plan, checkpoint.name)
    return plan


def too_large(plan: MemoryPlan, name: str) -> OutOfMemory:
    """The exception for a plan that does not fit, with the numbers and a remedy; returned, not
    raised. Looks through the pulled models for one that fits.
    """
    fitting = _pulled_that_fits(plan, name)
    remedy = (
        f"choose {fitting}, which fits"
        if fitting
        else "choose a GGUF file of it, or a smaller model"
    )
    remedy += " (`editd models list`) or free some memory"
    halved = plan.needed_bytes - plan.weights_bytes // 2
    if _ITEM_SIZES[plan.dtype] > 2 and halved <= plan.free_bytes:
        remedy = "set model.dtype to bfloat16, " + remedy
    return OutOfMemory(
        f"{name} needs about {gigabytes(plan.needed_bytes)} as {plan.dtype_name()}, but only "
        f"{gigabytes(plan.free_bytes)} are free on {plan.device}: {remedy}."
    )


def _pulled_that_fits(plan: MemoryPlan, name: str) -> str:
    """The pulled model with the largest weights, other than ``name``, that would fit in the same
    number format; empty if there is none.

    Models that cannot be read are skipped.
    """
    best, best_bytes = "", 0
    for other in hub.pulled_models():
        try:
            other_plan = make_plan(open_checkpoint(other), plan.device, plan.dtype)
        except (EditdError, OSError):
            continue
        fits = other_plan.needed_bytes <= plan.free_bytes
        if other != name and fits and other_plan.weights_bytes > best_bytes:
            best, best_bytes = other, other_plan.weights_bytes
    return best


def context_length(config: dict[str, Any] | Any) -> int:
    """The most tokens that the model was made for, by the first positive number under the names in
    use; 131,072 if its configuration names none, as of recurrent models.
    """
    values = config if isinstance(config, dict) else vars(config)
    for key in ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"):
        value = values.get(key)
        if isinstance(value, int) and value > 0:
            return value
    return 1 << 17


def _kv_elements(config: dict[str, Any]) -> int:
    """The numbers that a token leaves in the cache: keys and values of all heads of all layers; 0
    if the configuration names no layers or heads.
    """
    layers = config.get("num_hidden_layers") or config.get("n_layer") or 0
    heads = config.get("num_attention_heads") or config.get("n_head") or 0
    hidden = config.get("hidden_size") or config.get("n_embd") or 0
    head_dim = config.get("head_dim") or (hidden // heads if heads else 0)
    return int(2 * layers * (config.get("num_key_value_heads") or heads) * head_dim)


def _text_config(config: dict[str, Any]) -> dict[str, Any]:
    """The configuration of the text model within ``config``; ``config`` itself if it has no part for it."""
    inner = config.get("text_config")
    return inner if isinstance(inner, dict) else config


def plan_model(config: ModelConfig) -> Report:
    """The plan for loading ``config.name`` now, without the limit of ``daemon.memory``; loads
    nothing.

    Raises whatever loading would raise, but too little memory, which is the report's ``refusal``.
    """
    checkpoint = open_checkpoint(config.name)
    device = choose_device(config.device)
    dtype = choose_dtype(config.dtype, device)
    free, refusal = free_memory(device), ""
    try:
        plan = choose_plan(checkpoint, device, dtype, free)
    except OutOfMemory as error:
        plan, refusal = make_plan(checkpoint, device, dtype), str(error)
    return Report(
        name=config.name,
        runs=f"as {plan.dtype_name()}",
        refusal=refusal,
        weights_bytes=plan.weights_bytes,
        needed_bytes=plan.needed_bytes,
        context=plan.usable_context(free),
    )


def check_reader(config: dict[str, Any], name: str) -> None:
    """Raise ``ModelUnsupported`` if the package that reads checkpoints of this quantisation method
    is known and not installed. name: of the model, for the error.
    """
    method = stored_method(config)
    module, package = _READERS.get(method, ("", ""))
    if module and find_spec(module) is None:
        raise ModelUnsupported(
            f"{name} is stored as {method}, which another package reads. Install it with: {with_packages(package)}, "
            "or choose the model in safetensors without quantisation."
        )


def stays_quantised(config: dict[str, Any]) -> bool:
    """Whether a checkpoint of this configuration is quantised, and stays so in memory."""
    return bool(_quantisation(config)) and not stored_bits(config)


def stored_bits(config: dict[str, Any]) -> int:
    """Bits that a weight takes on disk if it is unpacked when it is read; 0 if it is not unpacked,
    or not quantised.

    Unpacked are ``fp8``, ``mxfp4`` and ``compressed-tensors`` (the least of its groups, 16 if it
    names none). compressed-tensors would unpack it in the first pass. The others are multiplied as
    they are only by kernels that are fetched from the hub.
    """
    stored = _quantisation(config)
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
    """The quantisation method of a checkpoint; empty if it is not quantised."""
    return str(_quantisation(config).get("quant_method", ""))


def _quantisation(config: dict[str, Any]) -> dict[str, Any]:
    """The ``quantization_config`` of a checkpoint; empty if there is none."""
    stored = config.get("quantization_config")
    return stored if isinstance(stored, dict) else {}


def held_bytes(tensor: torch.Tensor) -> int:
    """Bytes that a weight takes in memory, those of its parts if it is a wrapper: a quantised
    tensor reports the size that it had before.
    """
    flatten = getattr(tensor, "__tensor_flatten__", None)
    if flatten is None:
        return tensor.nbytes
    parts, _ = flatten()
    return sum(held_bytes(getattr(tensor, part)) for part in parts)
