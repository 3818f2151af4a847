"""Estimates what a GGUF file needs on this machine, from its header, before anything is loaded; and prints it.

Knows sizes and llama.cpp's devices. As many layers as fit go to accelerators; the rest runs on the CPU.
The size of a cache is measured once the file is loaded (``target``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from editd.errors import ConfigError, OutOfMemory
from editd.models.llama_cpp.header import described, shape
from editd.models.llama_cpp.library import Device, load_library
from editd.models.llama_cpp.weights import check_file, parts_of
from editd.models.plan_report import Report
from editd.stores.hub import expanded

ALL_LAYERS = 999
_HALF = 2  # bytes of a number in the cache
_KV_TOKENS = 4096  # an edit of a usual file
_WORKSPACE = 128 << 20  # activations, logits and llama.cpp's own
_TO_FULL_STEPS = 512  # tokens by which a cache is larger than what was asked for
_LARGEST_LOGITS = 64 << 20  # bytes that the logits of the widest pass may take
# By ``model.device``, how llama.cpp's devices are called.
_NAMES = {
    "cuda": ("CUDA",),
    "mps": ("Metal", "MTL"),
    "metal": ("Metal", "MTL"),
    "vulkan": ("Vulkan",),
    "rocm": ("ROCm", "HIP"),
}


@dataclass(frozen=True, slots=True)
class Placement:
    """Memory in bytes. layers_on_gpu: ``ALL_LAYERS`` for all. devices: the accelerators used."""

    file: Path
    weights_bytes: int
    kv_bytes_per_token: int
    context_length: int
    layers: int
    free_bytes: int  # RAM
    devices: tuple[Device, ...] = ()
    layers_on_gpu: int = 0
    limit_bytes: int | None = None

    @property
    def needed_bytes(self) -> int:
        """Weights, the keys and values of a usual edit, and working space."""
        tokens = min(_KV_TOKENS, self.context_length)
        return self.weights_bytes + tokens * self.kv_bytes_per_token + _WORKSPACE

    @property
    def needed_on_cpu(self) -> int:
        """The share of it that no accelerator takes from a memory of its own."""
        if any(one.shared for one in self.devices):
            return self.needed_bytes
        if self.layers_on_gpu >= self.layers:
            return _WORKSPACE
        return self.needed_bytes * (self.layers - self.layers_on_gpu) // max(self.layers, 1)

    @property
    def context(self) -> int:
        """Tokens of prompt and answer that there is room for."""
        free = sum(one.free for one in self.devices)
        if self.layers_on_gpu < self.layers:
            free += self.free_bytes
        if self.limit_bytes is not None:
            free = min(free, self.limit_bytes)
        left = free - self.weights_bytes - _WORKSPACE
        return max(0, min(self.longest, left // max(self.kv_bytes_per_token, 1)))

    @property
    def longest(self) -> int:
        """Tokens whose keys, or values, of a layer are one tensor that every device can hold."""
        layer_bytes = max(self.kv_bytes_per_token // (2 * max(self.layers, 1)), 1)
        limits = [one.largest // layer_bytes for one in self.devices if one.largest]
        return min([self.context_length, *(limit - _TO_FULL_STEPS for limit in limits)])

    @property
    def where(self) -> str:
        """For a reader: ``CUDA0, 20 of 32 layers``, or ``cpu``."""
        if not self.devices:
            return "cpu"
        names = "+".join(one.name for one in self.devices)
        if self.layers_on_gpu >= self.layers:
            return names
        return f"{names}, {self.layers_on_gpu} of {self.layers} layers"

    def check(self, *, beside: int = 0) -> None:
        """Raise ``OutOfMemory`` where it does not fit. beside: bytes that a draft model takes."""
        free = max(0, self.free_bytes - beside)
        if self.needed_on_cpu > free:
            raise OutOfMemory(
                f"{self.file.name} needs about {_mib(self.needed_on_cpu)} and {_mib(free)} are free: "
                "choose a smaller quantisation, or free some memory."
            )
        if self.limit_bytes is not None and self.needed_bytes > self.limit_bytes:
            raise OutOfMemory(
                f"{self.file.name} needs about {_mib(self.needed_bytes)}, and daemon.memory leaves "
                f"{_mib(self.limit_bytes)}: choose a smaller quantisation, or raise daemon.memory."
            )


def placement_of(file: Path, device: str, *, most_bytes: int | None = None) -> Placement:
    """How ``file`` would be loaded now on ``device`` (``model.device``).

    Raises what is wrong with the file, or ``ConfigError`` for a device that is not here.
    """
    check_file(file)
    found = shape(described(file))
    layers = int(found.get("block_count", 0))
    plan = Placement(
        file=file,
        weights_bytes=sum(part.stat().st_size for part in parts_of(file)),
        kv_bytes_per_token=_kv_bytes(found, layers),
        context_length=int(found.get("context_length", 0)) or 1 << 17,
        layers=layers,
        free_bytes=psutil.virtual_memory().available,
        limit_bytes=most_bytes,
    )
    return placed(plan, chosen(device, load_library().devices()))


def placed(plan: Placement, devices: tuple[Device, ...]) -> Placement:
    """``plan`` with as many layers on ``devices`` as there is room for."""
    if not devices:
        return plan
    free = sum(max(0, one.free - _WORKSPACE) for one in devices)
    if plan.needed_bytes <= free:
        return replace(plan, devices=devices, layers_on_gpu=ALL_LAYERS)
    layers = free * plan.layers // plan.needed_bytes
    return replace(plan, devices=devices, layers_on_gpu=layers) if layers else plan


def chosen(wanted: str, here: list[Device]) -> tuple[Device, ...]:
    """The accelerators that ``model.device`` means; none for the CPU.

    auto: those with a memory of their own, or else those that share the processor's.
    """
    if wanted == "cpu":
        return ()
    kind, _, index = wanted.partition(":")
    if kind == "auto" and not all(one.shared for one in here):
        here = [one for one in here if not one.shared]
    named = [one for one in here if kind == "auto" or one.name.startswith(_NAMES.get(kind, ()))]
    if index:
        named = [one for one in named if re.fullmatch(rf"\D*{index}", one.name)]
    if kind == "auto" or named:
        return tuple(named)
    known = ", ".join(one.name for one in here) or "none but the CPU"
    raise ConfigError(
        f"model.device is {wanted}, and this llama.cpp sees {known}: set model.device to auto, or see "
        "`editd doctor`; `editd models pull llama.cpp` fetches a build for this machine's GPU."
    )


def widest_pass(vocab_size: int) -> int:
    """Rows of the widest pass, whose logits all are in memory."""
    rows = _LARGEST_LOGITS // (4 * vocab_size) // 32 * 32
    return min(max(rows, 128), 512)


def _kv_bytes(found: dict[str, Any], layers: int) -> int:
    """Keys and values of a token over all layers, in half precision."""
    heads = found.get("attention.head_count", 1)
    kv_heads = found.get("attention.head_count_kv", heads)
    width = int(found.get("embedding_length", 0)) // max(_most(heads), 1)
    numbers = int(found.get("attention.key_length", width))
    numbers += int(found.get("attention.value_length", width))
    each = sum(kv_heads) if isinstance(kv_heads, list) else layers * int(kv_heads)
    return _HALF * each * numbers


def _most(value: Any) -> int:
    return max(value) if isinstance(value, list) else int(value)


def _mib(count: int) -> str:
    return f"{count >> 20:,} MiB"


def plan_file(name: str, file: Path | str, device: str, draft_bytes: int) -> Report:
    """The plan of ``file``, which a user calls ``name``. draft_bytes: of a draft model beside it."""
    plan = placement_of(expanded(file), device)
    try:
        plan.check(beside=draft_bytes)
    except OutOfMemory as error:
        return _report(name, plan, draft_bytes, str(error))
    return _report(name, plan, draft_bytes)


def _report(name: str, plan: Placement, draft_bytes: int, refusal: str = "") -> Report:
    needed = plan.needed_bytes + draft_bytes
    return Report(
        name=name,
        runs=f"on llama.cpp ({plan.where})",
        refusal=refusal,
        device="+".join(one.name for one in plan.devices) or "cpu",
        weights_bytes=plan.weights_bytes,
        kv_bytes_per_token=plan.kv_bytes_per_token,
        draft_bytes=draft_bytes,
        needed_bytes=needed,
        free_bytes=plan.free_bytes,
        context=plan.context,
        context_limit=plan.context_length,
        sizes=(
            ("weights", plan.weights_bytes, "as stored in the file"),
            ("KV cache", 1000 * plan.kv_bytes_per_token, "for 1,000 tokens"),
            ("draft model", draft_bytes, ""),
            ("together", needed, "with a usual edit"),
            ("free", plan.free_bytes, "of RAM"),
            *(("free", device.free, f"on {device.name}") for device in plan.devices),
        ),
        rest=[("runs on", f"llama.cpp, {plan.where}")],
        more={
            "runs": "llama.cpp",
            "layers": plan.layers,
            "layers_on_device": min(plan.layers_on_gpu, plan.layers),
        },
    )
