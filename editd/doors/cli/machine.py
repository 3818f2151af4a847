"""The device and memory of this machine, and which GPUs it has, by what drivers and the system say.

Loads neither torch nor llama.cpp.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


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
    import psutil

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


_VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}


class Gpu(NamedTuple):
    """One GPU. memory: bytes of its own; 0 if it is not known or shared with the processor."""

    vendor: str
    name: str
    memory: float = 0.0


def gpus(root: Path = Path("/")) -> list[Gpu]:
    """NVIDIA's by their driver, others by the kernel's list; on a Mac the chip's own."""
    if sys.platform == "darwin":
        return [Gpu("Apple", "Apple GPU")]
    found = nvidia_cards() or _driven_by_nvidia(root)
    others = [one for one in _listed(root) if not (found and one.vendor == "NVIDIA")]
    return [*found, *others]


def nvidia_cards() -> list[Gpu]:
    """As ``nvidia-smi`` has them; none where it is missing or does not answer."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    query = [program, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True)
        rows = [line.rpartition(",") for line in answer.stdout.splitlines()]
        return [Gpu("NVIDIA", name.strip(), int(mebibytes) << 20) for name, _, mebibytes in rows]
    except (OSError, subprocess.SubprocessError, ValueError):
        return []  # a driver without a card, or one that does not answer


def _driven_by_nvidia(root: Path) -> list[Gpu]:
    """A container may have the devices without the program."""
    count = len(list((root / "dev").glob("nvidia[0-9]*")))
    return [Gpu("NVIDIA", "NVIDIA GPU")] * count


def _listed(root: Path) -> list[Gpu]:
    """The kernel's cards that a program can compute on: those with a render node."""
    found = []
    for node in sorted((root / "sys/class/drm").glob("renderD*")):
        vendor = _VENDORS.get(_text(node / "device/vendor"), "")
        own = _text(node / "device/mem_info_vram_total")  # of AMD's driver alone
        if vendor:
            found.append(Gpu(vendor, f"{vendor} GPU", float(own) if own.isdecimal() else 0.0))
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
