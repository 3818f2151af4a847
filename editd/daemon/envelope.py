"""What passes through the daemon as bytes, with the few fields of it that are read, and how it gets to the engine.

Requests and answers are passed on as the bytes in which they came. The daemon gives the engine's process orders,
and that reports, in frames as a client's; the body is passed on unchanged. Both ends belong to one program and start together, so there are no versions and no checks. Also here:
the answers that the daemon, or the engine's process, has to give in a job's place.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import msgpack

from editd.config import Config
from editd.daemon import framing
from editd.daemon.framing import MessageError, Packed
from editd.diff.hunk import Hunk
from editd.errors import (
    DaemonUnreachable,
    EditdError,
    EditFailed,
    EditRefused,
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
    Priority,
    Progress,
    ServerMessage,
    TextDelta,
)
from editd.messages.reports import ModelStatus, TraceSummary

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
class Outgoing:
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
    def of(cls, message: ServerMessage, key: int = 0) -> Outgoing:
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
            body = framing.pack(_unsent(message, EditFailed(str(error))))
        except (ValueError, TypeError, OverflowError):
            sentence = "A defect of editd made its answer unreadable: see `editd logs`."
            body = framing.pack(_unsent(message, EditFailed(sentence)))
        info = getattr(message, "error", None)
        code = info.code if info else ""
        outcome = getattr(message, "finish_reason", code or type(message).__name__)
        return cls(request_id, kind, body, key, outcome, code)


def failure(request_type: str, request_id: str, error: BaseException) -> ServerMessage:
    """The final answer of a request that ends with ``error``.

    The message of any other exception may quote the buffer, so it is left out.
    """
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


# An engine that works and has said nothing for so long is ended. The longest honest silence is that
# of a library that loads a model without a word: 40 GB from a disk of 200 MB/s take 200 seconds.
SILENT_SECONDS = 300.0


# --- orders --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Configure:
    """The first order, with the configuration."""

    config: Config


@dataclass(frozen=True, slots=True)
class Work:
    """Go on with this job."""

    key: int


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


Order = Configure | QueuedRequest | Work | Cancel | Rest
Report = Outgoing | Prepared | Snapshot | Traced | Logged

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
    if cls is Traced:
        return Traced(TraceSummary(**values[0]), body)
    told = dict(zip(_NAMES[cls], values, strict=True))
    return cls(**told, body=body) if "body" in cls.__slots__ else cls(**told)


def _config(sections: dict[str, dict[str, Any]]) -> Config:
    default = Config()
    return Config(
        **{name: type(getattr(default, name))(**values) for name, values in sections.items()}
    )
