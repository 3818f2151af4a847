"""The machine: its processor, and the cores and the memory that are left to this process, in a container, too."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from pathlib import Path

import psutil


def processor() -> str:
    """Its name and a digest of what it can do: what was measured on one says nothing about another."""
    known = _known()
    name = known.get("model name") or platform.processor() or platform.machine()
    flags = known.get("flags", known.get("Features", ""))
    return f"{name} {hashlib.sha256(flags.encode()).hexdigest()[:8]}"


def multiplies_bytes() -> bool:
    """Whether it has VNNI, which multiplies 8-bit integers several times as fast as floats."""
    return not {"avx512_vnni", "avx_vnni"}.isdisjoint(_known().get("flags", "").split())


@cache
def _known() -> dict[str, str]:
    """What Linux says of the first processor; nothing elsewhere."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    first = told.split("\n\n", maxsplit=1)[0].splitlines()
    return {key.strip(): value.strip() for key, _, value in (one.partition(":") for one in first)}


def usable_cores() -> int:
    """Physical cores, less what affinity or a container's quota takes away.

    Libraries count the machine's cores; in a container with a small quota that many threads would
    only wait for one another.
    """
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    quota = _read_words("/sys/fs/cgroup/cpu.max")
    if len(quota) == 2 and quota[0].isdigit() and quota[1].isdigit():
        cores = min(cores, -(-int(quota[0]) // int(quota[1])))
    return max(1, cores)


def free_memory() -> int:
    """Bytes of main memory still available."""
    available = int(psutil.virtual_memory().available)
    return max(0, min(available, _free_in_container(available)))


def _free_in_container(otherwise: int) -> int:
    """What a container's limit leaves, its page cache counted as free; ``otherwise``: no limit."""
    limit = _read_words("/sys/fs/cgroup/memory.max")
    used = _read_words("/sys/fs/cgroup/memory.current")
    if not (limit and used and limit[0].isdigit()):
        return otherwise
    words = _read_words("/sys/fs/cgroup/memory.stat")
    figures = dict(zip(words[::2], words[1::2], strict=False))
    files = int(figures.get("active_file", 0)) + int(figures.get("inactive_file", 0))
    return int(limit[0]) - int(used[0]) + files


def _read_words(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="ascii").split()
    except OSError:
        return []
