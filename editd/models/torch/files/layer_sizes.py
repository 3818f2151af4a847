"""The sizes of a decoder's layers and of the rest, to spread it over several devices.

Builds the model without memory for its weights, so names and sizes are those that transformers will
use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from editd.models.torch.files import quantize as quantisation
from editd.models.torch.files.checkpoint import Checkpoint
from editd.models.torch.files.weight_files import GROUP


@dataclass(frozen=True, slots=True)
class Blocks:
    """layers: the name of the list of layers (``model.layers``), of ``layer_bytes`` each.

    others: names of all that lies beside it, ``other_bytes`` together.
    """

    layers: str
    layer_bytes: tuple[int, ...]
    others: tuple[str, ...]
    other_bytes: int


def blocks_of(checkpoint: Checkpoint, dtype: torch.dtype, quantize: str = "none") -> Blocks | None:
    """The pieces of ``checkpoint`` as it will be loaded; ``None`` where they cannot be told apart.

    So it is with models that run code of their own or were stored quantised.
    """
    if checkpoint.remote_code or "quantization_config" in checkpoint.config:
        return None
    from transformers import AutoConfig, AutoModelForCausalLM

    from editd.models.torch.quiet_transformers import quiet_loading

    try:
        with quiet_loading():
            config = AutoConfig.from_pretrained(
                str(checkpoint.folder), local_files_only=True, trust_remote_code=False
            )
            make: Any = AutoModelForCausalLM
            with torch.device("meta"):  # without memory for weights
                model = make.from_config(config, trust_remote_code=False, dtype=dtype)
    except Exception:  # noqa: BLE001 - loading will say what is wrong with it
        return None
    return split(model, quantize)


def split(model: nn.Module, quantize: str = "none") -> Blocks | None:
    """The pieces of ``model``; linear layers counted as ``quantize`` makes them."""
    config: Any = model.config
    count = config.get_text_config(decoder=True).num_hidden_layers
    lists = [
        name
        for name, module in model.named_modules()
        if isinstance(module, nn.ModuleList) and len(module) == count
    ]
    if len(lists) != 1:
        return None
    sizes = _sizes(model, quantize)
    layer_bytes = [0] * count
    for name, size in sizes.items():
        if name.startswith(lists[0] + "."):
            layer_bytes[int(name.removeprefix(lists[0] + ".").split(".")[0])] += size
    return Blocks(
        lists[0],
        tuple(layer_bytes),
        tuple(_beside(model, lists[0])),
        sum(sizes.values()) - sum(layer_bytes),
    )


def _sizes(model: nn.Module, quantize: str) -> dict[str, int]:
    """Bytes of each weight and buffer, shared ones once."""
    tied = bool(getattr(model.config, "tie_word_embeddings", False))
    head: Any = model.get_output_embeddings()  # type: ignore[operator]
    small = {
        f"{name}.weight"
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear)
        and not (tied and module is head)
        and (quantize != "int4" or module.in_features % GROUP == 0)
    }
    share = quantisation.BYTES.get(quantize, 0.0)
    sizes = {}
    for name, weight in [*model.named_parameters(), *model.named_buffers()]:
        smaller = quantize != "none" and name in small
        sizes[name] = int(weight.numel() * share) if smaller else weight.nbytes
    return sizes


def _beside(model: nn.Module, path: str) -> list[str]:
    """Every module and loose weight on the way to ``path`` that is not on it."""
    names: list[str] = []
    at, prefix = model, ""
    for step in path.split("."):
        loose = (
            name
            for name, _ in [*at.named_parameters(recurse=False), *at.named_buffers(recurse=False)]
        )
        children = (name for name, _ in at.named_children() if name != step)
        names += [prefix + name for name in (*children, *loose)]
        at, prefix = at.get_submodule(step), f"{prefix}{step}."
    return names
