"""How fast a device reads memory: no step is faster than reading the weights once.

The bandwidth is measured in the same run by copying, bytes read plus bytes written, so that the
ratio to the limit does not depend on a data sheet.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

_GPU_BYTES, _CPU_BYTES = 1 << 30, 128 << 20
_COPIES = 7


def copy_bandwidth(device: str) -> float:
    """Bytes a second, read plus written; the median of a few copies. ``device``: as torch says it."""
    copy: Callable[[], Any]
    if device.startswith("cpu"):
        size = _CPU_BYTES
        source = np.ones(size, np.uint8)
        target = np.empty_like(source)

        def copy() -> None:
            np.copyto(target, source)

    else:
        import torch

        size = _GPU_BYTES if device.startswith("cuda") else _CPU_BYTES
        there = torch.ones(size, dtype=torch.uint8, device=device)
        copied = torch.empty_like(there)

        def copy() -> None:
            copied.copy_(there)

    times = []
    for _ in range(_COPIES + 2):
        wait(device)
        started = perf_counter()
        copy()
        wait(device)
        times.append(perf_counter() - started)
    return 2 * size / median(times[2:])


def wait(device: str) -> None:
    """Until the device has done all that it was given; a CPU has when it comes back."""
    if device.startswith(("cuda", "mps")):
        import torch

        module: Any = torch.cuda if device.startswith("cuda") else torch.mps
        module.synchronize()
