"""Starts the engine process when work comes, and ends it when it is idle, broken or silent.

How a process is started and ended is left to ``engine_process``, and which orders it gets to the dispatcher.
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

# An engine that works and has sent nothing for so long is ended. The longest honest silence is that
# of a library that loads a model without a word: 40 GB from a disk of 200 MB/s take 200 seconds.
SILENT_SECONDS = 300.0
_SILENCE_CHECKS = 10  # in that time: a machine that slept through all of it has checked once


class EngineSupervisor:
    """Holds at most one engine process, and timers on it. Used on the event loop.

    on_report: called with the engine's reports other than its status. on_end: called with the reason, part of a
    sentence, when an engine ends with which its jobs die. on_startable: called when an engine that was ended has
    exited, so that the next can be started.
    """

    def __init__(
        self,
        config: Config,
        start_engine: StartEngine,
        on_report: Callable[[Report], None],
        on_end: Callable[[str], None],
        on_startable: Callable[[], None],
    ) -> None:
        self.engine: EngineProcess | None = None
        self.last_report_at = 0.0  # when an engine last sent one, in the loop's time
        self.last_status = StatusReport("", "idle", __version__, os.getpid(), 0.0)
        self._config = config
        self._start_engine = start_engine
        self._on_report = on_report
        self._on_end = on_end
        self._on_startable = on_startable
        self._ending: asyncio.Task[None] | None = (
            None  # of an engine that must exit before the next starts
        )
        self._silent_checks = 0
        self._silence_timer: asyncio.TimerHandle | None = None
        self._kill_timer: asyncio.TimerHandle | None = None
        self._unload_timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    @property
    def is_ending(self) -> bool:
        """Whether an engine is being ended, so that none can be started until ``on_startable`` is called."""
        return self._ending is not None

    def send_work(self, order: Order) -> None:
        """Send an order that begins or continues a job, first starting an engine if none runs; an
        end because of idleness is put off.

        From then on the engine is killed if it sends nothing for ``SILENT_SECONDS``, until
        ``go_idle``. Raises ``OSError`` if it cannot be started.
        """
        if self.engine is None:
            self.engine = self._start_engine(self._config, self._receive, self._engine_ended)
            log.info("the engine is process %s", self.engine.pid)
        self._unload_timer = _cancel_timer(self._unload_timer)
        self.engine.send(order)
        if self._silence_timer is None:
            self._silent_checks = 0
            self._silence_timer = self._loop.call_later(
                SILENT_SECONDS / _SILENCE_CHECKS, self._check_silence
            )

    def send(self, order: Order) -> None:
        """Send an order to the engine; no effect if none runs."""
        if self.engine is not None:
            self.engine.send(order)

    def go_idle(self) -> None:
        """Order idle work, since the queue is empty, stop watching for silence, and end the engine
        after the configured idle time, if any; no effect without an engine.
        """
        self._silence_timer = _cancel_timer(self._silence_timer)
        if self.engine is not None:
            self.engine.send(DoIdleWork())
            if after := self._config.daemon.unload_after:
                self._unload_timer = self._loop.call_later(after, self._unload, after)

    def kill_if_silent(self, seconds: float) -> None:
        """Kill the engine, whose job is past its time limit, unless it sends a report within
        ``seconds``; no effect without an engine, or if such a check runs.
        """
        if self.engine is not None and self._kill_timer is None:
            reason = f"it did not respond for {seconds:g} seconds after an edit's time limit and was ended"
            self._kill_timer = self._loop.call_later(seconds, self.engine.kill, reason)

    def end_broken(self, reason: str) -> None:
        """End an engine that can no longer work, and call ``on_end`` with ``reason`` at once."""
        self._begin_end()
        self._on_end(reason)

    async def close(self) -> None:
        """End the engine and wait until it has exited; ``on_startable`` is not called any more."""
        self._on_startable = lambda: None
        self._begin_end()
        if self._ending:
            await self._ending

    def memory_bytes(self) -> int:
        """The resident memory of this process and the engine's, in bytes; a process that cannot be
        asked counts as 0.
        """
        import psutil  # in this function, because clients import this module and have no use for it

        total = 0
        for pid in (os.getpid(), self.engine and self.engine.pid):
            with contextlib.suppress(psutil.Error):
                total += psutil.Process(pid).memory_info().rss if pid else 0
        return total

    def _receive(self, report: Report) -> None:
        """Handle a report: note a sign of life, which ends a pending kill; store a status snapshot,
        give any other report to ``on_report``.
        """
        self._silent_checks = 0
        self.last_report_at = self._loop.time()
        self._kill_timer = _cancel_timer(self._kill_timer)
        if not isinstance(report, StatusSnapshot):
            self._on_report(report)
        elif isinstance(status := unpack(report.body), StatusReport):
            self.last_status = status

    def _engine_ended(self, reason: str) -> None:
        """Forget an engine that ended by itself or was killed, and call ``on_end``."""
        log.error("the engine's process has gone: %s", reason)
        self._forget_engine()
        self._on_end(reason)

    def _unload(self, after: float) -> None:
        """End the engine after ``after`` idle seconds, which frees its models."""
        log.info("ending the engine after %g idle seconds", after)
        self._begin_end()

    def _begin_end(self) -> None:
        """Forget the engine, and end it in a task that calls ``on_startable`` when it is done; no
        effect if none runs.
        """
        if self.engine is not None:
            self._ending = self._loop.create_task(self.engine.end())
            self._ending.add_done_callback(self._finish_end)
            self._forget_engine()

    def _finish_end(self, ending: asyncio.Task[None]) -> None:
        """Call ``on_startable`` when an engine has been ended; log what failed."""
        self._ending = None
        if not ending.cancelled() and (error := ending.exception()):
            log.error("ending the engine failed", exc_info=error)
        self._on_startable()

    def _forget_engine(self) -> None:
        """Hold no engine from now on: cancel its timers, and report no models and projects. Does
        not end it.
        """
        self.engine = None
        self.last_status = replace(self.last_status, models=(), workspaces=())
        self._silence_timer = _cancel_timer(self._silence_timer)
        self._kill_timer = _cancel_timer(self._kill_timer)
        self._unload_timer = _cancel_timer(self._unload_timer)

    def _check_silence(self) -> None:
        """Kill an engine that has sent nothing for ``SILENT_SECONDS``, counted in checks; else
        check again later, for ever. No effect without an engine.
        """
        self._silence_timer = None
        if self.engine is None:
            return
        self._silent_checks += 1
        if self._silent_checks > _SILENCE_CHECKS:
            self.engine.kill(f"it said nothing for {SILENT_SECONDS:g} seconds and was ended")
        else:
            self._silence_timer = self._loop.call_later(
                SILENT_SECONDS / _SILENCE_CHECKS, self._check_silence
            )


def _cancel_timer(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel ``timer`` if there is one; returns ``None`` for its variable."""
    if timer is not None:
        timer.cancel()
    return None
