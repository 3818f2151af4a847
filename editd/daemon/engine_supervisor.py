"""When an engine process is started and ended: as needed, when idle, when broken, when unresponsive.

The process itself is ``engine_process``'s; what it is ordered to do is the dispatcher's.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from dataclasses import replace

from editd import __version__
from editd.config import Config
from editd.daemon.engine_process import EngineProcess, StartEngine
from editd.daemon.framing import unpack
from editd.daemon.orders import (
    DoIdleWork,
    Order,
    Report,
    StatusSnapshot,
)
from editd.messages import StatusReport

log = logging.getLogger(__name__)


# An engine that works and has said nothing for so long is ended. The longest honest silence is that
# of a library that loads a model without a word: 40 GB from a disk of 200 MB/s take 200 seconds.
SILENT_SECONDS = 300.0


_TICKS = 10  # looks in that time: a machine that slept through it all has looked once


class EngineSupervisor:
    """Holds an engine, or none. Used on the event loop.

    on_report: called with the engine's reports about jobs. gone: called with the reason if jobs die with the
    engine. ready: called when another can be started after one was ended.
    """

    def __init__(
        self,
        config: Config,
        start: StartEngine,
        on_report: Callable[[Report], None],
        gone: Callable[[str], None],
        ready: Callable[[], None],
    ) -> None:
        self.engine: EngineProcess | None = None
        self.last_report = 0.0  # when it last said something, in the loop's time
        self.snapshot = StatusReport("", "idle", __version__, os.getpid(), 0.0)
        self._config = config
        self._start = start
        self._on_report = on_report
        self._gone = gone
        self._ready = ready
        self._ending: asyncio.Task[None] | None = None  # of an engine whose place the next takes
        self._silent_ticks = 0
        self._watch: asyncio.TimerHandle | None = None
        self._hurry: asyncio.TimerHandle | None = None
        self._unloading: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    @property
    def is_ending(self) -> bool:
        """Whether an engine is being ended; ``ready`` is called when it has ended."""
        return self._ending is not None

    def work(self, order: Order) -> None:
        """Give an order that has an answer; starts the engine. Raises ``OSError`` if it cannot be started."""
        if self.engine is None:
            self.engine = self._start(self._config, self._take, self._lost)
            log.info("the engine is process %s", self.engine.pid)
        self._unloading = _cancelled(self._unloading)
        self.engine.send(order)
        if self._watch is None:
            self._silent_ticks = 0
            self._watch = self._loop.call_later(SILENT_SECONDS / _TICKS, self._look)

    def send(self, order: Order) -> None:
        """Give an order to the engine, if there is one."""
        if self.engine is not None:
            self.engine.send(order)

    def rest(self) -> None:
        """The queue is empty: let the engine prepare for the next request, and end after a while."""
        self._watch = _cancelled(self._watch)
        if self.engine is not None:
            self.engine.send(DoIdleWork())
            if after := self._config.daemon.unload_after:
                self._unloading = self._loop.call_later(after, self._unload, after)

    def hurry(self, seconds: float) -> None:
        """The unit that runs is past its time: end the engine unless it says something this soon."""
        if self.engine is not None and self._hurry is None:
            why = f"it did not respond for {seconds:g} seconds after an edit's time limit and was ended"
            self._hurry = self._loop.call_later(seconds, self.engine.kill, why)

    def replace(self, how: str) -> None:
        """End a broken engine; ``gone`` is called with ``how``."""
        self._end()
        self._gone(how)

    async def close(self) -> None:
        """End the engine."""
        self._ready = lambda: None
        self._end()
        if self._ending:
            await self._ending

    def memory(self) -> int:
        """The memory of this process and the engine's, in bytes."""
        import psutil  # here, because clients import this module and have no use for it

        total = 0
        for pid in (os.getpid(), self.engine and self.engine.pid):
            with contextlib.suppress(psutil.Error):
                total += psutil.Process(pid).memory_info().rss if pid else 0
        return total

    def _take(self, report: Report) -> None:
        self._silent_ticks = 0
        self.last_report = self._loop.time()
        self._hurry = _cancelled(self._hurry)
        if not isinstance(report, StatusSnapshot):
            self._on_report(report)
        elif isinstance(snapshot := unpack(report.body), StatusReport):
            self.snapshot = snapshot

    def _lost(self, how: str) -> None:
        log.error("the engine's process has gone: %s", how)
        self._forget()
        self._gone(how)

    def _unload(self, after: float) -> None:
        log.info("ending the engine after %g idle seconds", after)
        self._end()

    def _end(self) -> None:
        if self.engine is not None:
            self._ending = self._loop.create_task(self.engine.end())
            self._ending.add_done_callback(self._ended)
            self._forget()

    def _ended(self, ending: asyncio.Task[None]) -> None:
        self._ending = None
        if not ending.cancelled() and (error := ending.exception()):
            log.error("ending the engine failed", exc_info=error)
        self._ready()

    def _forget(self) -> None:
        self.engine = None
        self.snapshot = replace(self.snapshot, models=(), workspaces=())
        self._watch = _cancelled(self._watch)
        self._hurry = _cancelled(self._hurry)
        self._unloading = _cancelled(self._unloading)

    def _look(self) -> None:
        """End an engine that is working but no longer responds."""
        self._watch = None
        if self.engine is None:
            return
        self._silent_ticks += 1
        if self._silent_ticks > _TICKS:
            self.engine.kill(f"it said nothing for {SILENT_SECONDS:g} seconds and was ended")
        else:
            self._watch = self._loop.call_later(SILENT_SECONDS / _TICKS, self._look)


def _cancelled(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """What to put in the place of ``timer``."""
    if timer is not None:
        timer.cancel()
    return None
