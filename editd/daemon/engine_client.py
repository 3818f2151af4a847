"""``EngineClient``, the interface of front ends to an engine, in whichever process it runs.

Turns the messages about a request into results and exceptions. Importing it loads no torch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import fields, is_dataclass

from editd.diff.document import split_lines
from editd.errors import UsageError, error_for_code
from editd.messages import (
    CompleteRequest,
    CompleteResult,
    ExplainRequest,
    Failed,
    JobRequest,
    Progress,
    ServerMessage,
    StatusReport,
    StatusRequest,
    StopRequest,
    WarmupRequest,
)

Request = JobRequest | StatusRequest | ExplainRequest | StopRequest


def raise_if_failed(message: ServerMessage) -> None:
    """Raise the error that a ``Failed`` message carries; no effect on any other message."""
    if isinstance(message, Failed):
        raise error_for_code(message.error.code, message.error.message)


def refuse_half_characters(request: object) -> None:
    """Raise ``UsageError`` if a text in ``request``, a dataclass, holds half of a surrogate pair,
    as JSON can spell it. The sentence names the field and the 1-based line.
    """
    for name, text in _texts_in("", request):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            line = len(split_lines(text[: error.start] + "."))
            raise UsageError(
                f"Line {line} of the {name} contains half of a surrogate pair, which is not a character: "
                "remove it first."
            ) from None


def _texts_in(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield ``(field, text)`` for each text in ``value``, also in nested tuples and dataclasses;
    other values, such as lists and dictionaries, hold none.

    field: the name of the outermost dataclass's field that holds the text, or ``name`` if that is
    not empty.
    """
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts_in(name, item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts_in(name or field.name, getattr(value, field.name))


class EngineClient(ABC):
    """A connection to an engine in some process. Used on one event loop; several requests may be open at once.

    All methods but ``cancel`` and ``aclose`` may raise ``DaemonUnreachable``.
    """

    @abstractmethod
    def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        """Send ``request`` and yield the messages about it; the last is its final answer (table in ``messages``).

        An edit that fails has an answer, too: an ``EditResult`` with the error. Raises the error of a request that
        ends in ``Failed``. Leaving the generator early cancels the
        request; wrap it in ``contextlib.aclosing`` so that this happens at once.
        """

    @abstractmethod
    async def cancel(self, request_id: str) -> None:
        """Cancel a job (an edit, completion or warm-up); its own final answer soon reports that."""

    @abstractmethod
    async def status(self) -> StatusReport:
        """The engine's status, at once even when it is busy. Starts no engine."""

    @abstractmethod
    async def aclose(self) -> None:
        """Disconnect from the engine, which cancels open requests."""

    async def complete(
        self, request: CompleteRequest, on_progress: Callable[[Progress], None] | None = None
    ) -> CompleteResult:
        """Ask for a completion and wait for its result; raises the error of a request that ends in ``Failed``.

        on_progress: called with each progress message. Cancelling the task that waits cancels the completion.
        """
        answer = await self._final_message(request, on_progress)
        assert isinstance(answer, CompleteResult)  # noqa: S101  no other message ends a completion
        return answer

    async def warmup(
        self, request: WarmupRequest, on_progress: Callable[[Progress], None] | None = None
    ) -> None:
        """Have the model loaded and the buffer read, and wait for it; raises the error if that fails."""
        await self._final_message(request, on_progress)

    async def _final_message(
        self, request: Request, on_progress: Callable[[Progress], None] | None = None
    ) -> ServerMessage:
        """Ask, wait for the final answer and return it; calls ``on_progress`` with each
        ``Progress`` on the way and drops all other messages.

        Raises ``RuntimeError`` if the engine sends nothing, and as ``ask``.
        """
        answer: ServerMessage | None = None
        async with aclosing(self.ask(request)) as messages:
            async for answer in messages:
                if isinstance(answer, Progress) and on_progress:
                    on_progress(answer)
        if answer is None:
            raise RuntimeError("a request ended without an answer")
        return answer
