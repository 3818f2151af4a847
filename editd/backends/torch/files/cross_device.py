"""A model whose layers lie on several devices: each is given what it needs where it lies.

transformers puts the weights in their places by a device map; accelerate then moves the inputs of
every module on its own, starts on whichever device a set yields first and copies all logits at the
end. Here only layers are looked after, since everything else lies on one device (``layer_placement``), and what
many layers share (masks, rotations) is copied once a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from editd.backends.torch.files.layer_placement import Spread


def connect(model: nn.Module, spread: Spread) -> None:
    """Let ``model``, loaded by the device map of ``spread``, run."""
    from accelerate.hooks import remove_hook_from_module

    remove_hook_from_module(model, recurse=True)
    layers = list(model.get_submodule(spread.layers).children())
    start = 0
    for device, count in zip(spread.devices, spread.counts, strict=True):
        own = layers[start : start + count]
        start += count
        if device == spread.devices[0] or not own:
            continue
        arrivals = _Arrivals(device)
        own[0].register_forward_pre_hook(arrivals.begin)
        for layer in own:
            layer.register_forward_pre_hook(arrivals.before, with_kwargs=True)
        own[-1].register_forward_hook(arrivals.end)
    home = spread.devices[0]
    layers[-1].register_forward_hook(lambda _layer, _args, output: _moved(output, _to(home)))


class _Arrivals:
    """What the layers of one device were given in this pass, copied there once."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._bring = _to(device)
        # By identity, with the original, so that no other tensor can have it meanwhile.
        self._brought: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def begin(self, *_: Any) -> None:
        """A pass has come to the first of the layers."""
        self._brought.clear()

    def before(self, _: nn.Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """A layer is called."""
        return _moved(args, self._copy), _moved(kwargs, self._copy)

    def end(self, *_: Any) -> None:
        """A pass has left the last of the layers."""
        self._brought.clear()

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.device == self._device:
            return tensor
        key = id(tensor)
        if key not in self._brought:
            self._brought[key] = (tensor, self._bring(tensor))
        return self._brought[key][1]


def _to(device: torch.device) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda tensor: tensor.to(device, non_blocking=True)


def _moved(value: Any, move: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """``value`` with all its tensors moved; a cache stays, its layers lie where they are used."""
    if isinstance(value, torch.Tensor):
        return move(value)
    if type(value) in (tuple, list):
        return type(value)(_moved(item, move) for item in value)
    if type(value) is dict:
        return {key: _moved(item, move) for key, item in value.items()}
    return value
