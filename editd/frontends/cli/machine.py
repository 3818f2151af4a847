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
from editd.installed import with_extra
from editd.models.llama_cpp import fetching
from editd.models.llama_cpp.builds import NAME, SCOPE, Build, available_builds, installed_kind
from editd.models.llama_cpp.fetching import ProbedLibrary, probe_library
from editd.models.llama_cpp.library import PATH_VARIABLE, is_library_installed
from editd.models.openvino import is_library_installed as is_openvino_installed
from editd.stores.hub import gigabytes

_VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
_WORTH = 2e9  # bytes of its own from which a GPU is proposed; what shares memory was not measured
_CUDA = ("libcudart.so.13", "libcublas.so.13")  # what the CUDA build needs beside the driver
_OWN_BUILD = f"set {PATH_VARIABLE} to the libllama of a build of your own"
GAIN = "1.3 to 1.5 times"
"""How much faster the build for the processor reads a prompt: docs/explanation/backends.md."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The default device for a model, and its memory in bytes."""

    device: str  # "cuda", "mps" or "cpu"
    name: str
    memory: float

    @property
    def bytes_per_parameter(self) -> int:
        """Bytes for a parameter on the default device: 2, on the CPU 4."""
        return 4 if self.device == "cpu" else 2

    def needs(self, parameters: float) -> float:
        """Bytes for a model of so many parameters: weights, caches and working space."""
        return self.needs_bytes(parameters * self.bytes_per_parameter)

    def needs_bytes(self, weights: float) -> float:
        """Bytes for weights of so many bytes, with caches and working space."""
        return weights * 1.1 + 5e8

    def fits(self, parameters: float) -> bool:
        """Whether a model of so many parameters fits, with a little memory to spare."""
        return self.has_room(self.needs(parameters))

    def has_room(self, needed: float) -> bool:
        """Whether so many bytes are free, with a little to spare."""
        return needed <= 0.9 * self.memory


def this_machine() -> Machine:
    """The device for a model by default: on a Mac the Apple chip, else the first card that ``nvidia-smi`` lists, with
    its own memory, else the processor. Chip and processor have the machine's memory, or the container's limit if that
    is less.
    """
    import psutil

    memory = min(psutil.virtual_memory().total, _container_limit())
    if sys.platform == "darwin":
        return Machine("mps", "Apple GPU", memory)
    for card in nvidia_cards():
        return Machine("cuda", card.name, card.memory)
    return Machine("cpu", "CPU", memory)


def _container_limit() -> float:
    """The memory limit of this process's container in bytes, from the second version of cgroups; infinity without
    one, or if it cannot be read.
    """
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
    return math.inf


class Gpu(NamedTuple):
    """A GPU. memory: bytes of its own; 0 if it is not known or shared with the processor."""

    vendor: str
    name: str
    memory: float = 0.0


def gpus(root: Path = Path("/")) -> list[Gpu]:
    """The GPUs. On a Mac the chip's own alone; elsewhere NVIDIA's as ``nvidia-smi`` lists them, or else its device
    files (memory 0), then those with a render node in ``/sys``, without NVIDIA's if there were any before. root: of
    the file system, for tests.
    """
    if sys.platform == "darwin":
        return [Gpu("Apple", "Apple GPU")]
    found = nvidia_cards() or _driven_by_nvidia(root)
    others = [gpu for gpu in _listed(root) if not (found and gpu.vendor == "NVIDIA")]
    return [*found, *others]


def nvidia_cards() -> list[Gpu]:
    """The cards that ``nvidia-smi`` lists; none if it is missing, fails, or does not answer within ten seconds."""
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
    """NVIDIA's devices without ``nvidia-smi``, as a container may have them."""
    count = len(list((root / "dev").glob("nvidia[0-9]*")))
    return [Gpu("NVIDIA", "NVIDIA GPU")] * count


def _listed(root: Path) -> list[Gpu]:
    """The cards of NVIDIA, AMD and Intel that the kernel lists with a render node (on which a program can compute),
    in the order of their names; memory in bytes where the driver tells it (AMD), else 0.
    """
    found = []
    for node in sorted((root / "sys/class/drm").glob("renderD*")):
        vendor = _VENDORS.get(_text(node / "device/vendor"), "")
        own = _text(node / "device/mem_info_vram_total")  # of AMD's driver alone
        if vendor:
            found.append(Gpu(vendor, f"{vendor} GPU", float(own) if own.isdecimal() else 0.0))
    return found


def _text(path: Path) -> str:
    """A file's text without blanks around it; empty if it cannot be read or is not ASCII."""
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


class Verdict(NamedTuple):
    """The finding of ``doctor`` about llama.cpp's library. remedy: empty if all is well."""

    text: str
    remedy: str = ""


def pull(name: str) -> None:
    """Fetch a build of llama.cpp (network, npm) and say on standard error which, its size, and the devices it sees,
    with advice if a build for GPUs sees none.

    name: ``llama.cpp`` or ``llama.cpp:KIND``. Raises ``UsageError`` if this system has no such build, or npm is
    missing, and errors of the download.
    """
    from editd.frontends.cli.console import say

    build = _build_of(name.partition(":")[2])
    say(
        f"{NAME} for {build.kind}: {gigabytes(build.nbytes)}, the npm package {SCOPE}/{build.package}."
    )
    fetching.npm()
    seen = _fetch(build)
    used = ", ".join(_gpu(*gpu) for gpu in seen.gpus) or "no GPU"
    part = f", the processor's part {seen.processor}" if seen.processor else ""
    say(f"It is in {Path(seen.path).parent} and sees {used}{part}.")
    say("A model that is in memory keeps its library until `editd stop`.")
    if build.kind != "cpu" and not seen.gpus:
        say(_no_device(build.kind))


def engine_advice(device: str) -> Verdict:
    """The engine that this machine should have for GGUF files, in words; runs ``nvidia-smi`` and loads no engine.
    device: the setting ``model.device``.

    llama.cpp if there is a GPU worth using and ``device`` is not ``cpu``, or the processor has no VNNI (fast
    multiplication of bytes); else OpenVINO. Only if that is not installed, the remedy is the command that installs
    it; else it is empty.
    """
    from editd.models.engines import GAIN as OPENVINO_GAIN

    worth = [gpu for gpu in gpus() if _is_worth_it(gpu) or gpu.vendor == "Apple"]
    if worth and device != "cpu":
        return Verdict(
            f"llama.cpp, which computes on a GPU ({', '.join(gpu.name for gpu in worth)})"
        )
    if not has_fast_bytes():
        return Verdict("llama.cpp: this processor has no VNNI, without which OpenVINO is no faster")
    if is_openvino_installed():
        return Verdict(
            "OpenVINO, which is installed, or llama.cpp, as measured for each model by editd setup"
        )
    text = f"OpenVINO, which reads Llama, Qwen 2 and 3 and Granite {OPENVINO_GAIN} as fast on this processor (it has VNNI)"
    return Verdict(text, f"{with_extra('openvino')}; then editd setup")


def has_fast_bytes() -> bool:
    """Whether the processor has VNNI, by which OpenVINO is fast."""
    from editd.models.machine import multiplies_bytes

    return multiplies_bytes()


def to_offer() -> tuple[Build, str] | None:
    """The build of llama.cpp that suits this machine better than the present one (``suited``), and why; ``None`` if
    there is none, the user set a library of his own by the environment, or the build installed last is of this kind
    or CUDA's. Asks ``nvidia-smi``, and may load CUDA's libraries.
    """
    found = gpus()
    build = suited(found)
    if build is None or os.environ.get(PATH_VARIABLE) or installed_kind() in (build.kind, "cuda"):
        return None
    if build.kind == "cpu":
        return build, f"reads prompts {GAIN} as fast on this processor"
    return build, f"uses the {', '.join(gpu.name for gpu in found if _is_worth_it(gpu))}"


def suited(found: list[Gpu]) -> Build | None:
    """The build of llama.cpp for the GPUs ``found``: CUDA's if one is NVIDIA's and CUDA's libraries can be loaded,
    else Vulkan's if one is worth using (NVIDIA's, or with 2 GB of its own).

    Else the one for this processor, or ``None`` if the wheel's library is as good on it (``_outdoes_avx2``);
    ``None`` also if this system has no such build.
    """
    builds = available_builds()
    worth = [gpu for gpu in found if _is_worth_it(gpu)]
    if any(gpu.vendor == "NVIDIA" for gpu in worth) and "cuda" in builds and _has_cuda():
        return builds["cuda"]
    if worth and "vulkan" in builds:
        return builds["vulkan"]
    return builds.get("cpu") if _outdoes_avx2() else None


def idle_gpus() -> list[str]:
    """The GPUs that are worth using, for a model that computes on the processor."""
    return [_gpu(gpu.name, gpu.memory) for gpu in gpus() if _is_worth_it(gpu)]


def verdict(device: str) -> Verdict:
    """Judge llama.cpp's library with ``device``, the setting ``model.device``: the text names the device that it
    uses, and GPUs that lie idle; the remedy, else empty, how to use them, or a better build. Loads the library in a
    process of its own.

    Raises ``ModelUnsupported`` for a library that does not work.
    """
    seen, found = probe_library(), gpus()
    part = f", {seen.processor}" if seen.processor else ""
    if seen.gpus and device != "cpu":
        return Verdict(f"{seen.title}{part}, uses {', '.join(_gpu(*gpu) for gpu in seen.gpus)}")
    text = f"{seen.title}{part}, uses the processor"
    if seen.gpus:
        return Verdict(f"{text}, since model.device is cpu")
    idle = idle_gpus()
    if not idle:
        others = [gpu.name for gpu in found if gpu.vendor != "Apple"]
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
    """The commands that fetch a build and put it to use."""
    return f"editd models pull {NAME}:{build.kind} ({gigabytes(build.nbytes)}), then editd stop"


def _build_of(kind: str) -> Build:
    """The build of a kind; for an empty ``kind`` the one that suits this machine, else the first. Raises
    ``UsageError`` if this system has no builds, or none of that kind.
    """
    builds = available_builds()
    if not builds:
        raise UsageError(f"There is no build of {NAME} for this system: {_OWN_BUILD}.")
    if not kind:
        return suited(gpus()) or next(iter(builds.values()))
    if kind not in builds:
        known = ", ".join(f"{NAME}:{known_kind}" for known_kind in builds)
        raise UsageError(f"{NAME}:{kind} is no build for this system; there is {known}.")
    return builds[kind]


def _fetch(build: Build) -> ProbedLibrary:
    """Download and install a build of llama.cpp, with a progress bar on standard error; returns the library with the
    devices that it sees. Raises what the download raises.
    """
    from editd.frontends.cli.console import progress_bar

    with progress_bar() as report:
        return fetching.fetch(build, lambda done: report("downloading", done / build.nbytes))


def _no_device(kind: str) -> str:
    """A sentence on why a build for GPUs sees none, and what to install. kind: ``cuda``; all others get that about
    Vulkan.
    """
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
    """A GPU's name with its memory."""
    return f"{name} ({gigabytes(nbytes)})" if nbytes else name


def _is_worth_it(gpu: Gpu) -> bool:
    """Whether an unused GPU is worth naming: one of NVIDIA's, or with ``_WORTH`` bytes of its own.

    A Mac's usual library has Metal, so its GPU is never idle.
    """
    return gpu.vendor == "NVIDIA" or gpu.memory >= _WORTH


def _has_cuda() -> bool:
    """Whether CUDA's libraries can be loaded; loads them into this process."""
    try:
        for name in _CUDA:
            ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _outdoes_avx2() -> bool:
    """Whether a llama.cpp library is installed, and the processor has AVX-512 or AVX-VNNI, which the wheels' library, built
    for AVX2, does not use. False without ``/proc/cpuinfo``, so everywhere but on Linux.
    """
    try:
        known = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return is_library_installed() and bool(re.search(r"\b(avx512f|avx_vnni)\b", known))
