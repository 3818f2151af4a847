"""Chooses the kernel that ``attend`` runs, by device, dtype and head size.

An NVIDIA GPU with half-precision caches runs the Triton kernels, if they are installed and pass a
test on that device. Everything else runs in plain torch.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

import torch

from editd.models.torch.gpu.reference import attend_torch

log = logging.getLogger(__name__)

_HALVES = (torch.float16, torch.bfloat16)
_LARGEST_ERROR = 0.02  # of standard normal values; half precision stays ten times below


def attend(
    query: torch.Tensor,
    key_buffer: torch.Tensor,
    value_buffer: torch.Tensor,
    length: torch.Tensor,
    tree: torch.Tensor | None = None,
    scale: float | None = None,
    window: int = 0,
) -> torch.Tensor:
    """See ``editd.models.torch.gpu``."""
    runs = (
        _attend_split
        if way(query.device, query.dtype, query.shape[-1]) == "split"
        else attend_torch
    )
    output: torch.Tensor = runs(query, key_buffer, value_buffer, length, tree, scale, window)
    return output


def way(device: torch.device, dtype: torch.dtype, width: int) -> str:
    """``split`` or ``torch``: what a cache of ``dtype`` with heads of ``width`` runs with there."""
    if device.type == "cuda" and dtype in _HALVES and width <= 256 and _proven(device, dtype):
        return "split"
    return "torch"


@torch.library.custom_op("editd::attend_split", mutates_args=())
def _attend_split(
    query: torch.Tensor,
    key_buffer: torch.Tensor,
    value_buffer: torch.Tensor,
    length: torch.Tensor,
    tree: torch.Tensor | None,
    scale: float | None,
    window: int,
) -> torch.Tensor:
    """An operator of torch's, so that ``torch.compile`` leaves it as it is."""
    from editd.models.torch.gpu.split_kv import attend_split

    return attend_split(query, key_buffer, value_buffer, length, tree, scale, window)


@_attend_split.register_fake
def _(
    query: torch.Tensor,
    key_buffer: torch.Tensor,  # noqa: ARG001 - the operator's arguments
    value_buffer: torch.Tensor,
    *_: object,
) -> torch.Tensor:
    return query.new_empty(1, query.shape[2], query.shape[1], value_buffer.shape[-1])


@cache
def _proven(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether the kernels compile on ``device`` and agree with plain torch; asked once, eagerly.

    A driver, a compiler or a card that does not suit must cost speed, never a wrong text.
    """
    if find_spec("triton") is None or torch.cuda.get_device_capability(device) < (8, 0):
        return False
    try:
        return agrees(_attend_split, device, dtype)
    except Exception:
        log.warning("The attention kernels do not run here; plain torch does.", exc_info=True)
        return False


@torch.inference_mode()
def agrees(
    attend_other: Callable[..., torch.Tensor], device: torch.device, dtype: torch.dtype
) -> bool:
    """Whether another ``attend`` gives what plain torch gives, on one small seeded case."""
    generator = torch.Generator().manual_seed(0)
    query, key, value = (
        torch.randn(1, heads, slots, 64, generator=generator).to(device, dtype)
        for heads, slots in ((4, 3), (2, 512), (2, 512))
    )
    length = torch.tensor([300], dtype=torch.int32, device=device)
    case = (query, key, value, length, None, None, 0)
    got = attend_other(*case)
    error = (got - attend_torch(*case)).abs().max()
    if bool(error < _LARGEST_ERROR):
        return True
    log.warning("The attention kernels are off by %.3g on this device; plain torch runs.", error)
    return False
