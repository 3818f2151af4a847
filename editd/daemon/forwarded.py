"""Requests and answers that pass through the daemon as bytes, with the few fields that it reads.

Their bodies are forwarded as the bytes in which they came, and never unpacked.
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
"""``open``: a delta of hunks that are not done; the next delta of its edit repeats and extends it."""


_JOBS = ("EditRequest", "CompleteRequest", "WarmupRequest")
_OBJECT_BYTES = 1024  # roughly the memory of a request besides its body
_MAX_TIMEOUT = 1e9  # seconds
_MAX_REQUEST_ID = 200  # characters, because the log quotes it


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """A client's request. If it is a job, it is also the order to the engine's process to begin that job.

    type: the name of its class in ``messages``. body: its msgpack bytes. timeout: the client's limit in
    seconds; 0: no limit; ``None``: the configuration's. key: the number of the job in the engine's process.
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
        """Bytes of memory that the request takes while it waits."""
        return len(self.body) + _OBJECT_BYTES

    @classmethod
    def of(cls, request: JobRequest) -> QueuedRequest:
        """Pack ``request``. Raises ``EditRefused`` if it is too large."""
        return cls.read(msgpack.packb(framing.head_of(request)), framing.pack(request))

    @classmethod
    def read(cls, head: Packed, body: Packed) -> QueuedRequest:
        """The request of a frame; only the head is decoded, the body kept as bytes.

        Raises ``MessageError`` if the head is not valid: not its five values, another priority than
        editd's, or an id that is too long. A time limit that is no number from 0 to
        ``_MAX_TIMEOUT`` becomes ``None``: the engine refuses it.
        """
        try:
            kind, request_id, priority, document, timeout = msgpack.unpackb(head)
            are_texts = all(isinstance(value, str) for value in (kind, request_id, document))
            valid = (
                are_texts and priority in get_args(Priority) and len(request_id) <= _MAX_REQUEST_ID
            )
        except Exception:  # noqa: BLE001 - msgpack and what it finds may raise anything
            valid = False
        if not valid:
            raise MessageError("not a message of editd")
        if type(timeout) not in (int, float) or not 0 <= timeout <= _MAX_TIMEOUT:
            timeout = None  # the engine refuses an invalid one
        return cls(kind, request_id, priority, document, body, timeout)

    @property
    def is_job(self) -> bool:
        """Whether the engine's process serves the request; the daemon itself answers all others."""
        return self.type in _JOBS


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A message on its way to a client. ``body``: its msgpack bytes.

    key: the number of the job in the engine's process that sends it; 0 from the daemon itself. outcome: for the
    log, in one word how the request ended, where the message is final. code: of the message's error, or empty.
    """

    request_id: str
    kind: Kind
    body: Packed
    key: int = 0
    outcome: str = ""
    code: str = ""

    @classmethod
    def of(cls, message: ServerMessage, key: int = 0) -> OutgoingMessage:
        """Pack ``message`` for the client, or a message about an error in its place if it is too
        large or cannot be packed. key: of its job, 0 for none.

        Its kind is ``"progress"``, ``"open"`` for a delta of nothing but hunks that still grow,
        ``"delta"`` for any other and for a completion's text, else ``"final"``.
        """
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
