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


def queue_copy(target: torch.Tensor, source: torch.Tensor) -> None:
    """Fill ``target`` with ``source``, a tensor on the CPU that nobody changes any more."""
    if target.device.type == "cuda":
        target.copy_(source.pin_memory(), non_blocking=True)
    else:
        target.copy_(source)


class Upload:
    """A buffer on the device that is filled from the host again and again."""

    def __init__(self, size: int, device: torch.device) -> None:
        self.buffer = torch.zeros(size, dtype=torch.int64, device=device)
        self._staging: torch.Tensor | None = None
        self._done: torch.cuda.Event | None = None
        if device.type == "cuda":
            self._staging = torch.zeros(size, dtype=torch.int64, pin_memory=True)
            self._done = torch.cuda.Event()  # type: ignore[no-untyped-call]

    def send(self, values: Sequence[int]) -> None:
        """Write ``values`` at the buffer's beginning, behind what the device is doing."""
        count = len(values)
        if self._staging is None or self._done is None:
            self.buffer[:count] = torch.tensor(values, dtype=torch.int64)
            return
        self._done.synchronize()  # the last copy may not have left the staging buffer
        self._staging[:count] = torch.tensor(values, dtype=torch.int64)
        self.buffer[:count].copy_(self._staging[:count], non_blocking=True)
        self._done.record()


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
