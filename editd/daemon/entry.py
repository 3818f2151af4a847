"""A request on its way through the daemon: its ticket, its client and how far it has come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from editd.daemon.envelope import Asked, Told
from editd.daemon.scheduler import Ticket
from editd.errors import EditdError

Deliver = Callable[[Told], None]


@dataclass(eq=False, slots=True, kw_only=True)
class Entry(Ticket):
    """A ticket with everything needed to serve it. ``key``: its name in the engine's process.

    limit: seconds until it is overdue; 0: never. since: when they began, in the loop's time.
    begun: the engine has it. restarted: it was begun a second time, by another engine. told: its
    client has received part of its answer. cancelled: the reason.
    """

    key: int
    asked: Asked
    deliver: Deliver
    limit: float
    since: float
    timer: asyncio.TimerHandle | None = None
    begun: bool = False
    restarted: bool = False
    told: bool = False
    answered: bool = False
    cancelled: EditdError | None = None
    position: int = 0  # in the queue, as last reported
