"""The ``EngineClient`` that asks this user's daemon, starting it if necessary.

``Conversation`` is one connection: many requests at once, each with its own answers. Finding or starting a
daemon is left to ``lifecycle``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from uuid import uuid4

from editd.daemon import framing, lifecycle, transport
from editd.daemon.engine_client import EngineClient, Request, refuse_half_characters
from editd.daemon.lifecycle import final_words
from editd.daemon.transport import DaemonSilent
from editd.errors import DaemonUnreachable, EditdError, ProtocolError, UsageError, error_for_code
from editd.messages import (
    PROTOCOL_VERSION,
    CancelRequest,
    Done,
    EditRequest,
    Explained,
    ExplainRequest,
    Failed,
    Hello,
    Interim,
    Message,
    ServerMessage,
    StatusReport,
    StatusRequest,
    StopRequest,
    WarmupRequest,
    Welcome,
)

WELCOME_SECONDS = 10.0  # a live daemon answers the handshake at once, even when busy
_CLOSE_SECONDS = 1.0
_LARGE_TEXT = 1 << 17  # characters: so many take long enough to keep an editor's process waiting


class DaemonLeft(DaemonUnreachable):
    """The daemon exited before it began with a request: another one can be asked."""


class NotADaemon(ProtocolError):
    """Another program has the daemon's socket."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"What answers at {address} is no editd daemon: end that program, or remove that file."
        )


class Conversation:
    """One connection after its handshake; ``open`` makes one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.ended: EditdError | None = None  # why nothing can be asked here any more
        self._reader = reader
        self._writer = writer
        self._boxes: dict[
            str, asyncio.Queue[ServerMessage | None]
        ] = {}  # answers on their way, by request
        self._abandoned: set[str] = set()  # requests whose answers are no longer wanted
        self._said_farewell = False
        self._sending = asyncio.Lock()
        self._reading: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: str
    ) -> Conversation:
        """Shake hands.

        Raises ``DaemonSilent``, ``DaemonLeft``, ``NotADaemon``, or the daemon's own objection.
        """
        self = cls(reader, writer)
        try:
            await self._shake_hands(client)
        except BaseException:
            writer.transport.abort()
            raise
        self._reading = asyncio.create_task(self._read())
        return self

    async def _shake_hands(self, client: str) -> None:
        try:
            async with asyncio.timeout(WELCOME_SECONDS):
                with contextlib.suppress(OSError):  # it may have said why, and hung up
                    hello = Hello(PROTOCOL_VERSION, client, os.getpid())
                    self._writer.write(framing.encode(hello))
                    await self._writer.drain()
                welcome = await framing.read_message(self._reader)
        except TimeoutError as error:
            raise DaemonSilent from error
        except (OSError, framing.Truncated) as error:
            raise DaemonLeft("The editd daemon did not accept this client.") from error
        except ProtocolError as error:
            raise NotADaemon(self.address) from error
        if isinstance(welcome, Failed):
            raise error_for_code(welcome.error.code, welcome.error.message)
        if not isinstance(welcome, Welcome):
            raise DaemonLeft("The editd daemon exited during the request.")

    async def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        """Send ``request`` and yield the messages about it; the last is the final answer.

        Leaving the generator before the end cancels the request. Raises ``DaemonLeft`` if the
        daemon exited before it began, ``DaemonUnreachable`` if it exited in the middle.
        """
        if self.ended:
            raise DaemonLeft(str(self.ended))
        request_id = request.request_id
        if request_id in self._boxes or request_id in self._abandoned:
            raise UsageError("Two requests at once have the same request_id: use one for each.")
        box = self._boxes[request_id] = asyncio.Queue[ServerMessage | None]()
        sent = begun = False
        try:
            # One at a time: an edit must not overtake an older one while that is encoded.
            async with self._sending:
                frame = await _encode(request)
                self._writer.write(frame)
                sent = True
            await self._drain()
            while message := await box.get():
                if _is_farewell(message):
                    raise DaemonLeft("The editd daemon is stopping: try again in a moment.")
                begun = True
                yield message
                if is_final(message):
                    return
            error = self.ended or DaemonUnreachable(
                "The connection to the editd daemon was closed."
            )
            raise error if begun or not self._said_farewell else DaemonLeft(str(error))
        finally:
            if self._boxes.pop(request_id, None) and sent and not self.ended:
                self._abandoned.add(request_id)
                self._writer.write(framing.encode(CancelRequest(request_id)))

    async def cancel(self, request_id: str) -> None:
        """Cancel a request; its own answer reports the cancellation."""
        async with self._sending:  # it must not overtake its request either
            if not self.ended:
                self._writer.write(framing.encode(CancelRequest(request_id)))

    @property
    def address(self) -> str:
        """The path of the daemon's socket."""
        return str(self._writer.get_extra_info("peername"))

    @property
    def idle(self) -> bool:
        """Whether no request is open here."""
        return not self._boxes

    async def until_ended(self, seconds: float) -> None:
        """Return when the daemon has closed the connection, or after so many seconds."""
        if self._reading:
            await asyncio.wait([self._reading], timeout=seconds)

    async def close(self) -> None:
        """Close the connection; the daemon cancels all open requests."""
        if self._reading:
            self._reading.cancel()
            await asyncio.wait([self._reading])
        self._end(DaemonUnreachable("The connection to the editd daemon was closed."))
        self._writer.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._writer.wait_closed()
        except OSError:  # also TimeoutError: what a suspended daemon never reads
            self._writer.transport.abort()

    # --- the two directions ----------------------------------------------------------------------

    async def _drain(self) -> None:
        try:
            await self._writer.drain()
        except OSError as error:
            raise DaemonLeft("The editd daemon has gone.") from error

    async def _read(self) -> None:
        """Put every answer into the box of its request, until the daemon closes the connection."""
        reason: EditdError | None = None
        try:
            while (message := await framing.read_message(self._reader)) is not None:
                if not isinstance(message, Failed) or message.request_id:
                    self._sort(message)
                else:  # about the conversation as a whole; the daemon hangs up after it
                    reason = error_for_code(message.error.code, message.error.message)
                    self._said_farewell = _is_farewell(message)
        except (OSError, framing.Truncated):
            pass  # it died; why stands below
        except ProtocolError as error:
            reason = error
        finally:
            self._end(reason or _death())

    def _sort(self, message: Message) -> None:
        request_id = getattr(message, "request_id", "")
        if not isinstance(message, ServerMessage) or isinstance(message, Welcome):
            raise ProtocolError(f"{type(message).__name__} is not for a client to read.")
        if box := self._boxes.get(request_id):
            box.put_nowait(message)
        if is_final(message):
            self._boxes.pop(request_id, None)
            self._abandoned.discard(request_id)

    def _end(self, reason: EditdError) -> None:
        self.ended = self.ended or reason
        for box in self._boxes.values():
            box.put_nowait(None)


async def _encode(request: Request) -> bytes:
    """The frame of ``request``; raises ``UsageError`` if it cannot be encoded."""
    try:
        if isinstance(request, EditRequest | WarmupRequest) and len(request.text) > _LARGE_TEXT:
            return await asyncio.to_thread(framing.encode, request)
        return framing.encode(request)
    except UnicodeEncodeError:
        refuse_half_characters(request)
        raise
    except (ValueError, TypeError) as error:
        raise UsageError(f"The request cannot be sent: {error}.") from error


def _death() -> DaemonUnreachable:
    """The message about a daemon that ended without one."""
    words = final_words()
    reason = f"its last output was “{words}”" if words else "`editd logs` may say why"
    return DaemonUnreachable(
        f"The editd daemon ended unexpectedly: try again to start a new one; {reason}."
    )


def is_final(message: Message) -> bool:
    """Whether nothing follows ``message`` in answer to its request."""
    return not isinstance(message, Interim)


def _is_farewell(message: Message) -> bool:
    """Whether it is a farewell: only an exiting daemon says over its socket that there is none."""
    return isinstance(message, Failed) and message.error.code == DaemonUnreachable.code


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
