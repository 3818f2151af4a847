"""Threads for work that would hold up an event loop.

A caller may stop waiting: a call that has not begun is dropped, the result of a running call is ignored, and neither
keeps the process from ending. Callers decide which work is worth a thread.
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
    """``count`` threads that run calls in the order in which they were made."""

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # Python's own pools wait for their threads at exit, and one may never return from a read.
        for _ in range(count):
            threading.Thread(target=self._work, daemon=True, name=f"editd-{name}").start()

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """Run ``function`` in one of the threads and return its result; raises what it raises. A call whose waiting is
        cancelled before it begins is dropped; a running one goes on, its result ignored.
        """
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()
        self._calls.put(partial(_call, loop, result, partial(function, *args)))
        return await result

    def close(self) -> None:
        """Let the threads end after the calls that were made."""
        for _ in range(self._count):
            self._calls.put(None)

    def _work(self) -> None:
        """Run calls until one is ``None``."""
        while call := self._calls.get():
            call()


async def offload(size: int, function: Callable[..., T], *args: Any) -> T:
    """Call ``function`` and return its result, in a thread if ``size`` (characters or bytes) is over ``SMALL``."""
    if size <= SMALL:
        return function(*args)
    return await _threads().run(function, *args)


@cache
def _threads() -> Threads:
    """The threads of ``offload``, started by the first call."""
    return Threads(4, "offload")


def _call(
    loop: asyncio.AbstractEventLoop, result: asyncio.Future[T], function: Callable[[], T]
) -> None:
    """Call ``function``, unless the wait for ``result`` was cancelled, and set ``result`` to its value or exception in
    ``loop``. No effect if the loop has ended meanwhile; raises nothing.
    """
    if result.cancelled():
        return
    finish: Callable[[], None]
    try:
        finish = partial(result.set_result, function())
    except BaseException as error:  # noqa: BLE001  raised where the result is awaited
        finish = partial(result.set_exception, error)
    with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(lambda: None if result.done() else finish())
