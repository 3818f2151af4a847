"""Returns memory to the system while many large blocks are allocated and freed.

glibc raises the size from which a block gets its own mapping with each one that is freed, up to
32 MiB. Smaller blocks stay in the heap, and a quantised weight leaves a hole of its old size there. A
model of 190 million weights, read as float32 and kept as int8, then held 750 MiB instead of 190
(measured: docs/explanation/backends.md).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_WHILE_LOADING = 1 << 20
_AFTERWARDS = 32 << 20  # where glibc itself ends after a few large blocks


@contextmanager
def returning_memory() -> Iterator[None]:
    """Blocks of a mebibyte and more go back to the system when they are freed."""
    libc = _glibc()
    if libc is None:
        yield
        return
    libc.mallopt(_MMAP_THRESHOLD, _WHILE_LOADING)
    try:
        yield
    finally:
        libc.mallopt(_MMAP_THRESHOLD, _AFTERWARDS)
        libc.mallopt(_TRIM_THRESHOLD, 2 * _AFTERWARDS)
        libc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None
