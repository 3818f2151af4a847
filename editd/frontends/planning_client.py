"""The ``EngineClient`` of every front end: plans an edit in this process, and connects to an engine if a model is needed.

How an edit is planned is left to ``plan``, the engine to the client that ``connect`` makes.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from editd.config import ChecksConfig
from editd.daemon.engine_client import EngineClient, Request
from editd.diff.edits import with_keeps
from editd.errors import DaemonUnreachable, EditdError, EditRefused, UsageError, error_for_code
from editd.messages import Delta, EditRequest, EditResult, ServerMessage, StatusReport
from editd.offload import offload

if TYPE_CHECKING:
    from editd.linters.session import Linters
    from editd.plan import AskModel, Plan
    from editd.workspace.mentions import Mentions


class PlanningClient(EngineClient):
    """An ``EngineClient`` that answers edits itself if they need no model.

    connect: makes the client of an engine, for the first request that needs one; called once, even if it fails.
    words_first: as of ``plan``. checks: the linters that judge the edits. secrets: as of ``read_mentions``.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[EngineClient]],
        *,
        words_first: bool = True,
        checks: ChecksConfig = ChecksConfig(),  # noqa: B008  it is frozen
        secrets: bool = True,
    ) -> None:
        self._connect = connect
        self._words_first = words_first
        self._checks = checks
        self._secrets = secrets
        self._linters: Linters | None = None  # from the first result on
        self._connecting = asyncio.Lock()
        self._client: EngineClient | None = None
        self._unreachable: DaemonUnreachable | None = None

    async def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        """Plan an edit and yield its messages, computed here or by the engine; notices about mentioned texts
        (``@name``) are put before those of its result, which then is judged by the user's linters. Other requests are
        passed to the engine.

        Raises as ``EngineClient.ask``, what ``plan`` and ``read_mentions`` raise, and ``DaemonUnreachable`` if no
        engine can be connected to.
        """
        if not isinstance(request, EditRequest):
            async with aclosing((await self._connected()).ask(request)) as messages:
                async for message in messages:
                    yield message
            return
        mentions = await self._mentions(request)
        async with aclosing(self._edit(request, mentions)) as messages:
            async for message in messages:
                if isinstance(message, EditResult):
                    more = () if mentions is None else mentions.notices
                    result = (
                        replace(message, notices=(*more, *message.notices)) if more else message
                    )
                    yield await self._judge(request, result)
                else:
                    yield message

    async def _mentions(self, request: EditRequest) -> Mentions | None:
        """Read in a thread the texts that the instruction mentions by ``@name``; ``None`` if it has no ``@`` or there
        is a sketch, which is the change itself (then nothing is read), or if it mentions nothing (``read_mentions``).
        Raises as that.
        """
        if "@" not in request.instruction or request.sketch is not None:
            return None
        from editd.workspace.mentions import read_mentions  # few mention anything

        return await offload(sys.maxsize, partial(read_mentions, request, secrets=self._secrets))

    async def _edit(
        self, request: EditRequest, mentions: Mentions | None
    ) -> AsyncGenerator[ServerMessage, None]:
        """Plan an edit and yield its messages, computed here (one ``Delta``, unless the result has no text, then the
        result) or by the engine. If the plan says so, or the model refuses an edit of several clauses, the clauses
        are done one by one; the refusal itself is not yielded. Raises as ``ask``.

        mentions: texts that the instruction names; the plan is made without them. Unless words decide it alone, the
        engine then gets the whole instruction with their texts, never clauses.
        """
        planned = await self._plan(request if mentions is None else mentions.plain)
        from editd.plan import AskModel, Computed, OneByOne  # imported by now, in a thread

        if mentions is not None and not isinstance(planned, Computed):
            planned = AskModel(mentions.full)
        match planned:
            case Computed(result):
                if result.text is not None:
                    yield Delta(request.request_id, 0, with_keeps(result.hunks, request.text))
                yield result
                return
            case AskModel(clauses=clauses):
                async with aclosing(self._ask_model(planned)) as messages:
                    async for message in messages:
                        if clauses and _is_refusal(message):
                            break  # the model takes one clause at a time
                        yield message
                    else:
                        return
            case OneByOne(clauses):
                pass
        async for message in self._one_by_one(clauses):
            yield message

    async def cancel(self, request_id: str) -> None:
        """Cancel an edit, completion or warm-up at the engine; no effect before one is connected."""
        if self._client is not None:
            await self._client.cancel(request_id)

    async def status(self) -> StatusReport:
        """The engine's status; connects to it."""
        return await (await self._connected()).status()

    async def aclose(self) -> None:
        """Disconnect from the engine, if connected, which cancels open requests."""
        if self._client is not None:
            await self._client.aclose()

    async def _judge(self, request: EditRequest, result: EditResult) -> EditResult:
        """``result`` as the user's linters judge it (``Linters.judge``): they run now, and their marks and notices
        are in the copy that is returned. ``result`` itself if the settings name no linter. The linters' session is
        kept for later calls.
        """
        if not self._checks.commands():
            return result
        from editd.linters.session import Linters  # few have a linter

        self._linters = self._linters or Linters(self._checks)
        return await self._linters.judge(request, result)

    async def _plan(self, request: EditRequest) -> Plan:
        """The plan of an edit (``plan.plan``), made in a thread if that may take long enough to hold up the event
        loop: for a long text with a sketch, and, without one, whenever words are tried or a way is chosen. Raises
        what ``plan`` raises.
        """
        size = 0
        if request.sketch is not None:
            size = len(request.text) + len(request.sketch)
        elif self._words_first or request.options.way is not None:
            size = sys.maxsize  # even of a short text
        return await offload(size, partial(_plan_edit, request, words_first=self._words_first))

    async def _ask_model(self, planned: AskModel) -> AsyncGenerator[ServerMessage, None]:
        """Connect to the engine if needed, ask it, and yield its messages. If the plan tried the sketch and found a
        doubt (``found_doubt``), errors, in the result or raised, are replaced by ones that say first why a model was
        asked (``AskModel.explain``); ``DaemonUnreachable`` and ``UsageError`` are always raised as they are.
        """
        client = await self._connected()
        try:
            async with aclosing(client.ask(planned.request)) as messages:
                async for message in messages:
                    yield _explained(message, planned)
        except EditdError as error:
            no_answer = isinstance(error, DaemonUnreachable | UsageError)  # so no model was asked
            if no_answer or not planned.found_doubt:
                raise
            raise planned.explain(error) from error

    async def _one_by_one(
        self, clauses: Sequence[EditRequest]
    ) -> AsyncGenerator[ServerMessage, None]:
        """Do one clause after the other, computed or by the model, each on the text that the one before left. Yields
        the model's progress messages, then one delta and one result with the hunks of all of them; the clauses' own
        deltas are left out.

        The first clause without a text ends the edit with its result, whose error names the clause. If the engine
        ends without a result, the messages end there. Raises as ``ask``. clauses: at least one; all have the same
        text.
        """
        from editd.plan import Computed
        from editd.refactor.composing import composed

        results: list[EditResult] = []
        text = clauses[0].text
        for clause in clauses:
            request = replace(clause, text=text)
            result: EditResult | None = None
            planned = await self._plan(request)
            if isinstance(planned, Computed):
                result = planned.result
            else:
                client = await self._connected()
                async with aclosing(client.ask(request)) as messages:
                    async for message in messages:
                        if isinstance(message, EditResult):
                            result = message
                        elif not isinstance(message, Delta):  # its lines are of another text
                            yield message
            if result is None:
                return
            if result.text is None:
                yield _naming_clause(result, clause)
                return
            notices = tuple(f"“{clause.instruction}”: {notice}" for notice in result.notices)
            results.append(replace(result, notices=notices))
            text = result.text
        whole = composed(clauses[0].text, results)
        yield Delta(whole.request_id, 0, with_keeps(whole.hunks, clauses[0].text))
        yield whole

    async def _connected(self) -> EngineClient:
        """The engine's client, connected by the first call, for which others wait; if that raised
        ``DaemonUnreachable``, all later calls raise the same. After any other error the next call tries again.
        """
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


def _is_refusal(message: ServerMessage) -> bool:
    """Whether ``message`` is the result of an edit that was refused."""
    error = message.error if isinstance(message, EditResult) else None
    return error is not None and error.code == EditRefused.code


def _naming_clause(result: EditResult, clause: EditRequest) -> EditResult:
    """A copy of ``result`` whose error says which clause (by its instruction) was not done, so that nothing was;
    ``result`` itself if it has no error.
    """
    if result.error is None:
        return result
    message = f"“{clause.instruction}” was not done, so nothing was: {result.error.message}"
    return replace(result, error=replace(result.error, message=message))


def load_planning() -> None:
    """Import what planning an edit needs: half a second, which a front end may spend before the first edit is asked for."""
    import editd.plan
    import editd.refactor.composing  # noqa: F401  for its import


def _plan_edit(request: EditRequest, *, words_first: bool) -> Plan:
    """``plan.plan``, imported by the first edit."""
    from editd.plan import plan

    return plan(request, words_first=words_first)


def _explained(message: ServerMessage, planned: AskModel) -> ServerMessage:
    """A copy of ``message`` whose error is explained by ``planned.explain``, if it is a result with an error and the
    plan found a doubt about the sketch; else ``message`` itself.
    """
    if not planned.found_doubt or not isinstance(message, EditResult) or message.error is None:
        return message
    error = planned.explain(error_for_code(message.error.code, message.error.message))
    return replace(message, error=replace(message.error, code=error.code, message=str(error)))
