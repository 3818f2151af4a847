"""Recognises out-of-memory errors of all devices and allocators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from editd.errors import OutOfMemory


@contextmanager
def memory_guard(device: torch.device | str) -> Iterator[None]:
    """Turns every way of running out of memory while decoding into ``OutOfMemory``.

    device: where, for the sentence; the names of several may be joined.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise OutOfMemory(
            f"Memory on {device} ran out while decoding: edit fewer lines at a time (--range), "
            "lower model.max_context, or choose a smaller model."
        ) from error


def is_out_of_memory(error: BaseException) -> bool:
    """The device's own error, or what torch's CPU and MPS allocators raise in its stead."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    words = str(error).lower()
    return any(sign in words for sign in ("can't allocate memory", "out of memory", "bad_alloc"))
