"""The errors that a user may see, as one tree. A leaf: imports nothing of editd's.

::

    EditdError
    ├── UsageError            the request itself is wrong
    │   └── ConfigError       a configuration value is wrong
    ├── EditRefused           the edit was not tried, or its answer not used
    │   └── ScopeTooLarge     buffer and answer do not fit the model's context
    ├── EditFailed            something broke while editing
    ├── DaemonUnreachable     no daemon, and none could be started
    │   └── ProtocolError     the peer speaks another version, or nonsense
    ├── ModelError            the model cannot be used
    │   ├── ModelNotFound     no such folder, or the hub id was never pulled
    │   ├── ModelDamaged      a file is missing, truncated or unreadable
    │   ├── ModelUnsupported  not a causal LM that can be run here
    │   ├── ServerFailed      the model's server cannot be reached, or failed
    │   └── OutOfMemory       it does not fit the device
    │       └── MemoryRanOut  noticed in the middle of something, which may be in pieces now
    ├── AnswerCutOff          the model was stopped by a length or time limit
    └── EditCancelled         the user, or a newer edit, cancelled it

``str(error)`` is one sentence for a person: what is wrong and what to do. The log has the rest.
"""

from __future__ import annotations

import errno
from typing import Literal

FinishReason = Literal["stop", "length", "cancelled", "refused", "error"]
AnswerEnd = Literal["stop", "length"]
"""The end of a model's answer; the other finish reasons are an edit's."""

_OUT_OF_MEMORY = (
    "cannot allocate memory",
    "can't allocate memory",
    "not enough memory",
    "out of memory",
    "failed to map segment",
    "can't start new thread",
    "std::bad_alloc",
)


class EditdError(Exception):
    """Base of all errors that a user may see.

    ``code`` crosses process boundaries (``messages.ErrorInfo.code``). What a front end makes of an error is in
    ``outcome``.
    """

    code = "internal"

    def __str__(self) -> str:
        """The sentence for the user, always encodable: a file's name or a server's words in it need not be text."""
        return super().__str__().encode("utf-8", "backslashreplace").decode()


class UsageError(EditdError):
    """The request itself is wrong."""

    code = "usage"


class ConfigError(UsageError):
    """A configuration value is wrong."""

    code = "config"


class EditRefused(EditdError):
    """The edit was not tried, or its answer not used."""

    code = "refused"


class ScopeTooLarge(EditRefused):
    """Buffer and answer do not fit the model's context."""

    code = "scope-too-large"


class EditFailed(EditdError):
    """An error of editd itself while it edited."""

    code = "failed"


class DaemonUnreachable(EditdError):
    """No daemon answers, and none could be started."""

    code = "daemon-unreachable"


class ProtocolError(DaemonUnreachable):
    """The peer speaks another version, or nonsense."""

    code = "protocol"


class ModelError(EditdError):
    """The model cannot be used."""

    code = "model"


class ModelNotFound(ModelError):
    """No such folder exists, or the hub id was never pulled."""

    code = "model-not-found"


class ModelDamaged(ModelError):
    """A file of the model is missing, truncated or unreadable."""

    code = "model-damaged"


class ModelUnsupported(ModelError):
    """The model is no causal language model that can be run here."""

    code = "model-unsupported"


class ServerFailed(ModelError):
    """The model's server cannot be asked, or failed."""

    code = "server-failed"


class OutOfMemory(ModelError):
    """The model does not fit the device."""

    code = "out-of-memory"


class MemoryRanOut(OutOfMemory):
    """Memory ran out in the middle of something, which may be in pieces now."""

    code = "memory-ran-out"


class AnswerCutOff(EditdError):
    """The model was stopped by a length or time limit."""

    code = "cut-off"


class EditCancelled(EditdError):
    """The user, or a newer edit, cancelled the edit."""

    code = "cancelled"


def error_for_code(code: str, message: str) -> EditdError:
    """An error of the class whose ``code`` it is, with ``message``: rebuilt on the receiving side of a process
    boundary; an ``EditdError`` for an unknown code. Returned, not raised.
    """
    pending: list[type[EditdError]] = [EditdError]
    while pending:
        cls = pending.pop()
        if cls.code == code:
            return cls(message)
        pending.extend(cls.__subclasses__())
    return EditdError(message)


def first_line(error: BaseException) -> str:
    """The first line of a library's message, at most 200 characters; the exception's type if it has none."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def as_out_of_memory(error: BaseException) -> MemoryRanOut | None:
    """A new out-of-memory error to raise in the place of ``error``; ``None`` if neither ``error`` nor one of its causes
    and contexts reports that, by its class, number or message.
    """
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        message = str(link).lower()
        if (
            isinstance(link, MemoryError)
            or getattr(link, "errno", None) == errno.ENOMEM
            or any(words in message for words in _OUT_OF_MEMORY)
        ):
            return MemoryRanOut(
                "There is not enough memory for editd and the model: end other programs, choose a "
                "smaller model (`editd models`), or raise the limit that this process was given "
                "(`ulimit -v`)."
            )
        link = link.__cause__ or link.__context__
    return None
