"""The machine's processor, cores and free memory, within a container's limits; and whether a model fits.

The answer is one line for the user, from any backend, with the reason if the model does not fit.
"""

from __future__ import annotations

import hashlib
import os
import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic, process_time

import psutil

from editd.stores.hub import gigabytes

EDIT_TOKENS = 4096
"""Tokens of cache that a memory plan counts: those of an edit of a usual file."""

_WINDOW = 1.0  # seconds over which the other programs' work is averaged


def processor() -> str:
    """The processor's name and a digest of its features, by ``/proc/cpuinfo``, else by Python's
    ``platform`` and without features: times measured on one processor say nothing about another.
    """
    facts = _cpu_facts()
    name = facts.get("model name") or platform.processor() or platform.machine()
    flags = facts.get("flags", facts.get("Features", ""))
    return f"{name} {hashlib.sha256(flags.encode()).hexdigest()[:8]}"


def multiplies_bytes() -> bool:
    """Whether the processor has VNNI, which multiplies 8-bit integers several times as fast as floats."""
    return not {"avx512_vnni", "avx_vnni"}.isdisjoint(_cpu_facts().get("flags", "").split())


@cache
def _cpu_facts() -> dict[str, str]:
    """The fields of ``/proc/cpuinfo`` for the first processor, read once per process; empty where
    that file cannot be read.
    """
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    first = cpuinfo.split("\n\n", maxsplit=1)[0].splitlines()
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in first)}


def usable_cores() -> int:
    """The number of physical cores, or less if affinity or a container's quota (rounded up) allows
    fewer; at least 1.

    Libraries count the machine's cores; in a container with a small quota that many threads would
    only wait for one another.
    """
    cores = _physical_cores()
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    quota = _read_words("/sys/fs/cgroup/cpu.max")
    if len(quota) == 2 and quota[0].isdigit() and quota[1].isdigit():
        cores = min(cores, -(-int(quota[0]) // int(quota[1])))
    return max(1, cores)


def _physical_cores() -> int:
    """The machine's physical cores; the logical ones where they cannot be told apart."""
    return psutil.cpu_count(logical=False) or os.cpu_count() or 1


class FreeCores:
    """Counts the cores that other programs left to this process in the last second.

    Threads of a pass wait for each other many times, so beside other programs fewer are faster: the last thread to get a
    core holds up all, and those that wait awake keep the others' cores busy.
    """

    def __init__(self) -> None:
        self._cores = usable_cores()
        self._free = self._cores
        self._since, self._used, self._own = monotonic(), _used_seconds(), process_time()

    def __call__(self) -> int:
        """The count: at most ``usable_cores``, at least half of them. All of them in the first second, and where affinity or
        a quota allows fewer than the machine has, since the work on its other cores is in no one's way.
        """
        elapsed = monotonic() - self._since
        if elapsed >= _WINDOW and self._cores == _physical_cores():
            used, own = _used_seconds(), process_time()
            others = (used - self._used - (own - self._own)) / elapsed
            free = round((psutil.cpu_count() or self._cores) - others)
            self._free = min(self._cores, max(-(-self._cores // 2), free))
            self._since, self._used, self._own = monotonic(), used, own
        return self._free


def _used_seconds() -> float:
    """The processor seconds that all programs together have used since the machine started."""
    times = psutil.cpu_times()
    # Linux counts guests within user and nice.
    unused = times.idle + getattr(times, "iowait", 0.0)
    return sum(times) - unused - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)


def free_memory() -> int:
    """Bytes of main memory still available."""
    available = int(psutil.virtual_memory().available)
    return max(0, min(available, _free_in_container(available)))


def _free_in_container(otherwise: int) -> int:
    """Bytes left of a container's memory limit (cgroup v2), its page cache counted as free;
    ``otherwise`` if there is no limit, or it cannot be read.
    """
    limit = _read_words("/sys/fs/cgroup/memory.max")
    used = _read_words("/sys/fs/cgroup/memory.current")
    if not (limit and used and limit[0].isdigit()):
        return otherwise
    words = _read_words("/sys/fs/cgroup/memory.stat")
    figures = dict(zip(words[::2], words[1::2], strict=False))
    files = int(figures.get("active_file", 0)) + int(figures.get("inactive_file", 0))
    return int(limit[0]) - int(used[0]) + files


def _read_words(path: str) -> list[str]:
    """The words of an ASCII file, split at blanks and line ends; empty if it cannot be read."""
    try:
        return Path(path).read_text(encoding="ascii").split()
    except OSError:
        return []


def too_little(name: str, needed: int, free: int, limit: int | None = None) -> str:
    """A sentence with a remedy if ``needed`` is more than ``free`` or more than ``limit`` (in that
    order); empty if it is not.

    name: of the model. free: bytes of free memory.
    limit: bytes that ``daemon.memory`` leaves to the model; ``None`` for no limit.
    """
    for nbytes, given, remedy in (
        (free, "are free", "free some memory"),
        (limit, "are left by daemon.memory", "raise daemon.memory"),
    ):
        if nbytes is not None and needed > nbytes:
            return (
                f"{name} needs about {needed >> 20:,} MiB and {max(0, nbytes) >> 20:,} MiB {given}: choose a smaller "
                f"quantisation or another model, or {remedy}."
            )
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The memory that a model takes on this machine.

    runs: the number format or the device, for a person.
    refusal: why the model does not fit; empty if it does.
    needed_bytes: weights, caches and working space.
    context: the most tokens of prompt and answer that fit.
    """

    name: str
    runs: str
    refusal: str
    weights_bytes: int
    needed_bytes: int
    context: int

    def summary(self) -> str:
        """Size, memory and context in one line, for a user."""
        return (
            f"{self.name}, {gigabytes(self.weights_bytes)} of weights; "
            f"{gigabytes(self.needed_bytes)} of memory {self.runs}, room for {self.context:,} tokens"
        )
