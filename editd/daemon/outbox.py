"""What bounds a client: limits beyond which it is refused, and answers that wait for one that reads slowly.

Knows the kind and size of each message, not its content, and no streams. Memory stays bounded: for each
request at most one progress message waits, and no delta that a later one replaces.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from editd.daemon.forwarded import OutgoingMessage


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Generous for a normal client, finite for a broken one. Sizes in bytes, times in seconds.

    clients: connections at once.
    requests, request_bytes: edits and warm-ups of one client that wait or run; more are refused.
    answers: messages that wait for one client to read them; until it does, nothing more is read
        from it.
    hello_seconds: how long a connection may say nothing at first.
    stall_bytes, stall_seconds: a client that has not read for so long, and for which so much
        waits, is dropped. max_waiting_bytes: dropped at once.
    farewell_seconds: how long a leaving daemon waits for its last words to be read.
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
    """The waiting answers of one client. ``put`` on one side, ``take`` on the other."""

    def __init__(self) -> None:
        self.size = 0  # bytes that wait
        self.waiting = 0  # final answers that wait
        self._slots: dict[str, _Slot] = {}
        self._closed = False
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()

    def put(self, told: OutgoingMessage) -> None:
        """Add a message; it replaces waiting messages that it makes obsolete."""
        self.size += self._slots.setdefault(told.request_id, _Slot()).add(told)
        self.waiting += told.kind == "final"
        self._filled.set()

    def close(self) -> None:
        """No more will be put; ``take`` returns the waiting messages, then ``None``."""
        self._closed = True
        self._filled.set()

    async def take(self) -> OutgoingMessage | None:
        """The next message, waiting for it if necessary; ``None`` when closed and empty."""
        while not self._slots:
            if self._closed:
                return None
            self._filled.clear()
            await self._filled.wait()
        # Requests share the stream in turns: to the end of the line, or out of it.
        request_id, slot = next(iter(self._slots.items()))
        del self._slots[request_id]
        told = slot.take()
        if slot.messages or slot.progress:
            self._slots[request_id] = slot
        self.size -= len(told.body)
        self.waiting -= told.kind == "final"
        self._emptied.set()
        return told

    async def wait_until_fewer(self, answers: int) -> None:
        """Return when fewer than ``answers`` final answers wait."""
        while self.waiting >= answers:
            self._emptied.clear()
            await self._emptied.wait()


@dataclass(slots=True)
class _Slot:
    """The waiting messages of one request: progress first, then the rest in order."""

    progress: OutgoingMessage | None = None
    messages: deque[OutgoingMessage] = field(default_factory=deque)

    def add(self, told: OutgoingMessage) -> int:
        """Add ``told``; returns its size in bytes, less that of the messages it replaces."""
        gone: list[OutgoingMessage] = []
        if self.progress and told.kind in ("progress", "final"):
            gone.append(self.progress)
            self.progress = None
        if told.kind == "progress":
            self.progress = told
        else:
            if self.messages and self.messages[-1].kind == "open" and told.kind != "final":
                gone.append(self.messages.pop())
            self.messages.append(told)
        return len(told.body) - sum(len(one.body) for one in gone)

    def take(self) -> OutgoingMessage:
        if self.progress:
            told, self.progress = self.progress, None
            return told
        return self.messages.popleft()
