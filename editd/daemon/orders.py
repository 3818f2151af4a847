"""Orders of the daemon to the engine's process, that process's reports, and both as the heads and bodies of frames.

Both ends belong to one program and start together, so no version is sent and nothing is checked.
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
    """The first order to a new engine process, with the configuration for all its jobs."""

    config: Config


@dataclass(frozen=True, slots=True)
class ContinueJob:
    """The order to compute the next units of job ``key``, which has begun; no effect if the job has ended."""

    key: int


@dataclass(frozen=True, slots=True)
class CancelJob:
    """The order to end job ``key`` with the answer ``cancelled``; no effect if the job has ended.

    reason: the sentence of that answer.
    """

    key: int
    reason: str


@dataclass(frozen=True, slots=True)
class DoIdleWork:
    """The order to prepare for the next request, given when the queue is empty."""


@dataclass(frozen=True, slots=True)
class StillPreparing:
    """The report that a unit of job ``key`` ended in work that needs no model: the daemon may give another client a turn."""

    key: int


@dataclass(frozen=True, slots=True)
class StatusSnapshot:
    """The report of the engine's status, sent on changes and as a sign of life.

    body: a ``StatusReport``, of which only the engine's fields are filled.
    """

    body: Packed


@dataclass(frozen=True, slots=True)
class TraceReport:
    """The report of a finished edit's trace. ``body``: an ``Explained`` with the ``Trace``."""

    summary: TraceSummary
    body: Packed


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that the daemon writes to its log. ``name``: of the logger. ``level``: as in ``logging``."""

    name: str
    level: int
    text: str


Order = Configure | QueuedRequest | ContinueJob | CancelJob | DoIdleWork
"""``QueuedRequest`` is the order to begin a job."""
Report = OutgoingMessage | StillPreparing | StatusSnapshot | TraceReport | LogLine

_CLASSES: tuple[type[Any], ...] = (*get_args(Order), *get_args(Report))
_NUMBERS = {cls: number for number, cls in enumerate(_CLASSES)}
_HEAD_FIELDS = {cls: [f.name for f in fields(cls) if f.name != "body"] for cls in _CLASSES}


def encode_order(message: Order | Report) -> tuple[bytes, Packed]:
    """Head and body of the frame of an order or report. The body is the message's own ``body``, or empty."""
    cls = type(message)
    values = [_NUMBERS[cls], *(getattr(message, name) for name in _HEAD_FIELDS[cls])]
    # A path, or a sentence with one, need not be text.
    head: bytes = msgpack.packb(values, default=asdict, unicode_errors="surrogatepass")
    return head, getattr(message, "body", b"")


def decode_order(head: Packed, body: Packed) -> Any:
    """The ``Order`` or ``Report`` whose frame has this head and body; the inverse of
    ``encode_order``. Bytes that it did not make raise whatever msgpack or the class raises.
    """
    number, *values = msgpack.unpackb(head, unicode_errors="surrogatepass")
    cls = _CLASSES[number]
    if cls is Configure:
        return Configure(_decode_config(values[0]))
    if cls is TraceReport:
        return TraceReport(TraceSummary(**values[0]), body)
    arguments = dict(zip(_HEAD_FIELDS[cls], values, strict=True))
    return cls(**arguments, body=body) if "body" in cls.__slots__ else cls(**arguments)


def _decode_config(sections: dict[str, dict[str, Any]]) -> Config:
    """The configuration that ``dataclasses.asdict`` turned into ``sections``: a dictionary by section and setting."""
    default = Config()
    return Config(
        **{name: type(getattr(default, name))(**values) for name, values in sections.items()}
    )
