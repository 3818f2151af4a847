"""From requests to the engine's process and back: the daemon without its socket.

Decides whose turn it is and who is told what; computes nothing, and reads of a request only what
``envelope`` does. All on the event loop, which nothing here ever holds up. The socket server and
``--no-daemon`` use this same class.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
from dataclasses import replace
from time import monotonic
from typing import Literal

from editd import __version__
from editd.config import Config
from editd.daemon.engine_process import Engine, EngineProcess, StartEngine
from editd.daemon.entry import Deliver, Entry
from editd.daemon.envelope import Asked, Told, failure, loading_sentence
from editd.daemon.limits import DEFAULT_LIMITS, Limits
from editd.daemon.orders import (
    Answered,
    Cancel,
    Prepared,
    Report,
    Rest,
    Said,
    Snapshot,
    Traced,
    Work,
)
from editd.daemon.scheduler import Scheduler
from editd.daemon.traces import Traces
from editd.errors import (
    DaemonUnreachable,
    EditCancelled,
    EditdError,
    EditFailed,
    EditRefused,
    MemoryRanOut,
    UsageError,
)
from editd.messages import (
    Explained,
    ExplainRequest,
    Progress,
    StatusReport,
    unpack,
)

log = logging.getLogger(__name__)

# A cancelled edit is answered by its own job, which knows the figures, if the unit that runs ends
# this soon; else without it. A round always does, the load of a model does not.
CANCEL_PATIENCE = 0.1  # seconds

# An engine that works and has said nothing for so long is ended. The longest honest silence is that
# of a library that loads a model without a word: 40 GB from a disk of 200 MB/s take 200 seconds.
SILENT_SECONDS = 300.0
_TICKS = 10  # looks in that time: a machine that slept through it all has looked once


class Dispatcher:
    """Takes requests of several clients, has them served in turns, delivers exactly one answer each.

    Every method is called on the event loop; ``close()`` last.
    """

    def __init__(
        self,
        config: Config,
        start_engine: StartEngine = EngineProcess,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.idle_since: float | None = monotonic()  # ``None`` while there is work
        self.stopping = False
        self._config = config
        self._limits = limits
        self._started = monotonic()
        self._scheduler = Scheduler[Entry]()
        self._keys = itertools.count()
        self._open: dict[int, dict[str, Entry]] = {}  # not answered yet, by client and request
        self._begun: dict[int, Entry] = {}  # the engine has them, by key
        self._running: Entry | None = None  # the one that the engine was told to go on with
        self._start_engine = start_engine
        self._engine: Engine | None = None
        self._ending: asyncio.Task[None] | None = None  # of an engine whose place the next takes
        self._snapshot = StatusReport("", "idle", __version__, os.getpid(), 0.0)
        self._traces = Traces()
        self._silent_ticks = 0
        self._watch: asyncio.TimerHandle | None = None
        self._unloading: asyncio.TimerHandle | None = None
        self._all_answered = asyncio.Event()
        self._all_answered.set()
        self._loop = asyncio.get_running_loop()

    def submit(self, client: int, asked: Asked, deliver: Deliver) -> None:
        """Queue what is asked; ``deliver`` is called with all that is told, the answer last.

        Raises ``UsageError`` if the client has an unanswered request with the same id.
        """
        mine = self._open.setdefault(client, {})
        if asked.request_id in mine:
            raise UsageError("Two requests at once have the same request_id: use one for each.")
        entry = Entry(
            client=client,
            request_id=asked.request_id,
            priority=asked.priority,
            document=asked.document,
            size=asked.size,
            key=next(self._keys),
            asked=asked,
            deliver=deliver,
        )
        mine[entry.request_id] = entry
        self._all_answered.clear()
        log.debug("request %r of client %d: %d bytes", entry.request_id, client, entry.size)
        if refusal := self._refusal(mine):
            self._fail(entry, refusal)
            return
        for older in self._scheduler.add(entry):
            self._cancel(older, "A newer edit of this document took the place of this one.")
        self._tell_positions()
        self._direct()

    def cancel(self, client: int, request_id: str, reason: str = "The edit was cancelled.") -> None:
        """Let the request's answer say ``cancelled``, soon; nothing happens if it is answered."""
        if entry := self._open.get(client, {}).get(request_id):
            self._cancel(entry, reason)
            self._direct()

    def drop(self, client: int) -> None:
        """The client is gone: cancel what it asked for, deliver nothing more."""
        entries = list(self._open.pop(client, {}).values())
        for entry in entries:  # all of them first: the end of one moves the others up
            entry.deliver = _deliver_nowhere
        for entry in entries:
            self._cancel(entry, "The client has gone.")
        self._direct()

    def cancel_all(self, reason: str) -> None:
        """Cancel everything that waits or runs."""
        for mine in list(self._open.values()):
            for entry in list(mine.values()):
                self._cancel(entry, reason)
        self._direct()

    async def until_answered(self) -> None:
        """Return when every request has its answer, though a cancelled unit may still run."""
        await self._all_answered.wait()

    def report(self, request_id: str, clients: int) -> StatusReport:
        """How things stand, as the engine last said; never waits for it."""
        loading = next((m for m in self._snapshot.models if m.state == "loading"), None)
        waiting = len(self._scheduler.in_order())
        state: Literal["idle", "loading", "busy", "stopping"] = "busy" if waiting else "idle"
        message = ""
        if loading:
            state, message = "loading", loading_sentence(loading)
        if self.stopping:
            state, message = "stopping", "Leaving when the running edits have ended."
        return replace(
            self._snapshot,
            request_id=request_id,
            state=state,
            pid=os.getpid(),
            uptime_seconds=monotonic() - self._started,
            clients=clients,
            queue=waiting,
            rss_bytes=self._memory(),
            message=message,
        )

    def explain(self, request: ExplainRequest) -> Explained:
        """How a finished edit came about."""
        return self._traces.explain(request.request_id, request.trace_id)

    async def close(self) -> None:
        """Serve no more, and end the engine."""
        self.stopping = True
        self._stop_timers()
        if self._engine:
            self._end_engine()
        if self._ending:
            await self._ending

    # --- orders ----------------------------------------------------------------------------------

    def _direct(self) -> None:
        """Let the engine go on with whose turn it is, starting it if need be; or let it rest."""
        entry = self._scheduler.next()
        if entry is None:
            self._rest()
            return
        self.idle_since = None
        if self._unloading:
            self._unloading.cancel()
            self._unloading = None
        if entry is self._running or self._ending:
            return
        if self._engine is None:
            try:
                self._engine = self._start_engine(self._config, self._hear, self._gone)
            except OSError as error:
                self._remove(entry, EditFailed(f"No engine can be started: {error.strerror}."))
                self._direct()
                return
            log.info("the engine is process %s", self._engine.pid)
        self._running = entry
        if entry.begun:
            self._engine.send(Work(entry.key))
        else:
            entry.begun = True
            self._begun[entry.key] = entry
            asked = entry.asked
            self._engine.send(Work(entry.key, asked.type, asked.request_id, asked.body))
        if self._watch is None:
            self._silent_ticks = 0
            self._watch = self._loop.call_later(SILENT_SECONDS / _TICKS, self._look_after_engine)

    def _rest(self) -> None:
        if self.idle_since is not None:
            return
        self.idle_since = monotonic()
        if self._engine and not self.stopping:
            self._engine.send(Rest())
            if after := self._config.daemon.unload_after:
                self._unloading = self._loop.call_later(after, self._unload, after)

    def _unload(self, after: float) -> None:
        self._unloading = None
        if self._engine:
            log.info("ending the engine after %g idle seconds", after)
            self._end_engine()

    def _end_engine(self) -> None:
        """End the engine and all that it holds; the next request starts another, when it is gone."""
        if self._engine is None:
            return
        self._ending = self._loop.create_task(self._engine.end())
        self._ending.add_done_callback(self._ended)
        self._forget_engine()

    def _ended(self, ending: asyncio.Task[None]) -> None:
        self._ending = None
        if not ending.cancelled() and (error := ending.exception()):
            log.error("ending the engine failed", exc_info=error)
        if not self.stopping or self._open:
            self._direct()

    def _look_after_engine(self) -> None:
        """End an engine that works and says nothing any more."""
        self._watch = None
        if self._running is None or self._engine is None:
            return
        self._silent_ticks += 1
        if self._silent_ticks > _TICKS:
            self._engine.kill(f"it said nothing for {SILENT_SECONDS:g} seconds and was ended")
            return
        self._watch = self._loop.call_later(SILENT_SECONDS / _TICKS, self._look_after_engine)

    # --- reports ---------------------------------------------------------------------------------

    def _hear(self, report: Report) -> None:
        self._silent_ticks = 0
        match report:
            case Said(key, kind, body):
                entry = self._begun.get(key)
                if entry and not entry.answered:
                    entry.told = entry.told or kind != "progress"
                    entry.deliver(Told(entry.request_id, kind, body))
            case Answered(key, outcome, code, body):
                if entry := self._begun.get(key):
                    self._answer(entry, Told(entry.request_id, "final", body), outcome)
                    self._remove(entry)
                if code == MemoryRanOut.code:
                    # A library that loaded in part never loads again: make room for a whole one.
                    log.warning("memory ran out")
                    self._lose_engine("memory ran out")
                self._direct()
            case Prepared(key):
                entry = self._begun.get(key)
                if entry and entry is self._running:
                    self._running = None
                    self._scheduler.pass_turn(entry)
                    self._direct()
            case Snapshot(body):
                snapshot = unpack(body)
                if isinstance(snapshot, StatusReport):
                    self._snapshot = snapshot
            case Traced(summary, body):
                self._traces.keep(summary, body)

    def _gone(self, how: str) -> None:
        """The engine's process ended by itself, or was ended because it said nothing."""
        log.error("the engine's process has gone: %s", how)
        self._forget_engine()
        self._start_over(how)
        self._direct()

    def _lose_engine(self, how: str) -> None:
        self._end_engine()
        self._start_over(how)

    def _start_over(self, how: str) -> None:
        """Answer what died with the engine; who was told nothing yet is served by the next, once."""
        running, self._running = self._running, None
        died = EditFailed(
            f"The process that computes has gone ({how}): ask again, and if it happens again, "
            "`editd logs` says more."
        )
        for entry in [*self._begun.values()]:
            if entry.cancelled is not None:
                self._remove(entry, EditCancelled(entry.cancelled))
            elif entry is running or entry.told or entry.restarted:
                self._remove(entry, died)
            else:
                del self._begun[entry.key]
                entry.begun, entry.restarted = False, True

    def _forget_engine(self) -> None:
        self._engine = None
        self._stop_timers()
        self._snapshot = replace(self._snapshot, models=(), workspaces=())

    def _stop_timers(self) -> None:
        for timer in (self._watch, self._unloading):
            if timer:
                timer.cancel()
        self._watch = self._unloading = None

    # --- one request -----------------------------------------------------------------------------

    def _refusal(self, mine: dict[str, Entry]) -> EditdError | None:
        """Why the last of a client's open requests is not taken, if it is not."""
        if self.stopping:
            return DaemonUnreachable("The editd daemon is leaving: ask again in a moment.")
        if len(mine) > self._limits.requests:
            return EditRefused(
                f"This client already waits for {self._limits.requests} edits: "
                f"ask again when some of them have ended."
            )
        if sum(entry.size for entry in mine.values()) > self._limits.request_bytes:
            return EditRefused(
                f"This client's waiting edits already hold {self._limits.request_bytes >> 20} MiB: "
                f"ask again when some of them have ended."
            )
        return None

    def _cancel(self, entry: Entry, reason: str) -> None:
        if entry.answered or entry.cancelled is not None:
            return
        log.debug("request %r is cancelled: %s", entry.request_id, reason)
        entry.cancelled = reason
        if self._engine and entry.begun:
            self._engine.send(Cancel(entry.key, reason))
            self._loop.call_later(CANCEL_PATIENCE, self._fail, entry, EditCancelled(reason))
        else:
            self._remove(entry, EditCancelled(reason))

    def _remove(self, entry: Entry, error: EditdError | None = None) -> None:
        """The end of a request; ``error``: its answer, if it has none."""
        if error is not None:
            self._fail(entry, error)
        self._begun.pop(entry.key, None)
        self._scheduler.remove(entry)
        if entry is self._running:
            self._running = None
        self._tell_positions()

    def _fail(self, entry: Entry, error: EditdError) -> None:
        """Answer in place of a job that cannot, or not soon enough."""
        if entry.answered:
            return
        message = failure(entry.asked.type, entry.request_id, error)
        self._answer(entry, Told.of(message), error.finish_reason)

    def _answer(self, entry: Entry, answer: Told, outcome: str) -> None:
        if entry.answered:  # a cancelled one, without its job
            return
        entry.deliver(answer)
        entry.answered = True
        mine = self._open.get(entry.client, {})
        mine.pop(entry.request_id, None)
        if not mine:
            self._open.pop(entry.client, None)
        if not self._open:
            self._all_answered.set()
        log.info("request %r of client %d: %s", entry.request_id, entry.client, outcome)

    def _tell_positions(self) -> None:
        """Tell everybody in the queue whose place in it has changed."""
        for position, entry in enumerate(self._scheduler.in_order()):
            if position == entry.position or entry.answered:
                continue
            entry.position = position
            sentence = f"waiting for {position} other edit{'s' if position > 1 else ''}"
            if position == 0:
                sentence = "starting"
            progress = Progress(entry.request_id, "queued", sentence, queue_position=position)
            entry.deliver(Told.of(progress))

    def _memory(self) -> int:
        """What this process, the engine's, and those that index projects hold, in bytes."""
        import psutil  # here, because clients import this module and have no use for it

        processes = [psutil.Process()]
        with contextlib.suppress(psutil.Error):
            if self._engine and self._engine.pid is not None:
                processes.append(engine := psutil.Process(self._engine.pid))
                # Looking for children takes milliseconds, so only where there are some.
                if any(space.state == "building" for space in self._snapshot.workspaces):
                    processes += engine.children()
        total = 0
        for process in processes:
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
        return total


def _deliver_nowhere(told: Told) -> None:
    del told
