"""The lines of standard input and output for the SDK, which a signal can end and no line can flood.

The SDK's own reading and writing wait in threads that keep the process alive. What a line says is left
to the SDK; one that is too long is refused here, before anything reads it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable
from typing import BinaryIO

from editd.off_loop import Threads

MOST_BYTES = 16 << 20  # of a line: a sketch of two million characters, spelt in escapes
_ENDS = 300  # bytes of a refused line in which its id is looked for, at either end

# Only where it can be no part of a text: directly within the outermost braces.
_ID = rb'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")'
_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb"\s*,")
_LAST = re.compile(rb"[,{]\s*" + _ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


class Lines:
    """Standard input. refuse: gets the JSON of a refused line's id, or ``b"null"``."""

    def __init__(self, stream: BinaryIO, refuse: Callable[[bytes], Awaitable[None]]) -> None:
        self._stream = stream
        self._refuse = refuse
        self._thread = Threads(1, "stdin")

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        while True:
            line, too_long = await self._thread.run(_read, self._stream)
            if too_long:
                await self._refuse(_id_of(line))
            elif line:
                return line.decode(errors="replace")
            else:
                raise StopAsyncIteration


class Output:
    """Standard output, on a descriptor of its own; what else the process prints goes to the errors."""

    def __init__(self) -> None:
        self._descriptor = os.dup(1)
        os.dup2(2, 1)
        self._thread = Threads(1, "stdout")

    async def write(self, text: str) -> None:
        """Write all of ``text``."""
        await self._thread.run(_write, self._descriptor, text.encode())

    async def flush(self) -> None:
        """Nothing waits."""


def _read(stream: BinaryIO) -> tuple[bytes, bool]:
    """The next line, empty at the end; or both ends of one that is too long, and that it is."""
    line = stream.readline(MOST_BYTES)
    if len(line) < MOST_BYTES or line.endswith(b"\n"):
        return line, False
    head, tail = line[:_ENDS], line[-_ENDS:]
    while more := stream.readline(1 << 20):
        tail = (tail + more)[-_ENDS:]
        if more.endswith(b"\n"):
            break
    return head + b"\0" + tail, True


def _id_of(ends: bytes) -> bytes:
    found = _FIRST.match(ends) or _LAST.search(ends)
    return found[1] if found else b"null"


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
