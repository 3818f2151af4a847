"""t(k): how long one pass over k tokens takes behind a context, and how fast this machine copies.

Speaks to a model as the decode loop does, whichever backend runs it. What is timed is ``verify`` and
what comes back to the host with it; the drafter is not part of it. Sizes are taken in turns, so that
a machine that slows down slows all. No step is faster than reading the weights once: the bandwidth is
measured in the same run by copying, so that the ratio to the limit does not depend on a data sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any

from editd.decode.target import GREEDY
from editd.errors import UsageError
from editd.models.loaded_model import dummy_ids

CONTEXTS = (2048,)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_WARM_UPS = 2


@dataclass(frozen=True, slots=True)
class Step:
    """A cell of the table, in milliseconds. ``low``, ``high``: quartiles. ``cpu``: processor time.

    mode: how passes ran, for a person.
    """

    mode: str
    context: int
    k: int
    median_ms: float
    low_ms: float
    high_ms: float
    cpu_ms: float


def steps_at(
    target: Any,
    mode: str,
    context: int,
    sizes: Sequence[int],
    repeats: int,
) -> list[Step]:
    """The sizes behind one context; ``target`` as in ``decode.target``.

    Raises ``UsageError`` where the context is too long.
    """
    sizes = sorted(set(sizes))
    if context + sizes[-1] >= target.max_context:
        raise UsageError(
            f"The model reads {target.max_context} tokens, which a context of {context} and "
            f"{sizes[-1]} tokens more would exceed: choose a smaller --context."
        )
    ids = dummy_ids(context + sizes[-1], target.vocab_size)
    sequence = target.open(ids[: context + 1])
    times: dict[int, list[tuple[float, float]]] = {k: [] for k in sizes}
    try:
        sequence.prefill(ids[sequence.length : context])
        for turn in range(_WARM_UPS + repeats):
            for k in sizes:
                started, worked = perf_counter(), process_time()
                sequence.verify(ids[context : context + k], GREEDY)
                if turn >= _WARM_UPS:
                    times[k].append((perf_counter() - started, process_time() - worked))
                sequence.crop(context)
    finally:
        sequence.close()
    return [_step(mode, context, k, taken) for k, taken in times.items()]


def _step(mode: str, context: int, k: int, taken: list[tuple[float, float]]) -> Step:
    walls = sorted(1000 * wall for wall, _ in taken)
    return Step(
        mode,
        context,
        k,
        median_ms=median(walls),
        low_ms=walls[len(walls) // 4],
        high_ms=walls[(3 * len(walls)) // 4],
        cpu_ms=median(1000 * worked for _, worked in taken),
    )


_GPU_BYTES, _CPU_BYTES = 1 << 30, 128 << 20
_COPIES = 7


def copy_bandwidth(device: str) -> float:
    """Bytes a second, read plus written; the median of a few copies. ``device``: as torch says it."""
    import numpy as np

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
        ones = torch.ones(size, dtype=torch.uint8, device=device)
        copied = torch.empty_like(ones)

        def copy() -> None:
            copied.copy_(ones)

    times = []
    for _ in range(_COPIES + 2):
        wait(device)
        started = perf_counter()
        copy()
        wait(device)
        times.append(perf_counter() - started)
    return 2 * size / median(times[2:])


def wait(device: str) -> None:
    """Block until ``device`` has done all its work; returns at once for a CPU."""
    if device.startswith(("cuda", "mps")):
        import torch

        module: Any = torch.cuda if device.startswith("cuda") else torch.mps
        module.synchronize()
