"""The ``EngineClient`` that asks this user's daemon, starting it if necessary; and how a daemon is stopped.

Finding or starting a daemon is left to ``lifecycle``, one connection to ``conversation``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from uuid import uuid4

from editd.daemon import lifecycle, transport
from editd.daemon.conversation import Conversation, DaemonLeft, NotADaemon
from editd.daemon.engine_client import EngineClient, Request
from editd.daemon.transport import DaemonSilent
from editd.errors import ProtocolError
from editd.messages import (
    Done,
    Explained,
    ExplainRequest,
    ServerMessage,
    StatusReport,
    StatusRequest,
    StopRequest,
)

_LEAVE_SECONDS = 30.0  # how long a request waits for a leaving daemon to make room for a new one
_STATUS_SECONDS = 10.0  # a daemon answers at once; a suspended one never


class SocketEngineClient(EngineClient):
    """An ``EngineClient`` that asks the daemon over one connection, made with the first request.

    If the daemon exits between two requests, the next request starts another. A request that was
    running when its daemon died is not sent again, since it may have killed the daemon.

    start: start a daemon if none runs, now and later. client: a name for logs. command: starts
    a daemon in the foreground; by default this editd.
    """

    def __init__(
        self, *, start: bool = True, client: str = "cli", command: Sequence[str] | None = None
    ) -> None:
        self._start = start
        self._client = client
        self._command = command
        self._conversation: Conversation | None = None
        self._former: list[Conversation] = []  # with daemons that shut down; they still report
        self._reaching = asyncio.Lock()

    @classmethod
    async def connect(
        cls, *, start: bool = True, client: str = "cli", command: Sequence[str] | None = None
    ) -> SocketEngineClient:
        """A client with an open connection. Raises ``DaemonUnreachable``."""
        self = cls(start=start, client=client, command=command)
        await self._reach(start=start)
        return self

    async def cancel(self, request_id: str) -> None:
        """As ``EngineClient.cancel``."""
        for conversation in self._conversations():
            await conversation.cancel(request_id)

    async def status(self) -> StatusReport:
        """As ``EngineClient.status``."""
        try:
            async with asyncio.timeout(_STATUS_SECONDS):
                report = await self._final_answer(StatusRequest(uuid4().hex))
        except TimeoutError as error:
            raise DaemonSilent from error
        if not isinstance(report, StatusReport):
            raise ProtocolError("The editd daemon did not answer with its status.")
        return report

    async def explain(self, trace_id: str = "") -> Explained:
        """The trace of a finished edit, by default the last one; answered at once."""
        answer = await self._final_answer(ExplainRequest(uuid4().hex, trace_id))
        if not isinstance(answer, Explained):
            raise ProtocolError("The editd daemon did not explain its edits.")
        return answer

    async def stop(self, *, force: bool = False) -> str:
        """Stop the daemon when its edits have ended, or at once; returns one sentence when it has exited."""
        self._start = False  # stopping a daemon never starts one
        done = await self._final_answer(StopRequest(uuid4().hex, force))
        return done.message if isinstance(done, Done) else ""

    async def aclose(self) -> None:
        """As ``EngineClient.aclose``."""
        for conversation in self._conversations():
            await conversation.close()

    async def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        conversation: Conversation | None = None
        for attempt in range(2):
            try:
                start = self._start and not isinstance(request, StatusRequest)
                conversation = await self._reach(start=start, instead_of=conversation)
                async with aclosing(conversation.ask(request)) as messages:
                    async for message in messages:
                        yield message
                return
            except DaemonLeft:  # nothing has been said yet, so another daemon may be asked
                if attempt or not self._start:
                    raise
                # One that makes room for another version is left alone; this version's own
                # successor comes when it has gone.
                if conversation and conversation.address == str(transport.socket_path()):
                    await conversation.until_ended(_LEAVE_SECONDS)

    async def _reach(self, *, start: bool, instead_of: Conversation | None = None) -> Conversation:
        """The open conversation, or a new one with a daemon that may have to be started."""
        async with self._reaching:
            current = self._conversation
            if current and not current.ended and current is not instead_of:
                return current
            self._former = self._conversations()
            self._conversation = None
            for conversation in [one for one in self._former if one.idle]:
                self._former.remove(conversation)
                await conversation.close()
            streams = await lifecycle.reach(start=start, command=self._command)
            try:
                self._conversation = await Conversation.open(*streams, self._client)
            except DaemonSilent as error:
                path = transport.socket_path()
                if lifecycle.is_running(path):
                    raise
                raise NotADaemon(str(path)) from error
            return self._conversation

    def _conversations(self) -> list[Conversation]:
        return [*self._former, self._conversation] if self._conversation else [*self._former]


async def stop_daemon(*, force: bool = False) -> str:
    """What ``editd stop`` does; returns one sentence.

    Daemons of other versions are asked to finish and exit, too. Raises ``DaemonUnreachable``
    if there is no daemon. With ``force``, one that does not answer is killed.
    """
    path = transport.socket_path()
    others = await lifecycle.dismiss_others(path)
    if others and not lifecycle.is_running(path):
        return "The editd daemon of another version exits when its edits have finished."
    try:
        client = await SocketEngineClient.connect(start=False, client="stop")
        async with aclosing(client):
            return await client.stop(force=force)
    except DaemonSilent:
        if not force:
            raise
        return f"The editd daemon did not answer: its process {lifecycle.kill(path)} was killed."
