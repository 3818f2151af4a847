"""What a user may set, as frozen dataclasses. Reading files and environments is ``settings``' work.

A leaf: imports nothing of editd's. Every default here is the documented one.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Which model, where, and how it may be loaded.

    name: a folder, a hub id that was pulled, or ``embedded``. device: ``auto``, ``cpu``, ``cuda``,
    ``cuda:1``, ``mps``. dtype: ``auto``, ``float32``, ``bfloat16``, ``float16``, ``float64``.
    max_context: cap in tokens, 0 for the model's own.
    """

    name: str = "embedded"
    draft: str = ""
    device: str = "auto"
    dtype: str = "auto"
    max_context: int = 0
    allow_remote_code: bool = False
    threads: int = 0  # CPU threads, 0: chosen


@dataclass(frozen=True, slots=True)
class DecodeConfig:
    """How answers are decoded. ``temperature`` 0 is greedy; the rest as in ``target.Sampling``."""

    drafter: str = "buffer"
    window: int = 0  # most draft tokens a round; 0: chosen
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int = 0
    max_new_tokens: int = 0  # 0: as the buffer's size suggests
    timeout: float = 0.0  # seconds, 0: none


@dataclass(frozen=True, slots=True)
class DaemonConfig:
    """How the daemon behaves. Times in seconds, sizes in MiB."""

    unload_after: float = 900.0  # free the model's memory after so much idle time; 0: never
    exit_after: float = 0.0  # leave after so much idle time; 0: never
    memory: int = 0  # most MiB for models and caches; 0: chosen from what the machine has
    delta_interval: float = 0.03  # at most one delta an edit in this time, the first at once
    log_level: str = "info"


@dataclass(frozen=True, slots=True)
class EditConfig:
    """How edits are told and judged. ``presets``: named instructions."""

    context_lines: int = 200  # shown on each side of a region when the buffer does not fit
    allow_suspect: bool = False
    presets: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one process."""

    model: ModelConfig = ModelConfig()
    decode: DecodeConfig = DecodeConfig()
    daemon: DaemonConfig = DaemonConfig()
    edit: EditConfig = EditConfig()
