"""Finds out the device and memory of this machine, without loading torch."""

from __future__ import annotations

import contextlib
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from editd.doors.cli.gpus import nvidia_cards


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
    for card in nvidia_cards():
        return Machine("cuda", card.name, card.memory)
    return Machine("cpu", "CPU", memory)


def _container_limit() -> float:
    """The most memory that a container lets its processes have, else infinity."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
    return math.inf
