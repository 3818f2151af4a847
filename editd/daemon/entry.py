"""One request in the daemon's queue, and the answers that the daemon itself has to give to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from editd.daemon.scheduler import Ticket
from editd.daemon.worker import EngineJob
from editd.errors import (
    DaemonUnreachable,
    EditCancelled,
    EditdError,
    EditFailed,
    EditRefused,
    FinishReason,
    as_out_of_memory,
)
from editd.messages import (
    CompleteRequest,
    EditRequest,
    EditResult,
    ErrorInfo,
    Failed,
    JobRequest,
    ServerMessage,
    WarmupRequest,
)

Deliver = Callable[[ServerMessage], None]

_ID_BYTES = 36  # of one token id in a tuple


@dataclass(eq=False, slots=True, kw_only=True)
class Entry(Ticket):
    """A ticket with all that serving it needs."""

    request: JobRequest
    deliver: Deliver
    job: EngineJob | None = None
    answered: bool = False
    cancelled: str | None = None  # the reason, one sentence
    position: int = 0  # in the queue, as last told

    @classmethod
    def of(cls, client: int, request: JobRequest, deliver: Deliver) -> Entry:
        """The entry of a request that has just come."""
        return cls(
            client=client,
            request_id=request.request_id,
            priority="warmup" if isinstance(request, WarmupRequest) else request.priority,
            document="" if isinstance(request, CompleteRequest) else request.document,
            size=_size_of(request),
            request=request,
            deliver=deliver,
        )


def failure(request: JobRequest, error: Exception) -> ServerMessage:
    """The final answer of a request that ends with ``error``.

    What is no ``EditdError`` may quote anything, and its message stays here.
    """
    if not isinstance(error, EditdError):
        error = as_out_of_memory(error) or error
    if not isinstance(error, EditdError):
        kind = type(error).__name__
        error = EditFailed(f"A defect of editd ended this edit ({kind}): see `editd logs`.")
    info = ErrorInfo(error.code, str(error))
    if not isinstance(request, EditRequest) or isinstance(error, DaemonUnreachable):
        return Failed(request.request_id, info)
    finish_reason: FinishReason = "error"
    if isinstance(error, EditCancelled):
        finish_reason = "cancelled"
    elif isinstance(error, EditRefused):
        finish_reason = "refused"
    return EditResult(request.request_id, finish_reason, error=info)


def _size_of(request: JobRequest) -> int:
    num_ids = 0
    if isinstance(request, CompleteRequest):
        texts = [request.prediction or "", request.prompt or ""]
        texts += [message.content for message in request.messages]
        num_ids = len(request.prompt_ids or ())
    else:
        texts = [request.text]
    if isinstance(request, EditRequest):
        texts += [request.instruction, request.prediction or "", request.based_on or ""]
        texts += [item.text for item in request.context]
    return sum(map(len, texts)) + 1024 + _ID_BYTES * num_ids
