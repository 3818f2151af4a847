"""LSP's frames: ``Content-Length: n``, an empty line, n bytes of JSON. Turns bytes into bodies.

Bytes that are no frame are reported once and skipped up to the next ``Content-Length``, so that one bad
frame costs one message and not the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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
