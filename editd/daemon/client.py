"""The ``EngineClient`` of this user's daemon, which it starts if necessary; and ``editd stop``.

Finding or starting a daemon is left to ``lifecycle``, a connection to ``conversation``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from uuid import uuid4

from editd.daemon import lifecycle, transport
from editd.daemon.conversation import Conversation, DaemonExited, NotADaemon
from editd.daemon.engine_client import EngineClient, Request
from editd.daemon.transport import DaemonSilent
from editd.errors import DaemonUnreachable, ProtocolError
from editd.messages import (
    Done,
    Explained,
    ExplainRequest,
    ServerMessage,
    StatusReport,
    StatusRequest,
    StopRequest,
)

_EXIT_SECONDS = 30.0  # for which a request waits until an exiting daemon makes room for a new one
_STATUS_SECONDS = 10.0  # a daemon answers at once; a suspended one never


class SocketEngineClient(EngineClient):
    """An ``EngineClient`` that asks the daemon over a connection, which is opened by the first request.

    If the daemon exits between two requests, the next request starts another. A request that was
    running when its daemon died is not sent again, since it may have killed the daemon.

    start: whether a request may start a daemon if none runs. client: a name for logs. command: runs
    a daemon in the foreground; by default this editd.
    """

    def __init__(
        self, *, start: bool = True, client: str = "cli", command: Sequence[str] | None = None
    ) -> None:
        self._start = start
        self._client = client
        self._command = command
        self._conversation: Conversation | None = None
        self._former_conversations: list[
            Conversation
        ] = []  # with exiting daemons, which still answer
        self._connecting = asyncio.Lock()

    @classmethod
    async def connect(
        cls, *, start: bool = True, client: str = "cli", command: Sequence[str] | None = None
    ) -> SocketEngineClient:
        """Make a client and open its connection, starting a daemon if ``start``.

        client: its name in the daemon's log. command: runs a daemon in the foreground; by default
        this editd. Raises ``DaemonUnreachable`` or one of its kinds.
        """
        self = cls(start=start, client=client, command=command)
        await self._open_conversation(start=start)
        return self

    async def cancel(self, request_id: str) -> None:
        """Ask every connected daemon to cancel a job."""
        for conversation in self._conversations():
            await conversation.cancel(request_id)

    async def status(self) -> StatusReport:
        """Ask the daemon for its status, waiting at most ``_STATUS_SECONDS`` for the answer. Starts
        no daemon, whatever the client may.

        Raises ``DaemonSilent`` after that time, ``ProtocolError`` for another answer, and as
        ``ask``.
        """
        try:
            async with asyncio.timeout(_STATUS_SECONDS):
                report = await self._final_message(StatusRequest(uuid4().hex))
        except TimeoutError as error:
            raise DaemonSilent from error
        if not isinstance(report, StatusReport):
            raise ProtocolError("The editd daemon did not answer with its status.")
        return report

    async def explain(self, trace_id: str = "") -> Explained:
        """Ask the daemon for the trace of a finished edit, by default the newest; starts one if
        necessary and the client may.

        The answer's trace is ``None`` if the daemon keeps none of that id (or none at all). Raises
        ``ProtocolError`` for another answer, and as ``ask``.
        """
        answer = await self._final_message(ExplainRequest(uuid4().hex, trace_id))
        if not isinstance(answer, Explained):
            raise ProtocolError("The editd daemon did not explain its edits.")
        return answer

    async def stop(self, *, force: bool = False) -> str:
        """Ask the daemon to exit when its edits have ended, or with ``force`` at once (edits are
        cancelled), and wait without a limit until it answers, which it does when it exits.

        Returns the daemon's sentence about it, empty if its answer is not a ``Done``. Starts no
        daemon: the client never does from then on. Raises as ``ask``, ``DaemonUnreachable`` if none
        runs.
        """
        self._start = False  # stopping a daemon never starts one
        done = await self._final_message(StopRequest(uuid4().hex, force))
        return done.message if isinstance(done, Done) else ""

    async def aclose(self) -> None:
        """Close all connections; the daemons cancel open requests."""
        for conversation in self._conversations():
            await conversation.close()

    async def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        """Ask the daemon as ``EngineClient.ask``, starting one if necessary and the client may.

        If it exits before its first message and the client may start one, asks the next daemon,
        once; if the daemon was of this version, it first waits up to ``_EXIT_SECONDS`` until that
        has exited. Raises as ``Conversation.ask`` and ``_open_conversation``, so
        ``DaemonUnreachable`` if none runs and none may be started.
        """
        conversation: Conversation | None = None
        for attempt in range(2):
            try:
                start = self._start and not isinstance(request, StatusRequest)
                conversation = await self._open_conversation(start=start, broken=conversation)
                async with aclosing(conversation.ask(request)) as messages:
                    async for message in messages:
                        yield message
                return
            except DaemonExited:  # no message has been yielded, so another daemon may be asked
                if attempt or not self._start:
                    raise
                # A daemon that makes room for another version is left alone; the successor of
                # this version's own can start when that has exited.
                if conversation and conversation.address == str(transport.socket_path()):
                    await conversation.until_ended(_EXIT_SECONDS)

    async def _open_conversation(
        self, *, start: bool, broken: Conversation | None = None
    ) -> Conversation:
        """The current conversation, unless it has ended or is ``broken``; else reach a daemon,
        starting one only with ``start``, and make a new conversation with it the current one.

        Then also closes former conversations without open requests. Raises ``DaemonUnreachable``,
        ``DaemonSilent``, ``DaemonExited``, the error in the daemon's ``Failed``, or ``NotADaemon``
        (the peer's answer cannot be read, or it is silent and no daemon holds the socket).
        """
        async with self._connecting:
            current = self._conversation
            if current and not current.ended and current is not broken:
                return current
            self._former_conversations = self._conversations()
            self._conversation = None
            for conversation in [former for former in self._former_conversations if former.idle]:
                self._former_conversations.remove(conversation)
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
        """The conversations, the current last."""
        return (
            [*self._former_conversations, self._conversation]
            if self._conversation
            else [*self._former_conversations]
        )


async def stop_daemon(*, force: bool = False) -> str:
    """Stop this user's daemon, as ``editd stop``, and wait until it exits; returns a sentence about
    it.

    Daemons of other versions are asked to finish their edits and exit; if only such run, returns
    without waiting for them. With ``force``, edits are cancelled, and a daemon that is alive but
    cannot be asked is killed. Raises ``DaemonUnreachable`` if no daemon runs or, without ``force``,
    it cannot be asked.
    """
    path = transport.socket_path()
    others = await lifecycle.dismiss_others(path)
    if others and not lifecycle.is_running(path):
        return "The editd daemon of another version exits when its edits have finished."
    try:
        client = await SocketEngineClient.connect(start=False, client="stop")
        async with aclosing(client):
            return await client.stop(force=force)
    except DaemonUnreachable as error:
        is_alive = isinstance(error, DaemonSilent) or lifecycle.is_running(path)
        if not (force and is_alive):
            raise
        return f"The editd daemon did not answer: its process {lifecycle.kill(path)} was killed."
