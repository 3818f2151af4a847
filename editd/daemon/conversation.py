"""The client's side of a connection to a daemon: the handshake, then many requests at once, each with its own answers.

Finding or starting a daemon is left to ``lifecycle``, asking another daemon to ``client``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator

from editd.daemon import framing
from editd.daemon.engine_client import Request, raise_if_failed, refuse_half_characters
from editd.daemon.spawning import last_output
from editd.daemon.transport import DaemonSilent
from editd.errors import DaemonUnreachable, EditdError, ProtocolError, UsageError, error_for_code
from editd.messages import (
    PROTOCOL_VERSION,
    CancelRequest,
    EditRequest,
    Failed,
    Hello,
    Interim,
    Message,
    ServerMessage,
    WarmupRequest,
    Welcome,
)

WELCOME_SECONDS = 10.0  # a live daemon answers the handshake at once, even when busy
_CLOSE_SECONDS = 1.0
_LARGE_TEXT = 1 << 17  # characters: so many take long enough to keep an editor's process waiting


class DaemonExited(DaemonUnreachable):
    """The daemon exited before it sent a message about the request: another daemon may be asked."""


class NotADaemon(ProtocolError):
    """The program at the daemon's socket is no daemon. ``address``: the socket's path."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"What answers at {address} is no editd daemon: end that program, or remove that file."
        )


class Conversation:
    """A connection to a daemon after the handshake, made by ``open``. Several requests may be open at once."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.ended: EditdError | None = None  # why this conversation can ask nothing more
        self._reader = reader
        self._writer = writer
        self._boxes: dict[
            str, asyncio.Queue[ServerMessage | None]
        ] = {}  # messages on their way, by request
        self._abandoned: set[str] = (
            set()
        )  # requests whose generators were left; their answers are ignored
        self._daemon_exits = False
        self._send_lock = asyncio.Lock()
        self._reader_task: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: str
    ) -> Conversation:
        """Shake hands over the streams and start reading; aborts the connection if that fails.

        Raises ``DaemonSilent``, ``DaemonExited``, ``NotADaemon``, or the error in the daemon's ``Failed``.
        """
        self = cls(reader, writer)
        try:
            await self._shake_hands(client)
        except BaseException:
            writer.transport.abort()
            raise
        self._reader_task = asyncio.create_task(self._read_messages())
        return self

    async def _shake_hands(self, client: str) -> None:
        """Send ``Hello`` with ``client``, a name for the daemon's log, and wait for ``Welcome``.

        Raises ``DaemonSilent`` after ``WELCOME_SECONDS``, ``DaemonExited`` if the daemon hangs up
        or answers with another message, ``NotADaemon`` if the answer cannot be read, and the error
        in a ``Failed`` answer.
        """
        try:
            async with asyncio.timeout(WELCOME_SECONDS):
                with contextlib.suppress(OSError):  # the daemon may have sent why, and hung up
                    hello = Hello(PROTOCOL_VERSION, client, os.getpid())
                    self._writer.write(framing.encode(hello))
                    await self._writer.drain()
                welcome = await framing.read_message(self._reader)
        except TimeoutError as error:
            raise DaemonSilent from error
        except (OSError, framing.Truncated) as error:
            raise DaemonExited("The editd daemon did not accept this client.") from error
        except ProtocolError as error:
            raise NotADaemon(self.address) from error
        if isinstance(welcome, Failed):
            raise error_for_code(welcome.error.code, welcome.error.message)
        if not isinstance(welcome, Welcome):
            raise DaemonExited("The editd daemon exited during the request.")

    async def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        """Send ``request`` and yield the messages about it; the last is the final answer.

        Leaving the generator before the end cancels the request. Raises ``UsageError`` for a
        request that cannot be encoded or whose id is in use, ``EditRefused`` if it is too large,
        ``DaemonExited`` if the conversation has ended, the connection is lost while sending, or the
        daemon says that it exits and has sent nothing else; ``DaemonUnreachable``, or why the
        conversation ended, if it ends otherwise; and the error of a request that ends in
        ``Failed``.
        """
        if self.ended:
            raise DaemonExited(str(self.ended))
        request_id = request.request_id
        if request_id in self._boxes or request_id in self._abandoned:
            raise UsageError("Two requests at once have the same request_id: use one for each.")
        box = self._boxes[request_id] = asyncio.Queue[ServerMessage | None]()
        sent = begun = False
        try:
            # One at a time: an edit must not overtake an older one while that is encoded.
            async with self._send_lock:
                frame = await _encode_request(request)
                self._writer.write(frame)
                sent = True
            await self._drain()
            while message := await box.get():
                if _is_exit_notice(message):
                    raise DaemonExited("The editd daemon is stopping: try again in a moment.")
                begun = True
                raise_if_failed(message)
                yield message
                if is_final(message):
                    return
            error = self.ended or DaemonUnreachable(
                "The connection to the editd daemon was closed."
            )
            raise error if begun or not self._daemon_exits else DaemonExited(str(error))
        finally:
            if self._boxes.pop(request_id, None) and sent and not self.ended:
                self._abandoned.add(request_id)
                self._writer.write(framing.encode(CancelRequest(request_id)))

    async def cancel(self, request_id: str) -> None:
        """Ask the daemon to cancel a request, whose own answer reports that; no effect on an ended conversation."""
        async with self._send_lock:  # a cancellation must not overtake its request either
            if not self.ended:
                self._writer.write(framing.encode(CancelRequest(request_id)))

    @property
    def address(self) -> str:
        """The path of the daemon's socket."""
        return str(self._writer.get_extra_info("peername"))

    @property
    def idle(self) -> bool:
        """Whether no request of this conversation is open."""
        return not self._boxes

    async def until_ended(self, seconds: float) -> None:
        """Wait until the daemon has closed the connection, at most so many seconds."""
        if self._reader_task:
            await asyncio.wait([self._reader_task], timeout=seconds)

    async def close(self) -> None:
        """Close the connection, waiting at most ``_CLOSE_SECONDS``, then abort it; open requests
        end with ``DaemonUnreachable``, and the daemon cancels them.
        """
        if self._reader_task:
            self._reader_task.cancel()
            await asyncio.wait([self._reader_task])
        self._end(DaemonUnreachable("The connection to the editd daemon was closed."))
        self._writer.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._writer.wait_closed()
        except OSError:  # also TimeoutError: what a suspended daemon never reads
            self._writer.transport.abort()

    # --- the two directions ----------------------------------------------------------------------

    async def _drain(self) -> None:
        """Wait until the daemon has read; raises ``DaemonExited`` if the connection is lost."""
        try:
            await self._writer.drain()
        except OSError as error:
            raise DaemonExited("The editd daemon has gone.") from error

    async def _read_messages(self) -> None:
        """Deliver messages to their requests until the daemon closes the connection or sends what
        cannot be read; then end the conversation. Raises nothing of that.

        The reason is the error of the ``Failed`` without request id that the daemon sent last, the
        ``ProtocolError`` of what cannot be read, or else that it ended unexpectedly.
        """
        reason: EditdError | None = None
        try:
            while (message := await framing.read_message(self._reader)) is not None:
                if not isinstance(message, Failed) or message.request_id:
                    self._deliver(message)
                else:  # about the whole conversation; the daemon hangs up after it
                    reason = error_for_code(message.error.code, message.error.message)
                    self._daemon_exits = _is_exit_notice(message)
        except (OSError, framing.Truncated):
            pass  # the daemon died: see ``_unexpected_end``
        except ProtocolError as error:
            reason = error
        finally:
            self._end(reason or _unexpected_end())

    def _deliver(self, message: Message) -> None:
        """Put a message into its request's box, if that is open, and close the box after a final
        answer. Raises ``ProtocolError`` for a message that is not a server's.
        """
        request_id = getattr(message, "request_id", "")
        if not isinstance(message, ServerMessage) or isinstance(message, Welcome):
            raise ProtocolError(f"{type(message).__name__} is not for a client to read.")
        if box := self._boxes.get(request_id):
            box.put_nowait(message)
        if is_final(message):
            self._boxes.pop(request_id, None)
            self._abandoned.discard(request_id)

    def _end(self, reason: EditdError) -> None:
        """Note why nothing more can be asked, unless it is noted, and end all open requests."""
        self.ended = self.ended or reason
        for box in self._boxes.values():
            box.put_nowait(None)


async def _encode_request(request: Request) -> bytes:
    """The frame of ``request``; encodes a large text in a thread. Raises ``UsageError`` if it
    cannot be encoded, and ``EditRefused`` if it is too large.
    """
    try:
        if isinstance(request, EditRequest | WarmupRequest) and len(request.text) > _LARGE_TEXT:
            return await asyncio.to_thread(framing.encode, request)
        return framing.encode(request)
    except UnicodeEncodeError:
        refuse_half_characters(request)
        raise
    except (ValueError, TypeError) as error:
        raise UsageError(f"The request cannot be sent: {error}.") from error


def _unexpected_end() -> DaemonUnreachable:
    """The error about a daemon that ended without sending one; it quotes the daemon's last output,
    read from its file, if there is any.
    """
    output = last_output()
    reason = f"its last output was “{output}”" if output else "`editd logs` may say why"
    return DaemonUnreachable(
        f"The editd daemon ended unexpectedly: try again to start a new one; {reason}."
    )


def is_final(message: Message) -> bool:
    """Whether nothing follows ``message`` in answer to its request."""
    return not isinstance(message, Interim)


def _is_exit_notice(message: Message) -> bool:
    """Whether ``message`` announces that the daemon exits: no other daemon sends the error ``DaemonUnreachable``."""
    return isinstance(message, Failed) and message.error.code == DaemonUnreachable.code
