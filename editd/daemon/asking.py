"""The half of an ``EngineClient`` that does not depend on where the engine is: from the messages
about a request to results and exceptions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from editd.errors import error_for_code
from editd.messages import (
    CompleteRequest,
    CompleteResult,
    Delta,
    Done,
    EditRequest,
    EditResult,
    ExplainRequest,
    Failed,
    JobRequest,
    Progress,
    ServerMessage,
    StatusRequest,
    StopRequest,
    TextDelta,
    WarmupRequest,
)

Request = JobRequest | StatusRequest | ExplainRequest | StopRequest


class Asking(ABC):
    """Needs ``_ask``; gives ``edit``, ``stream``, ``complete`` and ``warmup``."""

    @abstractmethod
    def _ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        """What is said about ``request``; its final answer is the last."""

    async def edit(
        self, request: EditRequest
    ) -> AsyncGenerator[Progress | Delta | EditResult, None]:
        """As ``EngineClient.edit``."""
        async with aclosing(self._ask(request)) as messages:
            async for message in messages:
                if isinstance(message, Failed):
                    raise error_for_code(message.error.code, message.error.message)
                if isinstance(message, Progress | Delta | EditResult):
                    yield message

    async def stream(
        self, request: CompleteRequest
    ) -> AsyncGenerator[Progress | TextDelta | CompleteResult, None]:
        """As ``EngineClient.stream``."""
        async with aclosing(self._ask(request)) as messages:
            async for message in messages:
                if isinstance(message, Failed):
                    raise error_for_code(message.error.code, message.error.message)
                if isinstance(message, Progress | TextDelta | CompleteResult):
                    yield message

    async def complete(
        self, request: CompleteRequest, on_progress: Callable[[Progress], None] | None = None
    ) -> CompleteResult:
        """As ``EngineClient.complete``."""
        answer = await self._final_answer(request, on_progress)
        if not isinstance(answer, CompleteResult):
            raise TypeError("a completion ended with what is no result")
        return answer

    async def warmup(
        self, request: WarmupRequest, on_progress: Callable[[Progress], None] | None = None
    ) -> Done:
        """As ``EngineClient.warmup``."""
        await self._final_answer(request, on_progress)
        return Done(request.request_id)

    async def _final_answer(
        self, request: Request, on_progress: Callable[[Progress], None] | None = None
    ) -> ServerMessage:
        """The last message about ``request``."""
        answer: ServerMessage | None = None
        async with aclosing(self._ask(request)) as messages:
            async for answer in messages:
                if isinstance(answer, Progress) and on_progress:
                    on_progress(answer)
        if isinstance(answer, Failed):
            raise error_for_code(answer.error.code, answer.error.message)
        if answer is None:
            raise RuntimeError("a request ended without an answer")
        return answer
