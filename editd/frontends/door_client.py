"""The engine's client that every door holds: what needs no model is computed in this process, the rest is asked.

The words of an instruction may decide an edit, and a sketch may be merged as text: no daemon is started for
either, and ``connect`` is for the rest. ``edited`` is for doors whose clients use a text as it comes: it rejects a merge or an
edit that must not be used.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from editd.daemon.engine_client import EngineClient, Request, problem_of, refuse_half_characters
from editd.diff.edits import with_keeps
from editd.errors import DaemonUnreachable, EditdError, EditRefused, UsageError, error_for_code
from editd.messages import (
    Delta,
    EditRequest,
    EditResult,
    Progress,
    ServerMessage,
    StatusReport,
)
from editd.off_loop import off_loop
from editd.refactor.composing import composed
from editd.refactor.computed import by_words, steps_of

OnProgress = Callable[[Progress], Awaitable[None]]


class DoorClient(EngineClient):
    """``connect`` is called for the first request that needs an engine; it is not tried a second time.

    first: the words are asked first, and not only where a request asks for their way.
    """

    def __init__(
        self, connect: Callable[[], Awaitable[EngineClient]], *, first: bool = True
    ) -> None:
        self._connect = connect
        self._first = first
        self._connecting = asyncio.Lock()
        self._client: EngineClient | None = None
        self._unreachable: DaemonUnreachable | None = None

    async def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        sketched: EditRequest | None = None
        steps: Sequence[EditRequest] = ()
        if isinstance(request, EditRequest) and request.sketch is not None:
            from editd.apply.answering import settle  # here, because few edits have a sketch

            settled = await off_loop(len(request.text) + len(request.sketch), settle, request)
            if isinstance(settled, EditResult):
                yield Delta(request.request_id, 0, with_keeps(settled.hunks, request.text))
                yield settled
                return
            sketched = None if settled is request else settled  # else its client knows why
            request = settled
        elif isinstance(request, EditRequest) and (self._first or request.options.way is not None):
            computed = await asyncio.to_thread(by_words, request)
            if computed is not None:
                if computed.text is not None:
                    yield Delta(request.request_id, 0, with_keeps(computed.hunks, request.text))
                yield computed
                return
            steps = await asyncio.to_thread(steps_of, request)
            first = await asyncio.to_thread(by_words, steps[0]) if steps else None
            if first is not None:
                async for message in self._step_by_step(steps):
                    yield message
                return
        client = await self._connected()
        try:
            async with aclosing(client.ask(request)) as messages:
                async for message in messages:
                    if steps and _is_refused(message):
                        break  # a model that takes one wish at a time
                    yield _with_reason(message, sketched)
                else:
                    return
        except EditdError as error:
            if sketched is None or isinstance(error, DaemonUnreachable | UsageError):
                raise  # no engine answered
            from editd.apply.answering import undecided

            raise undecided(sketched, error) from error
        async for message in self._step_by_step(steps):
            yield message

    async def _step_by_step(
        self, steps: Sequence[EditRequest]
    ) -> AsyncGenerator[ServerMessage, None]:
        """One answer to several wishes, by words or by the model."""
        results: list[EditResult] = []
        text = steps[0].text
        for step in steps:
            part = replace(step, text=text)
            result = await asyncio.to_thread(by_words, part)
            if result is None:
                client = await self._connected()
                async with aclosing(client.ask(part)) as messages:
                    async for message in messages:
                        if isinstance(message, EditResult):
                            result = message
                        elif not isinstance(message, Delta):  # its lines are of another text
                            yield message
            if result is None:
                return
            if result.text is None:
                yield _of_step(result, part)
                return
            notices = tuple(f"“{step.instruction}”: {notice}" for notice in result.notices)
            results.append(replace(result, notices=notices))
            text = result.text
        whole = composed(steps[0].text, results)
        yield Delta(whole.request_id, 0, with_keeps(whole.hunks, steps[0].text))
        yield whole

    async def cancel(self, request_id: str) -> None:
        if self._client is not None:
            await self._client.cancel(request_id)

    async def status(self) -> StatusReport:
        return await (await self._connected()).status()

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _connected(self) -> EngineClient:
        async with self._connecting:
            if self._unreachable is not None:
                raise self._unreachable
            if self._client is None:
                try:
                    self._client = await self._connect()
                except DaemonUnreachable as error:
                    self._unreachable = error
                    raise
            return self._client


def _is_refused(message: ServerMessage) -> bool:
    error = message.error if isinstance(message, EditResult) else None
    return error is not None and error.code == EditRefused.code


def _of_step(result: EditResult, step: EditRequest) -> EditResult:
    """The answer of a step without a text, which says the step."""
    if result.error is None:
        return result
    message = f"“{step.instruction}” was not done, so nothing was: {result.error.message}"
    return replace(result, error=replace(result.error, message=message))


def _with_reason(message: ServerMessage, sketched: EditRequest | None) -> ServerMessage:
    """An answer without a text says first why a model was asked at all, of a sketch that was in doubt."""
    if sketched is None or not isinstance(message, EditResult) or message.error is None:
        return message
    from editd.apply.answering import undecided

    told = undecided(sketched, error_for_code(message.error.code, message.error.message))
    return replace(message, error=replace(message.error, code=told.code, message=str(told)))


async def edited(
    engine: EngineClient,
    request: EditRequest,
    on_progress: OnProgress | None = None,
    *,
    doubtful: bool = False,
) -> EditResult:
    """An edit that passes the checks; a model is asked to merge a sketch only where no reading is good enough.

    doubtful: the caller shows the best reading, also one in which hunks could be read otherwise; else
    only one in which none could is good enough. Raises ``EditRefused`` if the result must not be used,
    and any error of the engine.
    """
    result = await _result_of(engine, request, on_progress)
    if request.sketch is not None:
        from editd.apply.answering import is_reading

        if is_reading(result):
            if doubtful or not any(hunk.suspect for hunk in result.hunks):
                return result
            request = replace(request, options=replace(request.options, way="model"))
            result = await _result_of(engine, request, on_progress)
    if result.suspects:
        told = f"The answer is suspect: {'; '.join(result.suspects)}"
        # What its user should know says why a model was asked at all.
        raise EditRefused(" ".join((told, *result.notices)))
    return result


async def _result_of(
    engine: EngineClient, request: EditRequest, on_progress: OnProgress | None
) -> EditResult:
    """How an edit ended, with a text; raises its error otherwise."""
    refuse_half_characters(request)
    result: EditResult | None = None
    async with aclosing(engine.edit(request)) as messages:
        async for message in messages:
            if isinstance(message, Progress) and on_progress is not None:
                await on_progress(message)
            if isinstance(message, EditResult):
                result = message
    assert result is not None  # noqa: S101  the last message is the result, or there is an error
    if (problem := problem_of(result)) is not None:
        raise problem
    return result
