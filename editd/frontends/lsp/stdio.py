"""The client's pipe: LSP's frames, read and written within a memory limit.

A frame is ``Content-Length: n``, an empty line, n bytes of JSON. Bytes that are no frame are reported once
and skipped up to the next ``Content-Length``, so that one bad frame costs one message and not the server.

One thread waits for what can be read and one until all is written, so that neither a slow client nor a file in
place of the pipe can block the event loop. ``busy`` says that the client is behind; a sender that can merge its messages
should then wait. If it falls far behind, reading stops until it catches up. A client that sends
requests and never reads blocks only itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from editd.offload import Threads

MAX_BODY = 256 * 1024 * 1024  # bytes; more is taken for a broken length
_MAX_HEADER = 8192
_NAME = re.compile(rb"Content-Length:", re.IGNORECASE)
_CONTENT_LENGTH = re.compile(rb"(?:^|\r?\n)Content-Length:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)
_END_OF_HEADER = re.compile(rb"\r?\n\r?\n")


BUSY_BYTES = 128 * 1024  # unsent: merge what can be merged
FULL_BYTES = 16 * 1024 * 1024  # unsent: stop reading until half of it is gone
_READ_BYTES = 64 * 1024

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes that could not be read as a frame."""

    reason: str


def frame(body: bytes) -> bytes:
    """A frame: ``body`` with its header."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class FrameReader:
    """Cuts a stream of bytes into the bodies of frames; an incomplete one waits for the next call."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None  # of the body that is being waited for
        self._skipping = False  # a bad frame has been reported; look for the next good one

    def feed(self, data: bytes) -> Iterator[bytes | BadFrame]:
        """Add bytes, and yield the bodies of frames that are complete now, and a ``BadFrame`` once for each stretch
        of bytes that are none; an incomplete frame waits for the next call.
        """
        self._buffer += data
        while True:
            if self._length is None and (problem := self._read_header()) is not None:
                yield problem
                continue
            if self._length is None or len(self._buffer) < self._length:
                return
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._length = None
            yield body

    def _read_header(self) -> BadFrame | None:
        """Take a header off the buffer and set the body's length, if a whole one is there, else wait; returns
        ``None`` in both cases, or a ``BadFrame`` if it is malformed, longer than 8 KiB, or names more than 256 MiB,
        and then skips to the next.
        """
        if self._skipping and not self._skip_to_next():
            return None
        end = _END_OF_HEADER.search(self._buffer)
        if end is None:
            if len(self._buffer) <= _MAX_HEADER:
                return None
            return self._bad("no end of the header in sight")
        header = bytes(self._buffer[: end.end()])
        length = _CONTENT_LENGTH.search(header)
        if length is None or len(header) > _MAX_HEADER or int(length[1][:12]) > MAX_BODY:
            return self._bad("no usable Content-Length in the header")
        del self._buffer[: end.end()]
        self._length = int(length[1])
        return None

    def _bad(self, reason: str) -> BadFrame:
        """Drop the first byte of the buffer, as it begins no frame, and all up to the next ``Content-Length``; if
        none is there yet, later calls go on with that. Returns the report, with ``reason``.
        """
        self._skipping = True
        del self._buffer[:1]  # or the same header would be found again
        self._skip_to_next()
        return BadFrame(reason)

    def _skip_to_next(self) -> bool:
        """Drop everything before the next ``Content-Length``, and stop skipping if the buffer has it; returns whether
        it has. If not, its last bytes stay, since they may begin it.
        """
        found = _NAME.search(self._buffer)
        if found is None:
            del self._buffer[: max(0, len(self._buffer) - len(b"Content-Length:"))]
            return False
        del self._buffer[: found.start()]
        self._skipping = False
        return True


class StdioTransport:
    """The two directions of one client, over two file descriptors. Used on one event loop."""

    def __init__(self, input_fd: int, output_fd: int) -> None:
        self.unsent_bytes = 0  # that the client has not read yet
        self._input_fd = input_fd
        self._output_fd = output_fd
        self._may_read = asyncio.Event()
        self._may_read.set()
        self._unsent: asyncio.Queue[bytes] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def busy(self) -> bool:
        """Whether the client is behind."""
        return self.unsent_bytes > BUSY_BYTES

    def start(
        self, receive: Callable[[bytes | BadFrame], None], hung_up: Callable[[], None]
    ) -> None:
        """Begin to read and write, as tasks. receive: called with each body or ``BadFrame``, in a turn of the event
        loop of its own. hung_up: called when reading or writing has ended, so perhaps twice.
        """
        for work in (self._read(receive), self._write()):
            task = asyncio.create_task(work)
            task.add_done_callback(lambda _: hung_up())
            self._tasks.append(task)

    def send(self, body: bytes) -> None:
        """Queue a message's body to be written as a frame. Never blocks; if more than 16 MiB are unsent, reading
        stops until half of that is sent.
        """
        data = frame(body)
        self._unsent.put_nowait(data)
        self.unsent_bytes += len(data)
        if self.unsent_bytes > FULL_BYTES:
            self._may_read.clear()

    async def close(self, seconds: float = 1.0) -> None:
        """Send the queued messages, for so many seconds at most or until the output breaks, then stop reading and writing."""
        _, writing = self._tasks
        sending = asyncio.create_task(self._unsent.join())
        await asyncio.wait({sending, writing}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, *self._tasks):
            task.cancel()

    async def _read(self, receive: Callable[[bytes | BadFrame], None]) -> None:
        """Read until the input ends or breaks, and call ``receive`` with each body or ``BadFrame`` in a turn of the
        event loop of its own; waits while too much is unsent. Raises no ``OSError``.
        """
        loop, frames, thread = asyncio.get_running_loop(), FrameReader(), Threads(1, "lsp-input")
        try:
            while data := await thread.run(os.read, self._input_fd, _READ_BYTES):
                for item in frames.feed(data):
                    await self._may_read.wait()
                    loop.call_soon(receive, item)  # a defect in it ends neither this task
                    await asyncio.sleep(0)  # nor the turns of others
        except OSError as error:
            log.info("the client's pipe broke while reading: %s", error)
        finally:
            thread.close()

    async def _write(self) -> None:
        """Write queued messages until the output breaks; counts ``unsent_bytes`` down, and lets reading go on once at
        most 8 MiB are unsent. Raises no ``OSError``.
        """
        thread = Threads(1, "lsp-output")
        try:
            while True:
                data = memoryview(await self._unsent.get())
                while data:
                    written = await thread.run(os.write, self._output_fd, data)
                    data = data[written:]
                    self.unsent_bytes -= written
                    if self.unsent_bytes <= FULL_BYTES // 2:
                        self._may_read.set()
                self._unsent.task_done()
        except OSError as error:
            log.info("the client's pipe broke while writing: %s", error)
        finally:
            thread.close()
