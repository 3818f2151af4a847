"""Answers that the daemon or the engine's process gives in a job's place, and the sentence about a model that loads.

Knows errors and final messages; nothing of queues, bytes or processes.
"""

from __future__ import annotations

from editd.errors import (
    DaemonUnreachable,
    EditdError,
    EditFailed,
    as_out_of_memory,
)
from editd.messages import (
    CompleteResult,
    Delta,
    EditResult,
    ErrorInfo,
    Explained,
    Failed,
    Progress,
    ServerMessage,
    TextDelta,
)
from editd.messages.reports import ModelStatus
from editd.outcome import outcome_of


def failure(request_type: str, request_id: str, error: BaseException) -> ServerMessage:
    """The final answer of a request that ends with ``error``.

    ``EditResult`` if ``request_type`` is ``"EditRequest"`` and ``error`` is no
    ``DaemonUnreachable``, else ``Failed``. An exception by which memory ran out is reported as
    ``MemoryRanOut``; of any other that is no ``EditdError`` only the type is named, because its
    message may quote the buffer.
    """
    if not isinstance(error, EditdError):
        error = as_out_of_memory(error) or error
    if not isinstance(error, EditdError):
        kind = type(error).__name__
        error = EditFailed(f"An internal error ended this edit ({kind}): see `editd logs`.")
    info = ErrorInfo(error.code, str(error))
    if request_type != "EditRequest" or isinstance(error, DaemonUnreachable):
        return Failed(request_id, info)
    return EditResult(request_id, outcome_of(error).finish_reason, error=info)


def loading_sentence(status: ModelStatus) -> str:
    """The progress text while a model loads: "loading NAME (45%)", without the percentage if
    ``fraction`` is ``None``; with ``status.runs``, work to be done before the weights can be read,
    "RUNS: NAME (45%)".
    """
    percent = "" if status.fraction is None else f" ({status.fraction:.0%})"
    doing = f"{status.runs}:" if status.runs else "loading"
    return f"{doing} {status.name}{percent}"


def stand_in(message: ServerMessage, error: EditFailed) -> ServerMessage:
    """A message of the same request that is sent instead of ``message``, which cannot be packed.

    An interim message becomes an empty one (progress: its stage alone), because the final answer
    will report an error; a final one becomes an answer with ``error``.
    """
    request_id = getattr(message, "request_id", "")
    if isinstance(message, Delta):  # its edit's result cannot be sent either, and reports that
        return Delta(request_id, message.seq, ())
    if isinstance(message, TextDelta):
        return TextDelta(request_id, "")
    if isinstance(message, Progress):  # of a model whose name is no text
        return Progress(request_id, message.stage, message.stage)
    if isinstance(message, CompleteResult | Explained | Failed):
        return Failed(request_id, ErrorInfo(error.code, str(error)))
    return failure("EditRequest", request_id, error)
