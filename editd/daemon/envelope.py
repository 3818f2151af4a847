"""The few fields that the daemon reads of the messages it passes on, for turns and queues.

Requests and answers are passed on as the bytes in which they came. Also
here: the answers that the daemon, or the engine's process, has to give in a job's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from editd.daemon import framing
from editd.daemon.framing import MessageError, Packed
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
    JobRequest,
    ModelStatus,
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


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """A request for an edit, a completion or a warm-up, on its way to the engine. ``body``: its msgpack bytes.

    type: the name of its class in ``messages``. timeout: seconds that its client gives it, 0 being all
    the time there is; ``None``: as the configuration says.
    """

    type: str
    request_id: str
    priority: Priority
    document: str
    body: Packed
    timeout: float | None = None

    @property
    def size(self) -> int:
        """The memory that it takes while it waits, in bytes."""
        return len(self.body) + _OBJECT_BYTES

    @classmethod
    def of(cls, request: JobRequest) -> QueuedRequest:
        """As ``read``, from a request that is not encoded yet."""
        asked = cls.read(framing.packed(request))
        assert asked is not None  # noqa: S101  it is a job's
        return asked

    @classmethod
    def read(cls, body: Packed) -> QueuedRequest | None:
        """The request in ``body``, ``None`` if it is another message; its text is not read.

        Raises ``MessageError`` for what cannot be a message.
        """
        found = framing.opening(body)
        if found.get("type") not in _JOBS:
            return None
        default = "warmup" if found["type"] == "WarmupRequest" else "interactive"
        asked = cls(
            found["type"],
            found.get("request_id", ""),
            found.get("priority", default),
            found.get("document", ""),
            body,
            _timeout_in(found.get("options")),
        )
        if (
            not isinstance(asked.request_id, str)
            or asked.priority not in get_args(Priority)
            or not isinstance(asked.document, str)
        ):
            raise MessageError("not a request of editd")
        return asked


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message on its way to a client. ``body``: its msgpack bytes."""

    request_id: str
    kind: Kind
    body: Packed

    @classmethod
    def of(cls, message: ServerMessage) -> Outgoing:
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
            body = framing.packed(message)
        except EditRefused as error:
            body = framing.packed(_unsent(message, EditFailed(str(error))))
        except (ValueError, TypeError, OverflowError):
            sentence = "A defect of editd made its answer unreadable: see `editd logs`."
            body = framing.packed(_unsent(message, EditFailed(sentence)))
        return cls(request_id, kind, body)


def outcome_of(answer: ServerMessage) -> str:
    """How a request ended, as one word for the log."""
    if isinstance(answer, EditResult | CompleteResult):
        return answer.finish_reason
    return type(answer).__name__


def failure(request_type: str, request_id: str, error: BaseException) -> ServerMessage:
    """The final answer of a request that ends with ``error``.

    The message of any other exception may quote the buffer, so it is left out.
    """
    if isinstance(error, MessageError):
        return Failed(request_id, ErrorInfo(ProtocolError.code, str(error)))
    if not isinstance(error, EditdError):
        error = as_out_of_memory(error) or error
    if not isinstance(error, EditdError):
        kind = type(error).__name__
        error = EditFailed(f"An internal error ended this edit ({kind}): see `editd logs`.")
    info = ErrorInfo(error.code, str(error))
    if request_type != "EditRequest" or isinstance(error, DaemonUnreachable):
        return Failed(request_id, info)
    return EditResult(request_id, error.finish_reason, error=info)


def loading_sentence(status: ModelStatus) -> str:
    """What the user sees while a model loads."""
    percent = "" if status.fraction is None else f" ({status.fraction:.0%})"
    return f"loading {status.name}{percent}"


def _timeout_in(options: Any) -> float | None:
    """The time limit in a request's options; what is none there is refused by the engine."""
    match options:
        case {"timeout": float() | int() as timeout} if 0 <= timeout <= _LONGEST:
            return None if isinstance(timeout, bool) else timeout
    return None


def _unsent(message: ServerMessage, error: EditFailed) -> ServerMessage:
    """What is sent instead of ``message``."""
    request_id = getattr(message, "request_id", "")
    if isinstance(message, Delta):  # its edit's result cannot be sent either, and says so
        return Delta(request_id, message.seq, ())
    if isinstance(message, TextDelta):
        return TextDelta(request_id, "")
    if isinstance(message, Progress):  # of a model whose name is no text
        return Progress(request_id, message.stage, message.stage)
    if isinstance(message, CompleteResult | Explained | Failed):
        return Failed(request_id, ErrorInfo(error.code, str(error)))
    return failure("EditRequest", request_id, error)
