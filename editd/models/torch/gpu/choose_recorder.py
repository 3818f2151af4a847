"""Chooses between plain and compiled CUDA graphs.

``auto`` records passes uncompiled, which is quick, unless compiled ones were measured to be faster for
this model on this machine. Compiling takes a minute or more, during which the one thread that uses the
model serves no requests. So a daemon never tries it by itself: ``python -m benchmarks step`` stores its
measurements for it (``prefer``).
"""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import torch

from editd.files.local_cache import keep, recall
from editd.models.torch.gpu.pass_program import Shape
from editd.models.torch.gpu.recorded_passes import Recorder, Replay

if TYPE_CHECKING:
    from editd.models.torch.gpu.static_passes import StaticPasses

_BEHIND = 1500  # tokens: a file of usual size
_REPEATS, _REPEATS_UNRECORDED = 20, 3
_CHOICE = "capture"


def machine_key(name: str, device: torch.device, dtype: torch.dtype) -> str:
    """What a measurement holds for: this model on such a device under this torch."""
    hardware = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    return f"{name}, {str(dtype).removeprefix('torch.')} on {hardware}, torch {torch.__version__}"


def recorder_for(device: torch.device, capture: str, exactness: str, key: str) -> Recorder | None:
    """What records passes on ``device`` where ``config`` says ``capture``; ``None``: nothing."""
    if device.type != "cuda" or capture == "off":
        return None
    from editd.models.torch.gpu.cuda_graphs import CudaGraphs

    wanted = recall(key, _CHOICE) if capture == "auto" else capture
    # Inductor chooses its kernels by shape; what it makes is not proven here bit for bit.
    return CudaGraphs(device, compiled=wanted == "compile" and exactness != "bitwise")


def prefer(capture: str, key: str) -> None:
    """Let ``auto`` mean ``capture`` (``graphs`` or ``compile``) from the next start on."""
    keep(key, _CHOICE, capture)


def seconds(passes: StaticPasses, width: int, recorder: Recorder | None = None) -> float:
    """What a pass of ``width`` rows takes in the middle of a usual file, recorded or as it is."""
    cache = passes.pool.open(passes.capacity(min(_BEHIND, passes.longest // 2)))
    try:
        bucket = passes.pool.bucket(min(_BEHIND, passes.longest // 2) + width)
        cache.reserve(bucket)
        program = passes.program(cache.storage, Shape(width, bucket))
        with program.rehearsal():
            program.practise(0)
            if recorder is None:
                return _time(program, _REPEATS_UNRECORDED)
            return _time(recorder.record(program), _REPEATS)
    finally:
        passes.pool.closed(cache)


def _time(replay: Replay, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        started = perf_counter()
        replay().greedy[:, :1].tolist()  # waits for the device
        times.append(perf_counter() - started)
    return median(times)
