"""Messages that open and end a conversation, and the errors of any request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PROTOCOL_VERSION = 6

Stage = Literal["queued", "loading", "prefill", "decoding"]


@dataclass(frozen=True, slots=True)
class Hello:
    """Opens a conversation."""

    version: int
    client: str  # "cli", "lsp", a test's name: for logs and status
    pid: int


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to ``Hello``."""

    version: int
    editd_version: str
    pid: int


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Stop the edit, completion or warm-up ``request_id``; its own final answer says ``cancelled``."""

    request_id: str


@dataclass(frozen=True, slots=True)
class StopRequest:
    """Exit: at once if ``force``, else when running edits have ended."""

    request_id: str
    force: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an edit before its first hunk; ``message`` is for a person."""

    request_id: str
    stage: Stage
    message: str
    fraction: float | None = None
    queue_position: int | None = None  # 0: this one is decoding


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An ``EditdError`` on its way to another process."""

    code: str  # EditdError.code
    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """The answer to a request without a result."""

    request_id: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer to a request that is not an edit and went wrong, or that could not be read."""

    request_id: str
    error: ErrorInfo
