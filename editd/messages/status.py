"""The status of the daemon, its models and its projects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.messages.stats import Stats


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """Asks for the daemon's status."""

    request_id: str


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model that the daemon holds or is loading.

    memory_bytes: weights and caches. kv_bytes, kv_limit_bytes: keys and values, and the most that
    they may take; 0: what the machine has. exactness: as in ``Stats``. runs: how passes are run, for
    a person. first_answer_seconds, full_speed_seconds: since loading began, until a first round and
    until all passes wanted so far were recorded; ``None``: not yet, or there is nothing to record.
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
    first_answer_seconds: float | None = None
    full_speed_seconds: float | None = None


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


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The answer to a ``StatusRequest``."""

    request_id: str
    state: Literal["idle", "loading", "busy", "stopping"]
    editd_version: str
    pid: int
    uptime_seconds: float
    models: tuple[ModelStatus, ...] = ()
    clients: int = 0
    queue: int = 0
    rss_bytes: int = 0
    message: str = ""
    last_stats: Stats | None = None
    workspaces: tuple[WorkspaceStatus, ...] = ()
