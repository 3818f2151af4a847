"""The client's pipe: LSP's frames, read and written within a memory limit.

A frame is ``Content-Length: n``, an empty line, n bytes of JSON. Bytes that are no frame are reported once
and skipped up to the next ``Content-Length``, so that one bad frame costs one message and not the server.

A thread reads and a thread writes, so that neither a slow client nor a file in place of the pipe can
block the event loop. ``busy`` says that the client is behind; a sender that can merge its messages
should then wait. If it falls far behind, reading stops until it catches up. A client that sends
requests and never reads blocks only itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAX_BODY = 256 * 1024 * 1024  # bytes; more is taken for a broken length
_MAX_HEADER = 8192


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes that could not be read as a frame."""

    reason: str


def frame(body: bytes) -> bytes:
    """``body`` with its header."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class FrameReader:
    """Cuts a stream of bytes into bodies; keeps what is incomplete for the next call."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None  # of the body that is being waited for
        self._skipping = False  # a bad frame has been reported; look for the next good one

    def feed(self, data: bytes) -> Iterator[bytes | BadFrame]:
        """The bodies that ``data`` completes."""
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
        """Take one header off the buffer; if it is malformed, skip to where the next may begin."""
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
        self._skipping = True
        del self._buffer[:1]  # or the same header would be found again
        self._skip_to_next()
        return BadFrame(reason)

    def _skip_to_next(self) -> bool:
        """Drop everything before the next ``Content-Length``; return whether one is in the buffer."""
        found = _NAME.search(self._buffer)
        if found is None:
            del self._buffer[: max(0, len(self._buffer) - len(b"Content-Length:"))]
            return False
        del self._buffer[: found.start()]
        self._skipping = False
        return True


_NAME = re.compile(rb"Content-Length:", re.IGNORECASE)
_CONTENT_LENGTH = re.compile(rb"(?:^|\r?\n)Content-Length:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)
_END_OF_HEADER = re.compile(rb"\r?\n\r?\n")


BUSY_BYTES = 128 * 1024  # unsent: merge what can be merged
FULL_BYTES = 16 * 1024 * 1024  # unsent: stop reading until half of it is gone
_READ_BYTES = 64 * 1024
_FRAMES_AHEAD = 64  # read but not yet handled

log = logging.getLogger(__name__)


class StdioTransport:
    """Both directions of one client, over two file descriptors."""

    def __init__(self, input_fd: int, output_fd: int) -> None:
        self._input_fd = input_fd
        self._output_fd = output_fd
        self._ahead = threading.Semaphore(_FRAMES_AHEAD)
        self._may_read = threading.Event()
        self._may_read.set()
        self._unsent: deque[bytes] = deque()
        self._unsent_bytes = 0
        self._changed = threading.Condition()
        self._closed = False

    @property
    def unsent_bytes(self) -> int:
        """Bytes that the client has not read yet."""
        return self._unsent_bytes

    @property
    def busy(self) -> bool:
        """Whether the client is behind."""
        return self._unsent_bytes > BUSY_BYTES

    def start(
        self, receive: Callable[[bytes | BadFrame], None], hung_up: Callable[[], None]
    ) -> None:
        """Begin; both callbacks are called in the running event loop."""
        loop = asyncio.get_running_loop()
        for target in (
            lambda: self._read(loop, receive, hung_up),
            lambda: self._write(loop, hung_up),
        ):
            # Daemon threads: one may be in a read that never returns when the process leaves.
            threading.Thread(target=target, daemon=True, name="editd-lsp-stdio").start()

    def send(self, body: bytes) -> None:
        """Queue one message. Never blocks."""
        data = frame(body)
        with self._changed:
            if self._closed:
                return
            self._unsent.append(data)
            self._unsent_bytes += len(data)
            if self._unsent_bytes > FULL_BYTES:
                self._may_read.clear()
            self._changed.notify_all()

    def close(self, seconds: float = 1.0) -> None:
        """Send the queue, for as long as given, then stop."""
        with self._changed:
            self._changed.wait_for(lambda: not self._unsent_bytes or self._closed, seconds)
            self._closed = True
            self._changed.notify_all()

    def _read(
        self,
        loop: asyncio.AbstractEventLoop,
        receive: Callable[[bytes | BadFrame], None],
        hung_up: Callable[[], None],
    ) -> None:
        def handle(item: bytes | BadFrame) -> None:
            self._ahead.release()
            receive(item)

        frames = FrameReader()
        try:
            while data := os.read(self._input_fd, _READ_BYTES):
                for item in frames.feed(data):
                    self._ahead.acquire()
                    self._may_read.wait()
                    loop.call_soon_threadsafe(handle, item)
        except OSError as error:
            log.info("the client's pipe broke while reading: %s", error)
        except RuntimeError:
            return  # the loop is closed: the server has left already
        _call(loop, hung_up)

    def _write(self, loop: asyncio.AbstractEventLoop, hung_up: Callable[[], None]) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._unsent or self._closed)
                if not self._unsent:
                    return
                data = memoryview(self._unsent.popleft())
            try:
                while data:
                    written = os.write(self._output_fd, data)
                    data = data[written:]
                    self._sent(written)
            except OSError as error:
                log.info("the client's pipe broke while writing: %s", error)
                with self._changed:
                    self._closed = True
                    self._unsent.clear()
                    self._unsent_bytes = 0
                    self._may_read.set()
                    self._changed.notify_all()
                _call(loop, hung_up)
                return

    def _sent(self, count: int) -> None:
        with self._changed:
            self._unsent_bytes -= count
            if self._unsent_bytes <= FULL_BYTES // 2:
                self._may_read.set()
            if not self._unsent_bytes:
                self._changed.notify_all()


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        log.debug("the event loop has ended already")
