"""Work that would hold up an event loop, in threads beside it.

Who waits may stop waiting: a call that has not begun is dropped, one that runs ends unheard, and neither
keeps the process from ending. A leaf; what is worth a thread is left to those who call.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from functools import cache, partial
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

SMALL = 1 << 14  # characters or bytes: done before another thread would have begun


class Threads:
    """``count`` threads that take calls in the order in which they come."""

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # Python's own pools wait for their threads at exit, and one may never return from a read.
        for _ in range(count):
            threading.Thread(target=self._work, daemon=True, name=f"editd-{name}").start()

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """What ``function`` returns or raises in one of the threads."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[T] = loop.create_future()
        self._calls.put(partial(_call, loop, told, partial(function, *args)))
        return await told

    def close(self) -> None:
        """Let the threads end when they have done what was asked."""
        for _ in range(self._count):
            self._calls.put(None)

    def _work(self) -> None:
        while call := self._calls.get():
            call()


async def off_loop(size: int, function: Callable[..., T], *args: Any) -> T:
    """``function`` of its arguments, in a thread unless they are of a small ``size``."""
    if size <= SMALL:
        return function(*args)
    return await _threads().run(function, *args)


@cache
def _threads() -> Threads:
    return Threads(4, "off-loop")


def _call(
    loop: asyncio.AbstractEventLoop, told: asyncio.Future[T], function: Callable[[], T]
) -> None:
    if told.cancelled():
        return
    tell: Callable[[], None]
    try:
        tell = partial(told.set_result, function())
    except BaseException as error:  # noqa: BLE001  whoever waits gets it
        tell = partial(told.set_exception, error)
    with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(lambda: None if told.done() else tell())
