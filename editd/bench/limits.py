"""What a step cannot be faster than on this device: its weights have to be read once.

The bandwidth is measured in the same run by copying, bytes read plus bytes written, so that the
ratio to the limit does not depend on a data sheet.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter

import torch

_GPU_BYTES, _CPU_BYTES = 1 << 30, 128 << 20
_COPIES = 7


def copy_bandwidth(device: str) -> float:
    """Bytes a second, read plus written; the median of a few copies."""
    place = torch.device(device)
    size = _GPU_BYTES if place.type == "cuda" else _CPU_BYTES
    source = torch.ones(size, dtype=torch.uint8, device=place)
    target = torch.empty_like(source)
    times = []
    for _ in range(_COPIES + 2):
        wait(device)
        started = perf_counter()
        target.copy_(source)
        wait(device)
        times.append(perf_counter() - started)
    return 2 * size / median(times[2:])


def wait(device: str) -> None:
    """Until the device has done all that it was given."""
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device.startswith("mps"):
        torch.mps.synchronize()
