"""A model over several devices, as accelerate places its layers, with room for their keys and values.

accelerate counts weights. So it is given a stand-in, the model without memory, in which each layer has a
buffer as large as its cache. transformers loads by
the device map that comes of it, and accelerate moves inputs to each layer's device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from editd.models.model_folder import Checkpoint
from editd.models.torch.device import FreeDevice

_STEPS = 8  # parts of the whole context: the most of them that fit are found
_CACHE = "editd_cache"  # a buffer that stands for keys and values


@dataclass(frozen=True, slots=True)
class Spread:
    """``counts[i]`` layers lie on ``devices[i]``, in their order.

    device_map: module → device, as transformers takes it. weights_bytes: on all devices together.
    tokens: that all of them have room for.
    """

    device_map: dict[str, torch.device]
    devices: tuple[torch.device, ...]
    counts: tuple[int, ...]
    weights_bytes: int
    tokens: int

    def cache_room(self, free_bytes: Sequence[int]) -> int:
        """Bytes of keys and values that fit, where ``free_bytes`` are left on the devices."""
        layers = sum(self.counts)
        rooms = zip(free_bytes, self.counts, strict=True)
        return min(free * layers // count for free, count in rooms if count)

    def words(self) -> str:
        """``20 + 12 layers``."""
        return " + ".join(map(str, self.counts)) + " layers"


def spread_over(
    stand_in: nn.Module,
    places: Sequence[FreeDevice],
    token_bytes: int,
    *,
    least_tokens: int,
    most_tokens: int,
    workspace_bytes: int = 0,
    beside_bytes: int = 0,
    limit_bytes: int | None = None,
) -> Spread | None:
    """The model over as few of ``places`` as leave room for ``most_tokens``, else for the most tokens.

    token_bytes: keys and values of one token in all layers. workspace_bytes: kept free on each
    device; beside_bytes: on the first. limit_bytes: most that all of it may take. ``None`` where not
    even ``least_tokens`` fit. Devices with more room come first.
    """
    places = sorted(places, key=lambda place: -place.free_bytes)
    best: Spread | None = None
    for count in range(2, len(places) + 1):
        rooms = [place.free_bytes - workspace_bytes for place in places[:count]]
        rooms[0] -= beside_bytes
        most = most_tokens
        if limit_bytes is not None:
            left = limit_bytes - count * workspace_bytes - beside_bytes - _weights_bytes(stand_in)
            most = min(most, left // max(1, token_bytes))
        for part in range(_STEPS, -1, -1):
            tokens = max(most * part // _STEPS, least_tokens)
            if tokens > most or (best is not None and tokens <= best.tokens):
                break
            device_map = _placed(stand_in, rooms, tokens * token_bytes)
            if device_map is not None:
                best = _spread(stand_in, device_map, [place.device for place in places], tokens)
                break
        if best is not None and best.tokens == most_tokens:
            break
    return best


def _placed(stand_in: nn.Module, rooms: Sequence[int], cache_bytes: int) -> dict[str, int] | None:
    """Module → number of its room, each room filled about alike; ``None``: it does not fit."""
    from accelerate.utils import get_balanced_memory, infer_auto_device_map

    layers = _layers(stand_in)
    for layer in layers.values():
        cache = torch.empty(-(-cache_bytes // len(layers)), dtype=torch.uint8, device="meta")
        layer.register_buffer(_CACHE, cache, persistent=False)
    whole = sorted({type(layer).__name__ for layer in layers.values()})
    as_they_are = {number: max(room, 0) for number, room in enumerate(rooms)}
    balanced = get_balanced_memory(stand_in, dict(as_they_are), no_split_module_classes=whole)
    for most in (balanced, as_they_are):
        found: dict[str, Any] = infer_auto_device_map(
            stand_in, most, no_split_module_classes=whole, clean_result=False, offload_buffers=True
        )
        if set(found.values()) <= set(as_they_are):
            return found
    return None


def _spread(
    stand_in: nn.Module, found: dict[str, int], devices: Sequence[torch.device], tokens: int
) -> Spread:
    homes = [
        next(number for part, number in found.items() if f"{name}.".startswith(f"{part}."))
        for name in _layers(stand_in)
    ]
    used = range(max(found.values()) + 1)
    return Spread(
        {part: devices[number] for part, number in found.items()},
        tuple(devices[number] for number in used),
        tuple(homes.count(number) for number in used),
        _weights_bytes(stand_in),
        tokens,
    )


def stand_in_for(checkpoint: Checkpoint, dtype: torch.dtype) -> nn.Module | None:
    """``checkpoint`` as it will be loaded, without memory; ``None`` where its layers cannot be told.

    So it is with models that run code of their own or were stored quantised.
    """
    if "quantization_config" in checkpoint.config:
        return None
    from transformers import AutoConfig, AutoModelForCausalLM

    from editd.models import quiet_loading

    try:
        with quiet_loading(), torch.device("meta"):
            config = AutoConfig.from_pretrained(
                str(checkpoint.folder), local_files_only=True, trust_remote_code=False
            )
            make: Any = AutoModelForCausalLM
            model: nn.Module = make.from_config(config, trust_remote_code=False, dtype=dtype)
    except Exception:  # noqa: BLE001 - loading will say what is wrong with it
        return None
    return model if _layers(model) else None


def _layers(model: Any) -> dict[str, nn.Module]:
    """Its layers by name; empty where no list, or more than one, has as many parts."""
    count = model.config.get_text_config(decoder=True).num_hidden_layers
    lists = [
        (name, module)
        for name, module in model.named_modules()
        if isinstance(module, nn.ModuleList) and len(module) == count
    ]
    if len(lists) != 1:
        return {}
    return {f"{lists[0][0]}.{index}": layer for index, layer in enumerate(lists[0][1])}


def _weights_bytes(stand_in: nn.Module) -> int:
    """Of all weights and buffers but the caches, shared ones once."""
    held = [*stand_in.named_parameters(), *stand_in.named_buffers()]
    return sum(tensor.nbytes for name, tensor in held if not name.endswith(f".{_CACHE}"))
