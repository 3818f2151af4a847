"""The queue of requests: which of them gets the next unit of the single worker.

Pure and synchronous: no thread, clock, engine or messages. It only orders items; the caller of
``next()`` does the work.

The rules:

1. Interactive before batch before warm-up. A more urgent item gets the very next unit, and the item that it
   interrupted goes on, before others of its priority, when nothing more urgent is left.
2. Within a priority an item is worked on until it ends: one edit decodes at a time. While an item is
   only being prepared (its text is read, its prompt written), clients take turns.
3. Then it is the next client's turn; a client that just had one goes to the end of the line.
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
    """A request as the scheduler sees it. ``client``: the number of a connection; clients take turns.

    document: a newer item of the same client and document supersedes this one; empty: none does.
    size: bytes of memory that the request takes while it waits.
    """

    client: int
    request_id: str
    priority: Priority
    document: str = ""
    size: int = 0


T = TypeVar("T", bound=QueueHandle)


@dataclass(slots=True)
class _PriorityQueue(Generic[T]):
    """The items of one priority: the item that has begun, and those that wait, by client."""

    begun: T | None = None
    # Clients in the order of their turns; a client is a key exactly while an item of it waits.
    waiting: dict[int, deque[T]] = field(default_factory=dict)

    def begin(self) -> T | None:
        """The item that has begun; if none has, begin the first of the next client, which takes it
        from the waiting ones. ``None`` if none waits either.
        """
        if self.begun is None and self.waiting:
            client, queue = next(iter(self.waiting.items()))
            self.begun = queue.popleft()
            if not queue:
                del self.waiting[client]
        return self.begun

    def remove(self, item: T) -> None:
        """Remove an item; if it had begun, its client goes to the end of the line. No effect on an unknown item."""
        queue = self.waiting.get(item.client)
        if self.begun is item:
            self.begun = None
            if queue:  # its client has had a turn and goes to the end of the line
                self.waiting[item.client] = self.waiting.pop(item.client)
        elif queue and item in queue:
            queue.remove(item)
            if not queue:
                del self.waiting[item.client]

    def pass_turn(self, item: T) -> None:
        """Put the begun item back as its client's first, and its client to the end of the line; no
        effect if ``item`` has not begun or no other client waits.
        """
        if self.begun is item and any(client != item.client for client in self.waiting):
            self.begun = None
            queue = self.waiting.pop(item.client, deque())
            queue.appendleft(item)
            self.waiting[item.client] = queue

    def in_order(self) -> Iterator[T]:
        """Yield the item that has begun, if one has, then round after round an item of each client,
        in each round that of the begun item's client last.
        """
        queues = {client: iter(queue) for client, queue in self.waiting.items()}
        if self.begun:
            yield self.begun
            if last := queues.pop(self.begun.client, None):
                queues[self.begun.client] = last
        while queues:
            for client, queue in list(queues.items()):
                if item := next(queue, None):
                    yield item
                else:
                    del queues[client]


class Scheduler(Generic[T]):
    """The queue of all priorities. An item that was added leaves it by ``remove`` alone."""

    def __init__(self) -> None:
        self._by_priority: dict[Priority, _PriorityQueue[T]] = {
            priority: _PriorityQueue() for priority in _URGENCY
        }

    def add(self, item: T) -> list[T]:
        """Add ``item`` to the queue; returns its client's items that it supersedes (a warm-up all
        warm-ups, another item those of its document, if it names one). They stay in the queue: the
        caller cancels them.
        """
        superseded = [other for other in self.items_of(item.client) if _supersedes(item, other)]
        self._by_priority[item.priority].waiting.setdefault(item.client, deque()).append(item)
        return superseded

    def next(self) -> T | None:
        """Begin, where necessary, and return the item that gets the next unit: of the most urgent
        priority that has one. ``None`` if the queue is empty.
        """
        for queue in self._by_priority.values():
            if item := queue.begin():
                return item
        return None

    def pass_turn(self, item: T) -> None:
        """Let another client have the next unit of this priority, because ``item`` is only being prepared."""
        self._by_priority[item.priority].pass_turn(item)

    def remove(self, item: T) -> None:
        """Remove ``item`` from the queue, whether it waits or has begun; no effect if it is not in the queue."""
        self._by_priority[item.priority].remove(item)

    def in_order(self) -> Sequence[T]:
        """The queue in the order in which its items would end if no more were added."""
        return [item for queue in self._by_priority.values() for item in queue.in_order()]

    def items_of(self, client: int) -> list[T]:
        """The items of ``client``, in the order of ``in_order``."""
        return [item for item in self.in_order() if item.client == client]


def _supersedes(newer: QueueHandle, older: QueueHandle) -> bool:
    """Whether ``newer`` makes ``older``, an item of the same client, obsolete.

    A warm-up does so to every warm-up, another item to every item of the same document, unless that is empty.
    """
    if newer.priority == "warmup":
        return older.priority == "warmup"
    return bool(newer.document) and newer.document == older.document
