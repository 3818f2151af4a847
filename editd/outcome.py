"""The ways in which an edit can end, and what each front end makes of them: one table.

The sentence for the user is the text of the error. Errors and their codes are in ``errors``; how a front end shows a
text that was written is left to the front end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from editd.errors import (
    AnswerCutOff,
    DaemonUnreachable,
    EditCancelled,
    EditdError,
    EditFailed,
    EditRefused,
    FinishReason,
    ModelError,
    ScopeTooLarge,
    UsageError,
    error_for_code,
)

if TYPE_CHECKING:
    from editd.messages import EditResult

HttpType = Literal["", "invalid_request_error", "server_error"]
ToolStatus = Literal["ok", "unchanged", "doubtful", "refused", "failed", "cancelled"]
AnswerStatus = Literal["ok", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A way in which an edit can end.

    finish_reason: in its ``EditResult``.
    exit_code: of the command line.
    http_status: of the HTTP answer. http_type, http_code: in OpenAI's error; an empty code means the error's own.
    http_retry: whether a client should try again.
    tool_status: in the result of an MCP tool.
    answer_status: in the language server's ``EditAnswer``.
    """

    finish_reason: FinishReason
    exit_code: int
    http_status: int
    http_type: HttpType
    http_code: str
    http_retry: bool
    tool_status: ToolStatus
    answer_status: AnswerStatus

    @property
    def is_failure(self) -> bool:
        """Whether editd or the model failed, which the language server's status reports as ``error``."""
        return self.finish_reason == "error"

    @property
    def is_tool_error(self) -> bool:
        """Whether the agent that called an MCP tool must act, because nothing was written."""
        return self.tool_status not in ("ok", "unchanged")


_WRONG: HttpType = "invalid_request_error"
_SERVER: HttpType = "server_error"

# With a text. A front end that writes or hands out a text unseen refuses one that could be read otherwise.
DONE = Outcome("stop", 0, 200, "", "", False, "ok", "ok")
UNCHANGED = replace(DONE, tool_status="unchanged")

# Without a text, by the error; a class that is missing has the row of its base class.
OUTCOMES: dict[type[EditdError], Outcome] = {
    #                          finish       exit  HTTP  type     code                       retry  MCP          LSP
    EditdError:        Outcome("error",     1,    500,  _SERVER, "",                        False, "refused",   "failed"),
    UsageError:        Outcome("error",     2,    400,  _WRONG,  "",                        False, "refused",   "failed"),
    EditRefused:       Outcome("refused",   1,    422,  _WRONG,  "",                        False, "refused",   "failed"),
    ScopeTooLarge:     Outcome("refused",   1,    400,  _WRONG,  "context_length_exceeded", False, "refused",   "failed"),
    EditFailed:        Outcome("error",     1,    500,  _SERVER, "",                        False, "failed",    "failed"),
    DaemonUnreachable: Outcome("error",     3,    503,  _SERVER, "",                        True,  "failed",    "failed"),
    ModelError:        Outcome("error",     4,    500,  _SERVER, "",                        False, "failed",    "failed"),
    AnswerCutOff:      Outcome("length",    5,    504,  _SERVER, "",                        False, "refused",   "failed"),
    EditCancelled:     Outcome("cancelled", 130,  503,  _SERVER, "",                        True,  "cancelled", "cancelled"),
}  # fmt: skip

DOUBTFUL = replace(
    OUTCOMES[EditRefused], finish_reason="stop", tool_status="doubtful", answer_status="ok"
)


def outcome_of(ending: EditResult | EditdError) -> Outcome:
    """The row of an error, or of the nearest base class that has one; of a result: ``DONE`` if it has a text and no
    error, else the row of its error. Never ``UNCHANGED`` or ``DOUBTFUL``.
    """
    error = ending if isinstance(ending, EditdError) else error_of(ending)
    if error is None:
        return DONE
    return next(OUTCOMES[cls] for cls in type(error).__mro__ if cls in OUTCOMES)


def error_of(result: EditResult) -> EditdError | None:
    """The error of a result that has one, or has no text, as an exception that is not raised; ``None`` if it has a text
    and no error.
    """
    if result.error is not None:
        return error_for_code(result.error.code, result.error.message)
    if result.text is None:
        return EditFailed("The edit failed without saying why; see `editd logs`.")
    return None
