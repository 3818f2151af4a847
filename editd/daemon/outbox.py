"""Answers on their way to somebody who may read slowly, or never.

Knows messages and their sizes, nothing of streams or requests. Memory stays bounded by the answers
themselves: of each request there waits at most one progress, one delta that says all that the
deltas (or the texts) since the last one said, and the final answer. Deltas of one request leave at most once in
``delta_interval``, the first and the first hunk at once; what is final never waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

from editd.diff.hunk import Hunk, Keep, Op
from editd.messages import (
    CompleteResult,
    Delta,
    EditResult,
    Explained,
    Progress,
    ServerMessage,
    TextDelta,
    merge_ops,
)

# A delta is cut where it gets larger than this, so that no frame keeps others waiting for long.
MAX_DELTA_BYTES = 1 << 20

_OBJECT_BYTES = 64  # roughly what a small object costs besides its characters


class Outbox:
    """The waiting answers of one client. ``put`` on one side, ``take`` on the other."""

    def __init__(self, delta_interval: float = 0.0) -> None:
        self.size = 0  # bytes that wait, roughly
        self.waiting = 0  # final answers that wait
        self._delta_interval = delta_interval
        self._slots: dict[str, _Slot] = {}
        self._closed = False
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()

    def put(self, message: ServerMessage) -> None:
        """Add ``message``; a progress replaces the one that waits, a delta is merged into it."""
        request_id = getattr(message, "request_id", "")
        slot = self._slots.setdefault(request_id, _Slot())
        before = slot.size
        match message:
            case Delta():
                slot.add_ops(message.ops)
            case TextDelta():
                slot.add_text(message.text)
            case Progress():
                slot.progress = message
            case _:
                slot.add_final(message)
                self.waiting += 1
        self.size += slot.size - before
        self._filled.set()

    def close(self) -> None:
        """Nothing more will be put; ``take`` gives what waits, then empty lists."""
        self._closed = True
        self._filled.set()

    async def take(self) -> list[ServerMessage]:
        """What is due of one request, waiting for it if need be; empty when closed and empty."""
        while True:
            now = monotonic()
            next_due: float | None = None
            for request_id, slot in self._slots.items():
                due = slot.due(self._delta_interval)
                if due is None:
                    continue
                if due <= now or self._closed:
                    return self._take(request_id, slot, now)
                next_due = due if next_due is None else min(due, next_due)
            if self._closed:
                return []
            self._filled.clear()
            try:
                async with asyncio.timeout(None if next_due is None else next_due - now):
                    await self._filled.wait()
            except TimeoutError:
                pass

    async def wait_until_fewer(self, answers: int) -> None:
        """Return when fewer than ``answers`` final answers wait."""
        while self.waiting >= answers:
            self._emptied.clear()
            await self._emptied.wait()

    def _take(self, request_id: str, slot: _Slot, now: float) -> list[ServerMessage]:
        before = slot.size
        finals = len(slot.finals)
        messages = slot.take(request_id, now)
        self.size += slot.size - before
        self.waiting += len(slot.finals) - finals
        # To the end of the line, or out of it: requests share the stream in turns.
        del self._slots[request_id]
        if not slot.ended:
            self._slots[request_id] = slot
        self._emptied.set()
        return messages


def size_of(message: ServerMessage) -> int:
    """The memory that ``message`` holds, in bytes, roughly."""
    size = _OBJECT_BYTES
    if isinstance(message, Delta):
        size += _size_of_ops(message.ops)
    if isinstance(message, EditResult):
        size += len(message.text or "") + _size_of_ops(message.hunks)
        size += sum(len(edit.new_text) + _OBJECT_BYTES for edit in message.edits)
    if isinstance(message, CompleteResult | TextDelta):
        size += len(message.text)
    if isinstance(message, Explained) and message.trace is not None:
        pieces = [p for r in message.trace.rounds for p in (*r.pieces, *r.rejected)]
        size += sum(len(piece.text) + _OBJECT_BYTES for piece in pieces)
        size += _size_of_ops(message.trace.hunks)
    return size


@dataclass(slots=True)
class _Slot:
    """What waits of one request, in the order in which it leaves: progress, delta, text, finals."""

    progress: Progress | None = None
    ops: list[Op] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    finals: list[ServerMessage] = field(default_factory=list)
    size: int = 0
    seq: int = 0
    sent: float | None = None  # when the last delta or text left
    hunk_seen: bool = False  # whether a delta with a hunk has left
    ended: bool = False

    def add_ops(self, ops: tuple[Op, ...]) -> None:
        # Only the last waiting op can merge with new ones, so adding costs no more than they do.
        last = tuple(self.ops[-1:])
        merged = merge_ops(last, ops)
        self.size += _size_of_ops(merged) - _size_of_ops(last)
        self.ops[-1:] = merged

    def add_text(self, text: str) -> None:
        self.texts.append(text)
        self.size += len(text)

    def add_final(self, message: ServerMessage) -> None:
        self.size += size_of(message)
        self.finals.append(message)

    def due(self, delta_interval: float) -> float | None:
        """When something may leave, on the monotonic clock; ``None`` when nothing waits."""
        if self.progress or self.finals:
            return 0.0
        if self.ops:
            # The first lines kept and the first hunk are what somebody waits for.
            if self.sent is None or (not self.hunk_seen and any(map(_is_hunk, self.ops))):
                return 0.0
            return self.sent + delta_interval
        if self.texts:
            return 0.0 if self.sent is None else self.sent + delta_interval
        return None

    def take(self, request_id: str, now: float) -> list[ServerMessage]:
        messages: list[ServerMessage] = []
        if self.progress and not self.finals:
            messages.append(self.progress)
        self.progress = None
        if self.ops:
            ops = self._take_ops()
            messages.append(Delta(request_id, self.seq, ops))
            self.seq += 1
            self.hunk_seen = self.hunk_seen or any(map(_is_hunk, ops))
            self.sent = now
        if self.texts:
            text = "".join(self.texts)
            messages.append(TextDelta(request_id, text))
            self.texts.clear()
            self.size -= len(text)
            self.sent = now
        if self.finals and not self.ops:
            final = self.finals.pop(0)
            self.size -= size_of(final)
            messages.append(final)
            self.ended = not self.finals
        return messages

    def _take_ops(self) -> tuple[Op, ...]:
        taken, size = 0, 0
        for op in self.ops:
            size += _size_of_op(op)
            taken += 1
            if size > MAX_DELTA_BYTES:
                break
        ops = tuple(self.ops[:taken])
        del self.ops[:taken]
        self.size -= size
        return ops


def _is_hunk(op: Op) -> bool:
    return isinstance(op, Hunk)


def _size_of_op(op: Op) -> int:
    if isinstance(op, Keep):
        return _OBJECT_BYTES
    lines = sum(len(line) + _OBJECT_BYTES for line in op.new_lines)
    return _OBJECT_BYTES * (1 + len(op.origins)) + lines


def _size_of_ops(ops: Sequence[Op]) -> int:
    return sum(map(_size_of_op, ops))
