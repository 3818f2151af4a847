"""Whose turn it is: which of the waiting requests gets the next unit of the one worker.

Pure and synchronous: no thread, clock, engine or messages. It only orders tickets; the caller of
``next()`` does the work.

The rules:

1. Interactive before batch before warm-up. A more urgent ticket gets the very next unit, and the
   one it pushed aside goes on, before others of its kind, when nothing more urgent is left.
2. Within a priority a ticket is worked on until it ends: one edit decodes at a time. While one is
   only being prepared (its text is read, its prompt written), clients take turns.
3. Then it is the next client's turn; who just had one goes to the end of the line.
4. A newer edit of a document supersedes this client's older ones, and its warm-ups; a newer
   warm-up supersedes all older warm-ups of its client, who looks at one document at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from editd.messages import Priority

_URGENCY: tuple[Priority, ...] = ("interactive", "batch", "warmup")


@dataclass(eq=False, slots=True)
class QueueHandle:
    """One request in the queue. ``client`` takes turns with the others: a connection.

    document: what a newer ticket of this client supersedes an older one of; empty: never.
    size: bytes of memory that the request holds while it waits.
    """

    client: int
    request_id: str
    priority: Priority
    document: str = ""
    size: int = 0


T = TypeVar("T", bound=QueueHandle)


@dataclass(slots=True)
class _Waiting(Generic[T]):
    """The tickets of one priority: the one begun, and those that wait, client by client."""

    begun: T | None = None
    # Clients in the order of their turns; a client stands here exactly while a ticket waits.
    waiting: dict[int, deque[T]] = field(default_factory=dict)

    def begin(self) -> T | None:
        """The begun ticket; begins one if there is none."""
        if self.begun is None and self.waiting:
            client, queue = next(iter(self.waiting.items()))
            self.begun = queue.popleft()
            if not queue:
                del self.waiting[client]
        return self.begun

    def remove(self, ticket: T) -> None:
        queue = self.waiting.get(ticket.client)
        if self.begun is ticket:
            self.begun = None
            if queue:  # its client has had a turn and goes to the end of the line
                self.waiting[ticket.client] = self.waiting.pop(ticket.client)
        elif queue and ticket in queue:
            queue.remove(ticket)
            if not queue:
                del self.waiting[ticket.client]

    def pass_turn(self, ticket: T) -> None:
        if self.begun is ticket and any(client != ticket.client for client in self.waiting):
            self.begun = None
            queue = self.waiting.pop(ticket.client, deque())
            queue.appendleft(ticket)
            self.waiting[ticket.client] = queue

    def in_order(self) -> Iterator[T]:
        """The begun ticket, then round after round one ticket of each client."""
        queues = {client: iter(queue) for client, queue in self.waiting.items()}
        if self.begun:
            yield self.begun
            if last := queues.pop(self.begun.client, None):
                queues[self.begun.client] = last
        while queues:
            for client, queue in list(queues.items()):
                if ticket := next(queue, None):
                    yield ticket
                else:
                    del queues[client]


class Scheduler(Generic[T]):
    """The queue. Every ticket that was added leaves it by ``remove``."""

    def __init__(self) -> None:
        self._by_priority: dict[Priority, _Waiting[T]] = {
            priority: _Waiting() for priority in _URGENCY
        }

    def add(self, ticket: T) -> list[T]:
        """Put ``ticket`` into the queue; returns those that it supersedes, still in the queue."""
        superseded = [other for other in self.tickets(ticket.client) if _supersedes(ticket, other)]
        self._by_priority[ticket.priority].waiting.setdefault(ticket.client, deque()).append(ticket)
        return superseded

    def next(self) -> T | None:
        """The ticket whose unit comes next; it counts as begun from now on."""
        for tickets in self._by_priority.values():
            if ticket := tickets.begin():
                return ticket
        return None

    def pass_turn(self, ticket: T) -> None:
        """``ticket`` is being prepared: the next unit of its priority goes to another client."""
        self._by_priority[ticket.priority].pass_turn(ticket)

    def remove(self, ticket: T) -> None:
        """Take ``ticket`` out, wherever it is; no error if it is not there."""
        self._by_priority[ticket.priority].remove(ticket)

    def in_order(self) -> Sequence[T]:
        """All tickets in the order in which they would end if no more came."""
        return [ticket for tickets in self._by_priority.values() for ticket in tickets.in_order()]

    def tickets(self, client: int) -> list[T]:
        """All tickets of ``client``, in the same order."""
        return [ticket for ticket in self.in_order() if ticket.client == client]


def _supersedes(newer: QueueHandle, older: QueueHandle) -> bool:
    if newer.priority == "warmup":
        return older.priority == "warmup"
    return bool(newer.document) and newer.document == older.document
