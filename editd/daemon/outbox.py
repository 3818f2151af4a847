"""Limits for a client, and the messages that wait for a client that reads slowly.

Knows the kind and size of each message, not its content, and no streams. Memory stays bounded: for each
request at most one progress message waits, and no delta that a later delta replaces.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from editd.daemon.forwarded import OutgoingMessage


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Limits that are generous for a normal client and finite for a broken one. Sizes in bytes, times in seconds.

    clients: connections at once.
    requests, request_bytes: edits and warm-ups of one client that wait or run; more are refused.
    answers: messages that wait for one client to read them; until it does, nothing more is read
        from it.
    hello_seconds: for which a new connection may send nothing.
    stall_bytes, stall_seconds: a client that has not read for so long, and for which so much
        waits, is disconnected. max_waiting_bytes: beyond which it is disconnected at once.
    farewell_seconds: for which an exiting daemon waits until its last messages are read.
    """

    clients: int = 256
    requests: int = 64
    request_bytes: int = 128 << 20
    answers: int = 256
    hello_seconds: float = 10.0
    stall_bytes: int = 8 << 20
    stall_seconds: float = 30.0
    max_waiting_bytes: int = 256 << 20
    farewell_seconds: float = 2.0


DEFAULT_LIMITS = ClientLimits()


class Outbox:
    """The messages that wait for a client: the dispatcher puts them in, the connection takes them out."""

    def __init__(self) -> None:
        self.size = 0  # bytes that wait
        self.waiting = 0  # final answers that wait
        self._slots: dict[str, _Slot] = {}
        self._closed = False
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()

    def put(self, message: OutgoingMessage) -> None:
        """Add a message, and drop waiting messages of its request that it makes obsolete: older
        progress, and the former state of a hunk that still grows. Never waits; changes ``size``
        by what was added and dropped, counts a final answer in ``waiting``, and wakes the reader.
        """
        self.size += self._slots.setdefault(message.request_id, _Slot()).add(message)
        self.waiting += message.kind == "final"
        self._filled.set()

    def close(self) -> None:
        """Let ``take`` return ``None`` once the waiting messages are taken. Nothing may be put from then on."""
        self._closed = True
        self._filled.set()

    async def take(self) -> OutgoingMessage | None:
        """Wait for a message and remove it; requests take turns. ``None`` when the box is closed and empty."""
        while not self._slots:
            if self._closed:
                return None
            self._filled.clear()
            await self._filled.wait()
        # Requests share the stream in turns: this one goes to the end of the line, or out of it.
        request_id, slot = next(iter(self._slots.items()))
        del self._slots[request_id]
        message = slot.take()
        if slot.messages or slot.progress:
            self._slots[request_id] = slot
        self.size -= len(message.body)
        self.waiting -= message.kind == "final"
        self._emptied.set()
        return message

    async def wait_until_fewer(self, answers: int) -> None:
        """Wait until fewer than ``answers`` final answers wait."""
        while self.waiting >= answers:
            self._emptied.clear()
            await self._emptied.wait()


@dataclass(slots=True)
class _Slot:
    """The waiting messages of a request: progress first, then the others in order."""

    progress: OutgoingMessage | None = None
    messages: deque[OutgoingMessage] = field(default_factory=deque)

    def add(self, message: OutgoingMessage) -> int:
        """Add ``message`` of the slot's request; returns its size in bytes less that of the
        messages dropped for it, which may be negative.

        Progress is dropped for progress or a final answer, an open delta (of a hunk that still
        grows) for the next delta.
        """
        replaced: list[OutgoingMessage] = []
        if self.progress and message.kind in ("progress", "final"):
            replaced.append(self.progress)
            self.progress = None
        if message.kind == "progress":
            self.progress = message
        else:
            if self.messages and self.messages[-1].kind == "open" and message.kind != "final":
                replaced.append(self.messages.pop())
            self.messages.append(message)
        return len(message.body) - sum(len(other.body) for other in replaced)

    def take(self) -> OutgoingMessage:
        """Remove and return the progress message, or else the oldest message. At least one must wait."""
        if self.progress:
            message, self.progress = self.progress, None
            return message
        return self.messages.popleft()
