"""Between the host and the device: the few bytes of a round, without waiting on the way.

On a GPU a copy from ordinary memory waits until the device has caught up; from pinned memory it is
queued like a kernel. What goes up is a list of integers, what comes down is one small tensor. On
the CPU both are plain copies.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch


def to_device(values: Sequence[int], device: torch.device) -> torch.Tensor:
    """``values`` as int64 on ``device``, queued behind what runs there."""
    if device.type != "cuda":
        return torch.tensor(values, dtype=torch.int64, device=device)
    # The allocator of pinned memory keeps these bytes until the copy is over.
    pinned = torch.tensor(values, dtype=torch.int64, pin_memory=True)
    return pinned.to(device, non_blocking=True)


def queue_copy(target: torch.Tensor, values: Sequence[int] | torch.Tensor) -> None:
    """Fill the beginning of ``target`` with ``values`` of the host, behind what the device is doing."""
    source = torch.as_tensor(values, dtype=target.dtype)
    if target.device.type == "cuda":
        source = source.pin_memory()  # kept until the copy is over, as above
    target[: len(source)].copy_(source, non_blocking=True)


def to_host(tensor: torch.Tensor) -> list[list[float]]:
    """The rows of ``tensor``: one copy, and the only place where a round waits for the device."""
    if tensor.device.type != "cuda":
        rows: list[list[float]] = tensor.tolist()
        return rows
    pinned = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    pinned.copy_(tensor, non_blocking=True)
    done = torch.cuda.Event()  # type: ignore[no-untyped-call]
    done.record()
    done.synchronize()
    copied: list[list[float]] = pinned.tolist()
    return copied
