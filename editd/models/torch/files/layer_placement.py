"""A model over several devices: which layers go where, computed from sizes alone.

Layers run one after the other, so each device gets a run of consecutive layers with their keys and
values. Everything else (embeddings, the last norm, the head) is on the first device: tokens go in
and choices come out there. The sizes are those of the model built without memory for its weights, so
its names are those that transformers will use. Knows numbers; transformers loads by the device map, and
accelerate moves inputs to each layer's device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from editd.models.torch.device import FreeDevice
from editd.models.torch.files import quantize as quantisation
from editd.models.torch.files.checkpoint import GROUP, Checkpoint


@dataclass(frozen=True, slots=True)
class Spread:
    """``counts[i]`` layers of the list ``layers`` lie on ``devices[i]``, in their order.

    others: names of what lies on the first beside them. tokens: that all devices have room for.
    """

    layers: str
    others: tuple[str, ...]
    devices: tuple[torch.device, ...]
    counts: tuple[int, ...]
    tokens: int

    def device_map(self) -> dict[str, torch.device]:
        """As transformers takes it."""
        homes = [
            device
            for device, count in zip(self.devices, self.counts, strict=True)
            for _ in range(count)
        ]
        places = dict.fromkeys(self.others, self.devices[0])
        return places | {f"{self.layers}.{index}": home for index, home in enumerate(homes)}

    def cache_room(self, free_bytes: Sequence[int]) -> int:
        """Bytes of keys and values that fit, where ``free_bytes`` are left on the devices."""
        layers = sum(self.counts)
        rooms = zip(free_bytes, self.counts, strict=True)
        return min(free * layers // count for free, count in rooms if count)

    def words(self) -> str:
        """``20 + 12 layers``."""
        return " + ".join(map(str, self.counts)) + " layers"


def spread_over(
    blocks: Blocks,
    places: Sequence[FreeDevice],
    token_bytes: int,
    *,
    least_tokens: int,
    most_tokens: int,
    workspace_bytes: int = 0,
    beside_bytes: int = 0,
    limit_bytes: int | None = None,
) -> Spread | None:
    """``blocks`` over as few of ``places`` as leave room for ``most_tokens``, else over all.

    token_bytes: keys and values of one token in all layers. workspace_bytes: kept free on each
    device; beside_bytes: on the first. limit_bytes: most that all of it may take. ``None`` where not
    even ``least_tokens`` fit. Devices with more room come first.
    """
    places = sorted(places, key=lambda place: -place.free_bytes)
    best: Spread | None = None
    for count in range(2, len(places) + 1):
        used = places[:count]
        rooms = [place.free_bytes - workspace_bytes for place in used]
        rooms[0] -= blocks.other_bytes + beside_bytes
        tokens, counts = _fill_evenly(blocks.layer_bytes, rooms, token_bytes, least_tokens)
        if limit_bytes is not None:
            taken = sum(blocks.layer_bytes) + blocks.other_bytes + beside_bytes
            left = limit_bytes - taken - count * workspace_bytes
            tokens = min(tokens, left // max(1, token_bytes))
        if tokens < least_tokens:
            continue
        best = Spread(
            blocks.layers,
            blocks.others,
            tuple(place.device for place in used),
            tuple(counts),
            min(tokens, most_tokens),
        )
        if tokens >= most_tokens:
            break
    return best


def _fill_evenly(
    layer_bytes: Sequence[int], rooms: Sequence[int], token_bytes: int, least_tokens: int
) -> tuple[int, list[int]]:
    """The most tokens that fit when each room takes layers in turn, and how many it takes.

    The most, not what is wanted: so the rooms are left with about as much each. -1 for none.
    """
    kv_bytes = -(-token_bytes // len(layer_bytes))
    found: tuple[int, list[int]] = (-1, [])
    low, high = least_tokens, max(least_tokens, sum(map(abs, rooms)) // max(1, token_bytes))
    while low <= high:
        tokens = (low + high) // 2
        counts = _fill([size + tokens * kv_bytes for size in layer_bytes], rooms)
        if counts is None:
            high = tokens - 1
        else:
            found, low = (tokens, counts), tokens + 1
    return found


def _fill(sizes: Sequence[int], rooms: Sequence[int]) -> list[int] | None:
    """How many of ``sizes``, in their order, go into each of ``rooms``; ``None`` if too many."""
    counts, index = [], 0
    for room in rooms:
        left, start = room, index
        while index < len(sizes) and sizes[index] <= left:
            left -= sizes[index]
            index += 1
        counts.append(index - start)
    return counts if index == len(sizes) else None


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
    if "quantization_config" in checkpoint.config:
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
