"""What the daemon has in memory: its models and its projects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model that the daemon holds or is loading.

    memory_bytes: weights and caches. kv_bytes, kv_limit_bytes: keys and values, and the most that
    they may take; 0: what the machine has. exactness: as in ``Stats``. runs: how passes are run, for
    a person.
    """

    name: str
    state: Literal["loading", "ready"]
    device: str = ""
    dtype: str = ""
    parameters: int = 0
    memory_bytes: int = 0
    fraction: float | None = None  # of loading
    kv_bytes: int = 0
    kv_limit_bytes: int = 0
    exactness: str = ""
    runs: str = ""


WorkspaceState = Literal["refused", "building", "ready", "failed", "closed"]


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """A project whose files are drafted from, without their names. ``message``: for the user."""

    root: str
    state: WorkspaceState
    files: int = 0
    tokens: int = 0
    memory_bytes: int = 0
    message: str = ""
