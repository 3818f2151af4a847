"""Estimates the memory that a GGUF file takes on this machine, from its header, before anything is loaded.

Knows sizes and llama.cpp's devices. As many layers as fit go to accelerators; the rest runs on the CPU. The size of a
cache is measured once the file is loaded (``target``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editd.errors import ConfigError
from editd.models.llama_cpp.header import described_folder, shape
from editd.models.llama_cpp.library import Device, load_library
from editd.models.llama_cpp.weights import check_file, parts_of
from editd.models.machine import EDIT_TOKENS, Report, free_memory, too_little
from editd.stores.hub import expand_home

ALL_LAYERS = 999
STATES = 2
"""Recurrent states in a context: the current one, and the one before the last pass."""
_HALF, _WHOLE = 2, 4  # bytes of a number: of a key or value, of a recurrent state
_WORKSPACE = 128 << 20  # activations, logits and llama.cpp's own
_TO_FULL_STEPS = 512  # tokens by which a cache is larger than what was asked for
_LARGEST_LOGITS = 64 << 20  # bytes that the logits of the widest pass may take
# Which layers attend, where a header does not say: each fourth one.
_DELTA_NETS, _ATTENDS = {"qwen3next", "qwen35", "qwen35moe"}, 4
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
    """A GGUF file's memory in bytes, and where its layers go.

    kv_bytes_per_token: in half precision.
    free_bytes: of main memory.
    devices: the accelerators used.
    layers_on_gpu: ``ALL_LAYERS`` for all.
    limit_bytes: the user's limit; ``None`` for none.
    attending: number of layers with keys and values; 0 for all.
    states_bytes: of the recurrent states in a context.
    """

    file: Path
    weights_bytes: int
    kv_bytes_per_token: int
    context_length: int
    layers: int
    free_bytes: int  # RAM
    devices: tuple[Device, ...] = ()
    layers_on_gpu: int = 0
    limit_bytes: int | None = None
    attending: int = 0
    states_bytes: int = 0

    @property
    def needed_bytes(self) -> int:
        """Weights, the cache of a usual edit, and working space."""
        tokens = min(EDIT_TOKENS, self.context_length)
        return self._fixed_bytes + tokens * self.kv_bytes_per_token

    @property
    def _fixed_bytes(self) -> int:
        """Bytes of everything but keys and values."""
        return self.weights_bytes + self.states_bytes + _WORKSPACE

    @property
    def needed_on_cpu(self) -> int:
        """The share of ``needed_bytes`` that is in main memory: all of it if a device shares that,
        working space alone if all layers are on devices, else by the number of layers.
        """
        if any(device.shared for device in self.devices):
            return self.needed_bytes
        if self.layers_on_gpu >= self.layers:
            return _WORKSPACE
        return self.needed_bytes * (self.layers - self.layers_on_gpu) // max(self.layers, 1)

    @property
    def context(self) -> int:
        """The most tokens of prompt and answer that fit into the free memory of the devices, and of
        the CPU if it has layers, within the user's limit; from 0 to ``longest``.
        """
        free = sum(device.free for device in self.devices)
        if self.layers_on_gpu < self.layers:
            free += self.free_bytes
        if self.limit_bytes is not None:
            free = min(free, self.limit_bytes)
        left = free - self._fixed_bytes
        return max(0, min(self.longest, left // max(self.kv_bytes_per_token, 1)))

    @property
    def longest(self) -> int:
        """The most tokens for which a layer's keys, or its values, are one tensor that every device
        can hold; at most the model's context.
        """
        attending = max(self.attending or self.layers, 1)
        layer_bytes = max(self.kv_bytes_per_token // (2 * attending), 1)
        limits = [device.largest // layer_bytes for device in self.devices if device.largest]
        return min([self.context_length, *(limit - _TO_FULL_STEPS for limit in limits)])

    @property
    def location(self) -> str:
        """The devices, for a person: ``CUDA0``, ``CUDA0, 20 of 32 layers``, or ``cpu`` if there are
        none.
        """
        if not self.devices:
            return "cpu"
        names = "+".join(device.name for device in self.devices)
        if self.layers_on_gpu >= self.layers:
            return names
        return f"{names}, {self.layers_on_gpu} of {self.layers} layers"

    def refusal(self) -> str:
        """Why the file does not fit; empty if it does."""
        name = self.file.name
        return too_little(name, self.needed_on_cpu, self.free_bytes) or too_little(
            name, self.needed_bytes, self.needed_bytes, self.limit_bytes
        )


def placement_of(file: Path, device: str, *, most_bytes: int | None = None) -> Placement:
    """The placement of ``file`` if it were loaded now; loads llama.cpp's library to ask for
    devices, but not the file, whose header is described in the user's cache (``described_folder``).

    device: as ``model.device``. most_bytes: the user's limit. Raises ``ModelNotFound``,
    ``ModelDamaged`` or ``ModelUnsupported`` for the file or the library, ``ConfigError`` for a
    device that this machine lacks.
    """
    check_file(file)
    header = shape(described_folder(file))
    layers = int(header.get("block_count", 0))
    heads = _heads_by_layer(header, layers)
    plan = Placement(
        file=file,
        weights_bytes=sum(part.stat().st_size for part in parts_of(file)),
        kv_bytes_per_token=_kv_bytes(header, heads),
        context_length=int(header.get("context_length", 0)) or 1 << 17,
        layers=layers,
        free_bytes=free_memory(),
        limit_bytes=most_bytes,
        attending=sum(map(bool, heads)),
        states_bytes=STATES * _state_bytes(header, heads),
    )
    return place_layers(plan, choose_devices(device, load_library().devices()))


def place_layers(plan: Placement, devices: tuple[Device, ...]) -> Placement:
    """``plan`` with all layers on ``devices`` if they fit, else as many as do, every layer taken to
    need the same share of the memory; unchanged if there are no devices or not a single layer fits.

    A fixed working space is left free on each device.
    """
    if not devices:
        return plan
    free = sum(max(0, device.free - _WORKSPACE) for device in devices)
    if plan.needed_bytes <= free:
        return replace(plan, devices=devices, layers_on_gpu=ALL_LAYERS)
    layers = free * plan.layers // plan.needed_bytes
    return replace(plan, devices=devices, layers_on_gpu=layers) if layers else plan


def choose_devices(setting: str, available: list[Device]) -> tuple[Device, ...]:
    """The accelerators that ``model.device`` selects, in the order of ``available``; none for
    ``cpu``.

    ``auto`` selects those with a memory of their own, or else those that share the processor's,
    maybe none. ``cuda`` and other kinds may have an index (``cuda:1``). Raises ``ConfigError`` if a
    kind or index other than ``auto`` matches none.
    """
    if setting == "cpu":
        return ()
    kind, _, index = setting.partition(":")
    if kind == "auto" and not all(device.shared for device in available):
        available = [device for device in available if not device.shared]
    named = [
        device
        for device in available
        if kind == "auto" or device.name.startswith(_NAMES.get(kind, ()))
    ]
    if index:
        named = [device for device in named if re.fullmatch(rf"\D*{index}", device.name)]
    if kind == "auto" or named:
        return tuple(named)
    known = ", ".join(device.name for device in available) or "none but the CPU"
    raise ConfigError(
        f"model.device is {setting}, and this llama.cpp sees {known}: set model.device to auto, or see "
        "`editd doctor`; `editd models pull llama.cpp` fetches a build for this machine's GPU."
    )


def widest_pass(vocab_size: int) -> int:
    """Rows of the widest pass, so that its logits fit into memory."""
    rows = _LARGEST_LOGITS // (4 * vocab_size) // 32 * 32
    return min(max(rows, 128), 512)


def _heads_by_layer(header: dict[str, Any], layers: int) -> list[int]:
    """The number of heads of keys and values of each layer; 0 for a layer that keeps a recurrent
    state alone, or nothing.

    By the header's list, whatever ``layers`` says; else by its interval: each layer whose number,
    from 1, is a multiple of it has heads.
    """
    heads = header.get("attention.head_count_kv", header.get("attention.head_count", 1))
    if isinstance(heads, list):
        return [int(count) for count in heads]
    usual = _ATTENDS if header.get("architecture") in _DELTA_NETS else 1
    interval = max(int(header.get("full_attention_interval", usual)), 1)
    return [0 if (layer + 1) % interval else int(heads) for layer in range(layers)]


def _kv_bytes(header: dict[str, Any], heads: list[int]) -> int:
    """Bytes of a token's keys and values over all layers, in half precision. heads: as
    ``_heads_by_layer``.
    """
    query_heads = header.get("attention.head_count", 1)
    width = int(header.get("embedding_length", 0)) // max(_most(query_heads), 1)
    numbers = int(header.get("attention.key_length", width))
    numbers += int(header.get("attention.value_length", width))
    return _HALF * sum(heads) * numbers


def _state_bytes(header: dict[str, Any], heads: list[int]) -> int:
    """Bytes of one recurrent state over all layers that keep one, by the header's sizes for each
    kind of layer; 0 for a model without.

    heads: as ``_heads_by_layer``; layers with 0 keep it, but for those that are an MLP alone, or
    all layers if that leaves none.
    """

    def number(name: str) -> int:
        return _most(header.get(name, 0))

    width, convolved = number("embedding_length"), max(number("ssm.conv_kernel") - 1, 0)
    inner, size = number("ssm.inner_size"), number("ssm.state_size")
    head = number("kda.head_dim")  # Kimi's delta net
    numbers = convolved * (inner + 2 * number("ssm.group_count") * size) + inner * size
    numbers += number("attention.head_count") * head * (3 * convolved + head)
    numbers += max(number("shortconv.l_cache") - 1, 0) * width
    if wide := number("wkv.head_size"):  # RWKV: of the last token, and of all
        numbers += 2 * width + width * wide
    keeping = [layer for layer, count in enumerate(heads) if not count]
    if isinstance(own := header.get("feed_forward_length"), list) and _has_layers_for_mlps(header):
        keeping = [layer for layer in keeping if not own[layer]]
    # Where all layers attend and there is a state, each has both.
    return _WHOLE * numbers * (len(keeping) or len(heads))


def _has_layers_for_mlps(header: dict[str, Any]) -> bool:
    """Whether layers without attention can be MLPs, which keep no state."""
    return str(header.get("architecture", "")).startswith("nemotron_h")


def _most(value: Any) -> int:
    """The largest of a list, or the number itself."""
    return max(value) if isinstance(value, list) else int(value)


def plan_file(name: str, file: Path | str, device: str) -> Report:
    """The memory plan of ``file``. name: for users."""
    plan = placement_of(expand_home(file), device)
    return Report(
        name=name,
        runs=f"on llama.cpp ({plan.location})",
        refusal=plan.refusal(),
        weights_bytes=plan.weights_bytes,
        needed_bytes=plan.needed_bytes,
        context=plan.context,
    )
