"""One client of the daemon, from its handshake to its last message.

A client that sends garbage, or does not read, harms only itself. ``dispatcher`` decides when its requests run.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Protocol

from editd import __version__
from editd.daemon import framing, transport
from editd.daemon.dispatcher import Dispatcher
from editd.daemon.failures import failure
from editd.daemon.forwarded import OutgoingMessage, QueuedRequest
from editd.daemon.framing import MessageError
from editd.daemon.outbox import ClientLimits, Outbox
from editd.errors import (
    DaemonUnreachable,
    ProtocolError,
    UsageError,
)
from editd.messages import (
    PROTOCOL_VERSION,
    CancelRequest,
    Done,
    ExplainRequest,
    Hello,
    Message,
    ServerMessage,
    StatusReport,
    StatusRequest,
    StopRequest,
    Welcome,
)

log = logging.getLogger(__name__)


_MAX_NAME = 200  # characters of what a client calls itself


class ServingDaemon(Protocol):
    """The daemon of a connection."""

    dispatcher: Dispatcher
    limits: ClientLimits

    def report(self, request_id: str) -> StatusReport:
        """The status of the daemon."""

    def leave(self, *, force: bool) -> None:
        """Refuse further edits, and exit when the running ones are answered; ``force``: cancel them."""


class Connection:
    """Serves one client from its first byte to its last. ``number`` is its name in the queue."""

    def __init__(
        self,
        number: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        server: ServingDaemon,
    ) -> None:
        self.number = number
        self._reader, self._writer = reader, writer
        self._server = server
        self._dispatcher, self._limits = server.dispatcher, server.limits
        self._outbox = Outbox()
        self._stops: list[str] = []  # stop requests, answered when the daemon leaves

    async def serve(self) -> None:
        """The whole conversation. Raises nothing that a client could cause."""
        try:
            if await self._shake_hands():
                await self._converse()
        except ProtocolError as error:
            log.info("client %d: %s", self.number, type(error).__name__)
            self._writer.write(framing.encode(failure("", "", error)))
        except (ConnectionError, TimeoutError) as error:
            log.info("client %d: %s", self.number, type(error).__name__)
            self._writer.transport.abort()
        finally:
            self._dispatcher.drop(self.number)
            await self._hang_up()

    def say_farewell(self) -> None:
        """Tell the client that the daemon is exiting; the conversation ends when that is written."""
        for request_id in self._stops:
            self._say(Done(request_id, "The editd daemon has stopped."))
        self._say(failure("", "", DaemonUnreachable("The editd daemon has stopped.")))
        self._outbox.close()

    # --- the conversation ------------------------------------------------------------------------

    async def _shake_hands(self) -> bool:
        """Whether the peer is of this user and this version."""
        if transport.peer_uid(self._writer) != os.getuid():
            log.warning("client %d belongs to another user", self.number)
            return False
        async with asyncio.timeout(self._limits.hello_seconds):
            read = await framing.read_frame(self._reader)
            if read is None:
                return False
            head, body = read
            if not head:
                log.info("stopped by another version")
                self._server.leave(force=False)
                return False
            hello = await framing.decode(body)
        if not isinstance(hello, Hello):
            raise ProtocolError("A conversation begins with Hello.")
        if hello.version != PROTOCOL_VERSION:
            raise ProtocolError(
                f"This daemon speaks protocol {PROTOCOL_VERSION}, not {hello.version}."
            )
        log.info("client %d: %r, process %d", self.number, hello.client[:_MAX_NAME], hello.pid)
        self._writer.write(framing.encode(Welcome(PROTOCOL_VERSION, __version__, os.getpid())))
        return True

    async def _converse(self) -> None:
        """Read and write until one of the two ends."""
        reading = asyncio.create_task(self._read())
        writing = asyncio.create_task(self._write())
        try:
            await asyncio.wait({reading, writing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            reading.cancel()
            writing.cancel()
            outcomes = await asyncio.gather(reading, writing, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _read(self) -> None:
        while True:
            # Who does not read its answers is not listened to: they would pile up.
            await self._outbox.wait_until_fewer(self._limits.answers)
            read = await framing.read_frame(self._reader)
            if read is None:
                return
            asked = QueuedRequest.read(*read)
            try:
                if asked.is_job:
                    self._submit(asked)
                else:
                    self._handle(await framing.decode(asked.body))
            except MessageError as error:
                if not asked.request_id:
                    raise
                self._say(failure("", asked.request_id, error))

    async def _write(self) -> None:
        while told := await self._outbox.take():
            for piece in framing.frame(framing.NO_HEAD, told.body):
                self._writer.write(piece)
                await self._drain()

    def _submit(self, asked: QueuedRequest) -> None:
        try:
            self._dispatcher.submit(self.number, asked, self._deliver)
        except UsageError as error:
            raise ProtocolError(str(error)) from error

    def _handle(self, message: Message) -> None:
        match message:
            case CancelRequest():
                self._dispatcher.cancel(self.number, message.request_id)
            case StatusRequest():
                self._say(self._server.report(message.request_id))
            case ExplainRequest():
                self._say(self._dispatcher.explain(message))
            case StopRequest():
                self._stops.append(message.request_id)
                self._server.leave(force=message.force)
            case _:
                raise ProtocolError(f"{type(message).__name__} is not for a daemon to read.")

    def _say(self, message: ServerMessage) -> None:
        self._outbox.put(OutgoingMessage.of(message))

    # --- a client that does not read -------------------------------------------------------------

    def _deliver(self, told: OutgoingMessage) -> None:
        self._outbox.put(told)
        if self._outbox.size > self._limits.max_waiting_bytes:
            log.warning("client %d does not read its messages: disconnected", self.number)
            self._writer.transport.abort()

    async def _drain(self) -> None:
        """Wait until the client has read; ``TimeoutError`` if it has stalled beyond the limits."""
        limits = self._limits
        while True:
            try:
                async with asyncio.timeout(limits.stall_seconds):
                    await self._writer.drain()
                return
            except TimeoutError:
                if self._outbox.size > limits.stall_bytes:
                    log.warning("client %d has stalled: disconnected", self.number)
                    raise

    async def _hang_up(self) -> None:
        self._writer.close()
        try:
            async with asyncio.timeout(self._limits.farewell_seconds):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self._writer.transport.abort()
