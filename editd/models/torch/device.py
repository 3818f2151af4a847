"""A model's device, dtype and threads, the memory left there, and the error when it runs out.

Knows torch's devices; knows no model. A round's few bytes go to the device and back without waiting on the way: on a
GPU a copy from ordinary memory waits until the device has caught up, from pinned memory it is queued like a kernel. A
list of integers goes up, one small tensor comes down. On the CPU both are plain copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch

from editd.errors import ConfigError, OutOfMemory, as_out_of_memory
from editd.models import machine

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}

_WORTH_SHARING = 64 << 20  # bytes of weights


def choose_device(setting: str) -> torch.device:
    """The device of a setting in torch's words (``cuda:1``); ``auto`` is the current cuda device,
    else mps, else cpu.

    Raises ``ConfigError`` for an unknown name and for a device that this machine lacks.
    """
    if setting == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda", torch.cuda.current_device())
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(setting)
    except RuntimeError:
        device = None
    is_available = {"cpu": True, "mps": torch.backends.mps.is_available()}
    is_available["cuda"] = torch.cuda.is_available() and (
        device is None or (device.index or 0) < torch.cuda.device_count()
    )
    if device is None or not is_available.get(device.type, False):
        usable = ", ".join(kind for kind in ("cuda", "mps", "cpu") if is_available.get(kind))
        raise ConfigError(
            f"The device {setting!r} cannot be used on this machine: set model.device to auto or "
            f"one of {usable}."
        )
    return device


def choose_dtype(setting: str, device: torch.device) -> torch.dtype:
    """The dtype of a setting, unchecked against the device; ``auto`` is bfloat16 on cuda if the
    card has it, else float16; float16 on mps, float32 on cpu.

    Raises ``ConfigError`` for an unknown name.
    """
    if setting != "auto":
        if setting not in DTYPES:
            raise ConfigError(
                f"{setting!r} is not a dtype: set model.dtype to auto, {', '.join(DTYPES)}."
            )
        return DTYPES[setting]
    if device.type == "cuda":
        is_native = torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if is_native else torch.float16
    return torch.float16 if device.type == "mps" else torch.float32


def set_threads(setting: int, weights_bytes: int) -> int:
    """Set the number of torch's CPU threads in this process, and return it.

    setting: the number; 0 for the physical cores that this process may use, or 1 if the weights
    have less than 64 MiB.

    A small model's pass takes a few milliseconds, most of them dispatch: there more threads gain
    little, and when another program has one of the cores they wait for each other many times over.
    """
    threads = setting or (1 if weights_bytes < _WORTH_SHARING else machine.usable_cores())
    if threads != torch.get_num_threads():
        torch.set_num_threads(threads)
    return threads


def free_memory(device: torch.device) -> int:
    """Bytes still available on ``device``; on Apple's the fewer of what it recommends and of free
    main memory.
    """
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return int(free)
    if device.type == "mps":
        room = torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()
        return min(int(room), machine.free_memory())
    return machine.free_memory()


@contextmanager
def memory_guard(device: torch.device | str) -> Iterator[None]:
    """A context that raises ``OutOfMemory``, with a remedy, for every form of running out of memory
    on ``device``; other errors pass unchanged.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if as_out_of_memory(error) is None:
            raise
        raise OutOfMemory(
            f"Memory on {device} ran out while decoding: edit fewer lines at a time (--range), "
            "lower model.max_context, or choose a smaller model."
        ) from error


def to_device(values: Sequence[int], device: torch.device) -> torch.Tensor:
    """``values`` as an int64 tensor on ``device``; on a CUDA device the copy is queued, and nothing
    waits for it.
    """
    if device.type != "cuda":
        return torch.tensor(values, dtype=torch.int64, device=device)
    # The allocator of pinned memory keeps these bytes until the copy is over.
    pinned = torch.tensor(values, dtype=torch.int64, pin_memory=True)
    return pinned.to(device, non_blocking=True)


def to_host(tensor: torch.Tensor) -> list[list[float]]:
    """The rows of ``tensor`` as lists, in one copy: the only place where a round waits for the
    device.
    """
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
