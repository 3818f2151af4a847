"""What the daemon reads of the messages that it passes on: the little that turns and queues need.

A request goes to the engine and its answers to the client as the bytes that they came as. Also
here: the answers that the daemon, or the engine's process, has to give in a job's place.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Literal, get_args

import msgpack

from editd.daemon import framing
from editd.diff.hunk import Hunk
from editd.errors import (
    DaemonUnreachable,
    EditdError,
    EditFailed,
    EditRefused,
    ProtocolError,
    as_out_of_memory,
)
from editd.messages import (
    CompleteResult,
    Delta,
    EditResult,
    ErrorInfo,
    Explained,
    Failed,
    MessageError,
    ModelStatus,
    Priority,
    Progress,
    ServerMessage,
    TextDelta,
)

Kind = Literal["progress", "open", "delta", "final"]
"""``open``: a delta that the next delta of its edit says again, grown: a hunk that is not done."""

_JOBS = ("EditRequest", "CompleteRequest", "WarmupRequest")
_NAMES = {name.encode(): name for name in ("type", "request_id", "priority", "document")}
_MAPS = {*range(0x80, 0x90), 0xDE, 0xDF}
_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8}  # nil, booleans, floats: bytes after the tag
_FIXED |= {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}  # integers
# Bytes of the count, and values for each counted: bytes and texts have none.
_COUNTED = {0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0)}
_COUNTED |= {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}  # arrays and maps
_LARGE = 1 << 18  # bytes: so many may be values that take long to count
_OBJECT_BYTES = 1024  # roughly what a request takes besides its bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """An edit, a completion or a warm-up on its way to the engine. ``body``: its msgpack bytes.

    type: the name of its class in ``messages``.
    """

    type: str
    request_id: str
    priority: Priority
    document: str
    body: bytes

    @property
    def size(self) -> int:
        """The memory that it holds while it waits, in bytes."""
        return len(self.body) + _OBJECT_BYTES

    @classmethod
    async def arriving(cls, body: bytes) -> Asked | None:
        """As ``read``, beside whatever else the loop does if that could take long."""
        return await asyncio.to_thread(cls.read, body) if len(body) > _LARGE else cls.read(body)

    @classmethod
    def read(cls, body: bytes) -> Asked | None:
        """What ``body`` asks, ``None`` if it is another message; its text is skipped, not decoded.

        Raises ``MessageError`` for what cannot be a message.
        """
        try:
            found = _fields(body)
        except (IndexError, KeyError, ValueError) as error:
            raise MessageError("not a message of editd") from error
        if found.get("type") not in _JOBS:
            return None
        default = "warmup" if found["type"] == "WarmupRequest" else "interactive"
        asked = cls(
            found["type"],
            found.get("request_id", ""),
            found.get("priority", default),
            found.get("document", ""),
            body,
        )
        if (
            not isinstance(asked.request_id, str)
            or asked.priority not in get_args(Priority)
            or not isinstance(asked.document, str)
        ):
            raise MessageError("not a request of editd")
        return asked


@dataclass(frozen=True, slots=True)
class Told:
    """A message on its way to a client. ``body``: its msgpack bytes."""

    request_id: str
    kind: Kind
    body: bytes

    @classmethod
    def of(cls, message: ServerMessage) -> Told:
        """``message``, or what says why it cannot be sent."""
        request_id = getattr(message, "request_id", "")
        kind: Kind = "final"
        match message:
            case Progress():
                kind = "progress"
            case Delta(ops=ops):
                kind = (
                    "open" if all(isinstance(op, Hunk) and not op.done for op in ops) else "delta"
                )
            case TextDelta():
                kind = "delta"
        try:
            body = framing.packed(message)
        except EditRefused as error:
            body = framing.packed(_unsent(message, EditFailed(str(error))))
        except (ValueError, TypeError, OverflowError):
            sentence = "A defect of editd made its answer unreadable: see `editd logs`."
            body = framing.packed(_unsent(message, EditFailed(sentence)))
        return cls(request_id, kind, body)


def _fields(body: bytes) -> dict[str, Any]:
    """The fields of ``_NAMES`` in a msgpack map.

    What is not read is jumped over: msgpack's own unpacker would copy all of it first.
    """
    found: dict[str, Any] = {}
    num_fields, at = _head(body, 0)
    if body[0] not in _MAPS:
        raise ValueError("not a map")
    for _ in range(num_fields // 2):
        name_at, at = at, _after(body, at)
        value_at, at = at, _after(body, at)
        if at > len(body):
            raise IndexError
        name = body[name_at + 1 : value_at]
        if name in _NAMES:
            found[_NAMES[name]] = msgpack.unpackb(body[value_at:at])
    if at != len(body):
        raise ValueError("more than a map")
    return found


def _after(body: bytes, at: int) -> int:
    """Where the value that begins at ``at`` ends."""
    pending = 1
    while pending:
        inside, at = _head(body, at)
        pending += inside - 1
    return at


def _head(body: bytes, at: int) -> tuple[int, int]:
    """How many values are inside of the one that begins at ``at``, and where they begin.

    For a value without values inside: where it ends. (The msgpack specification, "formats".)
    """
    tag = body[at]
    if tag < 0x80 or tag >= 0xE0:  # a small integer
        return 0, at + 1
    if tag < 0xA0:  # a small map or array
        return (tag & 15) * (1 if tag & 16 else 2), at + 1
    if tag < 0xC0:  # a short text
        return 0, at + 1 + (tag & 31)
    if tag in _FIXED:
        return 0, at + 1 + _FIXED[tag]
    width, values = _COUNTED[tag]
    count = int.from_bytes(body[at + 1 : at + 1 + width], "big")
    begins = at + 1 + width
    return (count * values, begins) if values else (0, begins + count)


def outcome_of(answer: ServerMessage) -> str:
    """How a request ended, in a word for the log."""
    if isinstance(answer, EditResult | CompleteResult):
        return answer.finish_reason
    return type(answer).__name__


def failure(request_type: str, request_id: str, error: BaseException) -> ServerMessage:
    """The final answer of a request that ends with ``error``.

    What is no ``EditdError`` may quote anything, and its message stays here.
    """
    if isinstance(error, MessageError):
        return Failed(request_id, ErrorInfo(ProtocolError.code, str(error)))
    if not isinstance(error, EditdError):
        error = as_out_of_memory(error) or error
    if not isinstance(error, EditdError):
        kind = type(error).__name__
        error = EditFailed(f"A defect of editd ended this edit ({kind}): see `editd logs`.")
    info = ErrorInfo(error.code, str(error))
    if request_type != "EditRequest" or isinstance(error, DaemonUnreachable):
        return Failed(request_id, info)
    return EditResult(request_id, error.finish_reason, error=info)


def loading_sentence(status: ModelStatus) -> str:
    """What a person is told while a model loads."""
    percent = "" if status.fraction is None else f" ({status.fraction:.0%})"
    return f"loading {status.name}{percent}"


def _unsent(message: ServerMessage, error: EditFailed) -> ServerMessage:
    """What is sent instead of ``message``."""
    request_id = getattr(message, "request_id", "")
    if isinstance(message, Delta):  # its edit's result cannot be sent either, and says so
        return Delta(request_id, message.seq, ())
    if isinstance(message, CompleteResult | Explained):
        return Failed(request_id, ErrorInfo(error.code, str(error)))
    return failure("EditRequest", request_id, error)
