"""One client of the daemon: its handshake, its requests and its messages.

Knows streams, frames and messages. The queue and the engine belong to the dispatcher, startup and
shutdown to the server. A client that sends garbage, or does not read, harms only itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable

from editd import __version__
from editd.daemon import framing, transport
from editd.daemon.client_limits import Limits
from editd.daemon.dispatcher import Dispatcher
from editd.daemon.envelope import Asked, Told
from editd.daemon.outbox import Outbox
from editd.errors import (
    DaemonUnreachable,
    EditdError,
    ProtocolError,
    UsageError,
)
from editd.messages import (
    PROTOCOL_VERSION,
    CancelRequest,
    CompleteRequest,
    Done,
    EditRequest,
    ErrorInfo,
    ExplainRequest,
    Failed,
    Hello,
    Message,
    MessageError,
    ServerMessage,
    StatusReport,
    StatusRequest,
    StopRequest,
    WarmupRequest,
    Welcome,
)

log = logging.getLogger(__name__)

_MAX_NAME = 200  # characters of what a client calls itself or its requests


class Connection:
    """Serves one client from its first byte to its last. ``number`` is its name in the queue.

    report: the daemon's status. leave: stops the daemon after its edits, or at once (``force``).
    """

    def __init__(
        self,
        number: int,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        dispatcher: Dispatcher,
        limits: Limits,
        report: Callable[[str], StatusReport],
        leave: Callable[..., None],
    ) -> None:
        self.number = number
        self._reader, self._writer = streams
        self._dispatcher = dispatcher
        self._limits = limits
        self._report = report
        self._leave = leave
        self._outbox = Outbox()
        self._stops: list[str] = []  # stop requests, answered when the daemon leaves

    async def serve(self) -> None:
        """The whole conversation. Raises nothing that a client could cause."""
        try:
            if await self._shake_hands():
                await self._converse()
        except (ProtocolError, MessageError) as error:
            log.info("client %d: %s", self.number, type(error).__name__)
            self._writer.write(framing.encode(_failed("", error)))
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
        self._say(_failed("", DaemonUnreachable("The editd daemon has stopped.")))
        self._outbox.close()

    # --- the conversation ------------------------------------------------------------------------

    async def _shake_hands(self) -> bool:
        """Whether the peer is of this user and this version."""
        if transport.peer_uid(self._writer) != os.getuid():
            log.warning("client %d belongs to another user", self.number)
            return False
        async with asyncio.timeout(self._limits.hello_seconds):
            frame = await framing.read_frame(self._reader)
            if not frame:
                if frame is not None:
                    log.info("stopped by another version")
                    self._leave(force=False)
                return False
            hello = await framing.decode(frame)
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
            frame = await framing.read_frame(self._reader)
            if frame is None:
                return
            try:
                if asked := Asked.read(frame):
                    self._submit(asked)
                else:
                    self._handle(await framing.decode(frame))
            except MessageError as error:
                request_id = framing.request_id_in(frame)
                if not request_id:
                    raise
                self._say(_failed(request_id, error))

    async def _write(self) -> None:
        while told := await self._outbox.take():
            for piece in framing.frame(told.body):
                self._writer.write(piece)
                await self._drain()

    def _submit(self, asked: Asked) -> None:
        if len(asked.request_id) > _MAX_NAME:  # it is in the log
            raise ProtocolError("A request_id is too long.")
        try:
            self._dispatcher.submit(self.number, asked, self._deliver)
        except UsageError as error:
            raise ProtocolError(str(error)) from error

    def _handle(self, message: Message) -> None:
        match message:
            case CancelRequest():
                self._dispatcher.cancel(self.number, message.request_id)
            case StatusRequest():
                self._say(self._report(message.request_id))
            case ExplainRequest():
                self._say(self._dispatcher.explain(message))
            case StopRequest():
                self._stops.append(message.request_id)
                self._leave(force=message.force)
            case EditRequest() | CompleteRequest() | WarmupRequest():  # its fields were in disorder
                self._submit(Asked.of(message))
            case _:
                raise ProtocolError(f"{type(message).__name__} is not for a daemon to read.")

    def _say(self, message: ServerMessage) -> None:
        self._outbox.put(Told.of(message))

    # --- a client that does not read -------------------------------------------------------------

    def _deliver(self, told: Told) -> None:
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


def _failed(request_id: str, error: EditdError | MessageError) -> Failed:
    code = error.code if isinstance(error, EditdError) else ProtocolError.code
    return Failed(request_id, ErrorInfo(code, str(error)))
