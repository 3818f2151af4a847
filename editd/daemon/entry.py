"""One request in the daemon's queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from editd.daemon.envelope import Asked, Told
from editd.daemon.scheduler import Ticket

Deliver = Callable[[Told], None]


@dataclass(eq=False, slots=True, kw_only=True)
class Entry(Ticket):
    """A ticket with all that serving it needs. ``key``: what the engine's process calls it.

    begun: the engine has it. restarted: it was begun a second time, by another engine. told: its
    client was told some of its answer. cancelled: the reason, one sentence.
    """

    key: int
    asked: Asked
    deliver: Deliver
    begun: bool = False
    restarted: bool = False
    told: bool = False
    answered: bool = False
    cancelled: str | None = None
    position: int = 0  # in the queue, as last told
