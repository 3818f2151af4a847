"""Finds out the device and memory of this machine, without loading torch."""

from __future__ import annotations

import contextlib
import math
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Machine:
    """The default device for a model, and its memory in bytes."""

    device: str  # "cuda", "mps" or "cpu"
    name: str
    memory: float

    @property
    def bytes_per_parameter(self) -> int:
        """As ``model.device`` chooses by default: half precision except on the CPU."""
        return 4 if self.device == "cpu" else 2

    def needs(self, parameters: float) -> float:
        """Bytes for a model of so many parameters: weights, caches and working space."""
        return self.needs_bytes(parameters * self.bytes_per_parameter)

    def needs_bytes(self, weights: float) -> float:
        """Bytes for weights that take so many in memory, with caches and working space."""
        return weights * 1.1 + 5e8

    def fits(self, parameters: float) -> bool:
        """Whether such a model fits, with a little memory to spare."""
        return self.has_room(self.needs(parameters))

    def has_room(self, needed: float) -> bool:
        """Whether so many bytes are free, with a little to spare."""
        return needed <= 0.9 * self.memory


def this_machine() -> Machine:
    """The first NVIDIA card, an Apple chip, or the processor."""
    memory = min(psutil.virtual_memory().total, _container_limit())
    if sys.platform == "darwin":
        return Machine("mps", "Apple GPU", memory)
    return _nvidia_card() or Machine("cpu", "CPU", memory)


def _container_limit() -> float:
    """The most memory that a container lets its processes have, else infinity."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
    return math.inf


def _nvidia_card() -> Machine | None:
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    query = [program, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True)
        name, _, mebibytes = answer.stdout.splitlines()[0].rpartition(",")
        return Machine("cuda", name.strip(), int(mebibytes) << 20)
    except (OSError, subprocess.SubprocessError, IndexError, ValueError):
        return None  # a driver without a card, or one that does not answer
