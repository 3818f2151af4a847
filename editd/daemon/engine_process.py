"""One engine process: starts it, talks to it and ends it; and when: as needed, when idle, when unresponsive.

Spawned, never forked: it shares nothing with the daemon but one end of a socket pair, which is its
standard input. Its code is ``engine_core``; its orders are the dispatcher's.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from editd import __version__
from editd.config import Config
from editd.daemon.envelope import (
    SILENT_SECONDS,
    Configure,
    Logged,
    Order,
    Report,
    Rest,
    Snapshot,
    decode_order,
    encode_order,
)
from editd.daemon.framing import MAX_FRAME_BYTES, Truncated, frame, read_frame, unpack
from editd.daemon.lifecycle import engine_environment
from editd.messages import StatusReport

log = logging.getLogger(__name__)

END_SECONDS = 2.0  # for the process to go by itself: it takes half of that if a unit runs


OnReport = Callable[[Report], None]
Gone = Callable[[str], None]
StartEngine = Callable[[Config, OnReport, Gone], "EngineProcess"]


class EngineProcess:
    """Used on the event loop. ``on_report`` is called with its reports; ``gone`` when it has ended unexpectedly."""

    def __init__(
        self, config: Config, on_report: OnReport, gone: Gone, command: Sequence[str] | None = None
    ) -> None:
        self._on_report = on_report
        self._gone = gone
        self._why = ""
        self._ending = False
        self._orders: asyncio.Queue[Order] = asyncio.Queue()
        self.send(Configure(config))
        self._writer: asyncio.StreamWriter | None = None
        ours, theirs = socket.socketpair()
        try:
            self._child: subprocess.Popen[bytes] = subprocess.Popen(
                list(command or engine_command()),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=engine_environment(),
                start_new_session=True,  # Ctrl-C in a terminal is for the process that talks to the user
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._conversation = asyncio.get_running_loop().create_task(self._converse(ours))

    @property
    def pid(self) -> int | None:
        """Its process id; ``None`` if it is this process."""
        return self._child.pid

    def send(self, order: Order) -> None:
        """Give an order; never waits."""
        self._orders.put_nowait(order)

    def kill(self, why: str) -> None:
        """End it at once; ``gone`` is called with ``why``."""
        self._why = why
        self._child.kill()

    async def end(self) -> None:
        """End it cleanly, soon; ``gone`` is not called."""
        self._ending = True
        if self._writer is not None:
            self._writer.close()
        else:  # nothing has been said to it yet
            self._child.kill()
        try:
            await asyncio.to_thread(self._child.wait, END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            await asyncio.to_thread(self._child.wait)
        self._conversation.cancel()
        await asyncio.wait([self._conversation])

    async def _converse(self, ours: socket.socket) -> None:
        """Pass on its reports, until it ends."""
        reader, self._writer = await asyncio.open_connection(sock=ours)
        sending = asyncio.create_task(self._give_orders(self._writer))
        try:
            while read := await read_frame(reader, most_head=MAX_FRAME_BYTES):
                self._report(decode_order(*read))
        except (Truncated, OSError):
            pass  # it hung up
        except Exception:
            log.exception("a report of the engine's process cannot be read")
        finally:
            sending.cancel()
            self._writer.close()
        if self._ending:
            return
        self._child.kill()
        code = await asyncio.to_thread(self._child.wait)
        if not self._ending:
            self._gone(self._why or _cause(code))

    async def _give_orders(self, writer: asyncio.StreamWriter) -> None:
        """One after the other."""
        with contextlib.suppress(OSError):  # it hung up
            while True:
                for piece in frame(*encode_order(await self._orders.get())):
                    writer.write(piece)
                    await writer.drain()

    def _report(self, report: Report | Logged) -> None:
        if self._ending:
            return
        if isinstance(report, Logged):
            logging.getLogger(report.name).log(report.level, "engine: %s", report.text)
        else:
            self._on_report(report)


def engine_command() -> list[str]:
    """The command that starts the engine's process, with this interpreter and this editd."""
    return [sys.executable, "-P", "-m", "editd.daemon.engine_core"]


def _cause(code: int) -> str:
    """Why a process ended with this exit code, as part of a sentence."""
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if name == "SIGKILL":
        return "it was killed, perhaps because the machine's memory ran out"
    return f"it crashed with {name}"


_TICKS = 10  # looks in that time: a machine that slept through it all has looked once


class EngineKeeper:
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
            self.engine.send(Rest())
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
        if not isinstance(report, Snapshot):
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
