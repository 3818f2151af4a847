"""The daemon's side of a connection to a client, from the handshake to the last message.

A client that sends garbage, or does not read, harms only itself. When its requests run is left to ``dispatcher``.
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

_MAX_CLIENT_NAME = 200  # characters, in the log


class ServingDaemon(Protocol):
    """The part of ``Server`` that a connection uses."""

    dispatcher: Dispatcher
    limits: ClientLimits

    def report(self, request_id: str) -> StatusReport:
        """The status of the daemon."""

    def stop(self, *, force: bool) -> None:
        """Refuse further edits, and exit when the running ones are answered; ``force``: cancel them."""


class Connection:
    """Serves a client, which the queue and the log know by ``number``."""

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
        self._stop_requests: list[str] = []  # ids; answered when the daemon exits

    async def serve(self) -> None:
        """Serve until the client or the daemon hangs up, then cancel the client's requests and
        close the connection. A client that breaks the protocol gets the error first; the connection
        of one that is lost or too slow is aborted.

        Raises nothing that a client could cause.
        """
        try:
            if await self._shake_hands():
                await self._read_and_write()
        except ProtocolError as error:
            log.info("client %d: %s", self.number, type(error).__name__)
            self._writer.write(framing.encode(failure("", "", error)))
        except (ConnectionError, TimeoutError) as error:
            log.info("client %d: %s", self.number, type(error).__name__)
            self._writer.transport.abort()
        finally:
            self._dispatcher.drop(self.number)
            await self._hang_up()

    def send_farewell(self) -> None:
        """Queue the connection's last messages, the answers to stop requests and the message that
        the daemon exits, and close the outbox, so that ``serve`` ends when they are written.
        """
        for request_id in self._stop_requests:
            self._send(Done(request_id, "The editd daemon has stopped."))
        self._send(failure("", "", DaemonUnreachable("The editd daemon has stopped.")))
        self._outbox.close()

    # --- the conversation ------------------------------------------------------------------------

    async def _shake_hands(self) -> bool:
        """Read ``Hello``, answer ``Welcome`` and return true.

        ``False`` if the peer belongs to another user, has hung up, or sent ``LEAVE``, by which
        another version stops the daemon when its edits have ended. Raises ``ProtocolError`` for
        another message or protocol, ``TimeoutError`` after ``hello_seconds``.
        """
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
                self._server.stop(force=False)
                return False
            hello = await framing.decode(body)
        if not isinstance(hello, Hello):
            raise ProtocolError("A conversation begins with Hello.")
        if hello.version != PROTOCOL_VERSION:
            raise ProtocolError(
                f"This daemon speaks protocol {PROTOCOL_VERSION}, not {hello.version}."
            )
        log.info(
            "client %d: %r, process %d", self.number, hello.client[:_MAX_CLIENT_NAME], hello.pid
        )
        self._writer.write(framing.encode(Welcome(PROTOCOL_VERSION, __version__, os.getpid())))
        return True

    async def _read_and_write(self) -> None:
        """Read requests and write messages until either ends, then stop the other; raises the
        exception that ended either.
        """
        reading = asyncio.create_task(self._read_requests())
        writing = asyncio.create_task(self._write_messages())
        try:
            await asyncio.wait({reading, writing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            reading.cancel()
            writing.cancel()
            outcomes = await asyncio.gather(reading, writing, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _read_requests(self) -> None:
        """Submit or answer requests until the client closes the stream; raises ``ProtocolError``
        and ``OSError``.

        Reads none while ``limits.answers`` or more messages wait for the client. A request that
        cannot be decoded is answered with the error if its id can be read; otherwise that raises.
        """
        while True:
            # No request is read from a client that does not read its answers: they would pile up.
            await self._outbox.wait_until_fewer(self._limits.answers)
            read = await framing.read_frame(self._reader)
            if read is None:
                return
            request = QueuedRequest.read(*read)
            try:
                if request.is_job:
                    self._submit(request)
                else:
                    self._handle(await framing.decode(request.body))
            except MessageError as error:
                if not request.request_id:
                    raise
                self._send(failure("", request.request_id, error))

    async def _write_messages(self) -> None:
        """Write waiting messages until the outbox is closed and empty; raises ``TimeoutError`` if
        the client stalls, as ``_drain``.
        """
        while outgoing := await self._outbox.take():
            for piece in framing.frame(framing.NO_HEAD, outgoing.body):
                self._writer.write(piece)
                await self._drain()

    def _submit(self, request: QueuedRequest) -> None:
        """Queue a job. Raises ``ProtocolError`` if the client has an unanswered request with the same id."""
        try:
            self._dispatcher.submit(self.number, request, self._deliver)
        except UsageError as error:
            raise ProtocolError(str(error)) from error

    def _handle(self, message: Message) -> None:
        """Answer a status or explain request, cancel a job, or begin to stop the daemon (answered
        when it exits).

        Raises ``ProtocolError`` for a message that a client must not send.
        """
        match message:
            case CancelRequest():
                self._dispatcher.cancel(self.number, message.request_id)
            case StatusRequest():
                self._send(self._server.report(message.request_id))
            case ExplainRequest():
                self._send(self._dispatcher.explain(message))
            case StopRequest():
                self._stop_requests.append(message.request_id)
                self._server.stop(force=message.force)
            case _:
                raise ProtocolError(f"{type(message).__name__} is not for a daemon to read.")

    def _send(self, message: ServerMessage) -> None:
        """Queue a message to the client."""
        self._outbox.put(OutgoingMessage.of(message))

    # --- a client that does not read -------------------------------------------------------------

    def _deliver(self, outgoing: OutgoingMessage) -> None:
        """Queue a message to the client; if more than ``max_waiting_bytes`` wait then, abort the
        connection, logging that.
        """
        self._outbox.put(outgoing)
        if self._outbox.size > self._limits.max_waiting_bytes:
            log.warning("client %d does not read its messages: disconnected", self.number)
            self._writer.transport.abort()

    async def _drain(self) -> None:
        """Wait, if necessary for ever, until the client has read; raises ``TimeoutError`` if it
        reads nothing for ``stall_seconds`` while more than ``stall_bytes`` wait in the outbox.
        """
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
        """Close the connection; abort it if the client does not read the rest in ``farewell_seconds``."""
        self._writer.close()
        try:
            async with asyncio.timeout(self._limits.farewell_seconds):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self._writer.transport.abort()
