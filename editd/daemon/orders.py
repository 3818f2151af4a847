"""Orders of the daemon to the engine's process, that process's reports, and both as the heads and bodies of frames.

Both ends belong to one program and start together, so there are no versions and no checks.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

import msgpack

from editd.config import Config
from editd.daemon.forwarded import OutgoingMessage, QueuedRequest
from editd.daemon.framing import Packed
from editd.messages.reports import TraceSummary


@dataclass(frozen=True, slots=True)
class Configure:
    """The first order, with the configuration."""

    config: Config


@dataclass(frozen=True, slots=True)
class ContinueJob:
    """Go on with this job."""

    key: int


@dataclass(frozen=True, slots=True)
class CancelJob:
    """Cancel this job, which then answers. No effect if it has answered."""

    key: int
    reason: str


@dataclass(frozen=True, slots=True)
class DoIdleWork:
    """The queue is empty: prepare for the next request."""


@dataclass(frozen=True, slots=True)
class StillPreparing:
    """A unit of this job ended in the middle of work that needs no model: whose turn is it?"""

    key: int


@dataclass(frozen=True, slots=True)
class StatusSnapshot:
    """The engine's status, also as a sign of life.

    body: a ``StatusReport`` with the engine's fields.
    """

    body: Packed


@dataclass(frozen=True, slots=True)
class TraceReport:
    """The trace of a finished edit. ``body``: an ``Explained`` with its ``Trace``."""

    summary: TraceSummary
    body: Packed


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line for the log."""

    name: str
    level: int
    text: str


Order = Configure | QueuedRequest | ContinueJob | CancelJob | DoIdleWork


Report = OutgoingMessage | StillPreparing | StatusSnapshot | TraceReport | LogLine


_TYPES: tuple[type[Any], ...] = (*get_args(Order), *get_args(Report))


_NUMBERS = {cls: number for number, cls in enumerate(_TYPES)}


_NAMES = {cls: [f.name for f in fields(cls) if f.name != "body"] for cls in _TYPES}


def encode_order(message: Order | Report) -> tuple[bytes, Packed]:
    """Head and body of its frame."""
    cls = type(message)
    values = [_NUMBERS[cls], *(getattr(message, name) for name in _NAMES[cls])]
    # A path, or a sentence with one, need not be text.
    head: bytes = msgpack.packb(values, default=asdict, unicode_errors="surrogatepass")
    return head, getattr(message, "body", b"")


def decode_order(head: Packed, body: Packed) -> Any:
    """The order or report of this head and this body."""
    number, *values = msgpack.unpackb(head, unicode_errors="surrogatepass")
    cls = _TYPES[number]
    if cls is Configure:
        return Configure(_config(values[0]))
    if cls is TraceReport:
        return TraceReport(TraceSummary(**values[0]), body)
    told = dict(zip(_NAMES[cls], values, strict=True))
    return cls(**told, body=body) if "body" in cls.__slots__ else cls(**told)


def _config(sections: dict[str, dict[str, Any]]) -> Config:
    default = Config()
    return Config(
        **{name: type(getattr(default, name))(**values) for name, values in sections.items()}
    )
