"""What passes through the daemon as bytes, with the few fields of it that are read.

Requests and answers are passed on as the bytes in which they came: their bodies are never unpacked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import msgpack

from editd.daemon import framing
from editd.daemon.failures import stand_in
from editd.daemon.framing import MessageError, Packed
from editd.diff.hunk import Hunk
from editd.errors import (
    EditFailed,
    EditRefused,
)
from editd.messages import (
    Delta,
    JobRequest,
    Priority,
    Progress,
    ServerMessage,
    TextDelta,
)

Kind = Literal["progress", "open", "delta", "final"]
"""``open``: a delta that the next delta of its edit says again, grown: a hunk that is not done."""


_JOBS = ("EditRequest", "CompleteRequest", "WarmupRequest")


_OBJECT_BYTES = 1024  # roughly what a request takes besides its bytes


_LONGEST = 1e9  # seconds that anything is timed


_LONGEST_NAME = 200  # characters of what a client calls its requests: they are in the log


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """A request of a client, for the engine if it is a job. ``body``: its msgpack bytes.

    type: the name of its class in ``messages``. timeout: seconds that its client gives it, 0 being all
    the time there is; ``None``: as the configuration says. key: its name in the engine's process, for which
    it is the order to begin.
    """

    type: str
    request_id: str
    priority: Priority
    document: str
    body: Packed
    timeout: float | None = None
    key: int = 0

    @property
    def size(self) -> int:
        """The memory that it takes while it waits, in bytes."""
        return len(self.body) + _OBJECT_BYTES

    @classmethod
    def of(cls, request: JobRequest) -> QueuedRequest:
        """As ``read``, from a request that is not encoded yet."""
        return cls.read(msgpack.packb(framing.head_of(request)), framing.pack(request))

    @classmethod
    def read(cls, head: Packed, body: Packed) -> QueuedRequest:
        """The request with this head. Raises ``MessageError`` for a head that is none; the body is not read."""
        try:
            kind, request_id, priority, document, timeout = msgpack.unpackb(head)
            texts = all(isinstance(one, str) for one in (kind, request_id, document))
            valid = texts and priority in get_args(Priority) and len(request_id) <= _LONGEST_NAME
        except Exception:  # noqa: BLE001 - msgpack and what it finds may raise anything
            valid = False
        if not valid:
            raise MessageError("not a message of editd")
        if type(timeout) not in (int, float) or not 0 <= timeout <= _LONGEST:
            timeout = None  # what is none is refused by the engine
        return cls(kind, request_id, priority, document, body, timeout)

    @property
    def is_job(self) -> bool:
        """Whether it is for the engine."""
        return self.type in _JOBS


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A message on its way to a client. ``body``: its msgpack bytes.

    key: of the job in the engine's process that says it. outcome, code: of a last one, how its request ended
    as one word for the log, and its error's code, or empty.
    """

    request_id: str
    kind: Kind
    body: Packed
    key: int = 0
    outcome: str = ""
    code: str = ""

    @classmethod
    def of(cls, message: ServerMessage, key: int = 0) -> OutgoingMessage:
        """``message``, or an error if it cannot be sent."""
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
            body = framing.pack(message)
        except EditRefused as error:
            body = framing.pack(stand_in(message, EditFailed(str(error))))
        except (ValueError, TypeError, OverflowError):
            sentence = "A defect of editd made its answer unreadable: see `editd logs`."
            body = framing.pack(stand_in(message, EditFailed(sentence)))
        info = getattr(message, "error", None)
        code = info.code if info else ""
        outcome = getattr(message, "finish_reason", code or type(message).__name__)
        return cls(request_id, kind, body, key, outcome, code)
