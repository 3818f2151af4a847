"""The messages between the daemon and the engine's process.

The daemon gives orders, the engine reports; each is a frame of two lengths, a small header, and a
body that is passed on unchanged. Both ends belong to one program and start together, so there are no
versions and no checks.
"""

from __future__ import annotations

import struct
from dataclasses import asdict, dataclass, fields
from typing import Any

import msgpack

from editd.config import Config
from editd.daemon.envelope import Kind
from editd.daemon.framing import Packed
from editd.messages import TraceSummary

# An engine that works and has said nothing for so long is ended. The longest honest silence is that
# of a library that loads a model without a word: 40 GB from a disk of 200 MB/s take 200 seconds.
SILENT_SECONDS = 300.0

LENGTHS = struct.Struct(">II")  # of the header and of the body


# --- orders --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Open:
    """The first order, with the configuration."""

    config: Config


@dataclass(frozen=True, slots=True)
class Work:
    """Work on this job from now on. The first time with its request: type, id, msgpack bytes."""

    key: int
    request_type: str = ""
    request_id: str = ""
    body: Packed = b""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Cancel this job, which then answers. No effect if it has answered."""

    key: int
    reason: str


@dataclass(frozen=True, slots=True)
class Rest:
    """The queue is empty: prepare for the next request."""


# --- reports -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JobMessage:
    """A message of a job, for its client. outcome, code: of its last one, how it ended and of its error, or empty."""

    key: int
    kind: Kind
    body: Packed
    outcome: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A unit of this job ended in the middle of work that needs no model: whose turn is it?"""

    key: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The engine's status, also as a sign of life.

    body: a ``StatusReport`` with the engine's fields.
    """

    body: Packed


@dataclass(frozen=True, slots=True)
class Traced:
    """The trace of a finished edit. ``body``: an ``Explained`` with its ``Trace``."""

    summary: TraceSummary
    body: Packed


@dataclass(frozen=True, slots=True)
class Logged:
    """A line for the log."""

    name: str
    level: int
    text: str


Order = Open | Work | Cancel | Rest
Report = JobMessage | Prepared | Snapshot | Traced | Logged

_TYPES: tuple[type[Any], ...] = (
    *(Open, Work, Cancel, Rest),
    *(JobMessage, Prepared, Snapshot, Traced, Logged),
)
_NUMBERS = {cls: number for number, cls in enumerate(_TYPES)}
_NAMES = {cls: [f.name for f in fields(cls) if f.name != "body"] for cls in _TYPES}


def encode(message: Order | Report) -> tuple[bytes, Packed]:
    """Lengths and header, and the body; together they are the frame."""
    cls = type(message)
    header = [_NUMBERS[cls]]
    header += [getattr(message, name) for name in _NAMES[cls]]
    # A path, or a sentence with one, need not be text.
    packed: bytes = msgpack.packb(header, default=asdict, unicode_errors="surrogatepass")
    body: Packed = getattr(message, "body", b"")
    return LENGTHS.pack(len(packed), len(body)) + packed, body


def decode(header: Packed, body: Packed) -> Any:
    """The order or report of this header and this body."""
    number, *values = msgpack.unpackb(header, unicode_errors="surrogatepass")
    cls = _TYPES[number]
    if cls is Open:
        return Open(_config(values[0]))
    if cls is Traced:
        return Traced(TraceSummary(**values[0]), body)
    told = dict(zip(_NAMES[cls], values, strict=True))
    return cls(**told, body=body) if "body" in cls.__slots__ else cls(**told)


def _config(sections: dict[str, dict[str, Any]]) -> Config:
    default = Config()
    return Config(
        **{name: type(getattr(default, name))(**values) for name, values in sections.items()}
    )
