"""The engine's loop: jobs advance unit by unit in one thread, and orders are taken between two units.

Knows orders, jobs and the engine. The process around the loop is ``engine_main``'s, turns and clients are the daemon's.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

from editd import __version__
from editd.config import Config
from editd.daemon.failures import failure, loading_sentence
from editd.daemon.forwarded import OutgoingMessage, QueuedRequest
from editd.daemon.framing import pack, unpack
from editd.daemon.orders import (
    CancelJob,
    Configure,
    ContinueJob,
    DoIdleWork,
    Order,
    Report,
    StatusSnapshot,
    StillPreparing,
    TraceReport,
)
from editd.errors import EditCancelled
from editd.messages import (
    CompleteResult,
    EditResult,
    Explained,
    Interim,
    JobRequest,
    Progress,
    ServerMessage,
    StatusReport,
)
from editd.messages.reports import ModelStatus, Stats, Trace, TraceSummary

if TYPE_CHECKING:
    from editd.engine import Engine, Job


log = logging.getLogger("editd.daemon.engine_core")  # it is run as __main__


_SNAPSHOT_SECONDS = 0.25  # between two looks at how the engine is, while it works


_ALIVE_SECONDS = 1.0  # between two signs of life


_BUILDING_SECONDS = 1.0  # between two looks at a project that is being indexed, while at rest


EngineFactory = Callable[[Config, Callable[[ModelStatus], None]], "Engine"]


Say = Callable[[Report], None]


def run(core: EngineCore, inbox: queue.SimpleQueue[Order | None]) -> None:
    """The loop: orders first, then a unit; returns after ``None`` has come in."""
    busy = False
    while True:
        while not busy or not inbox.empty():
            try:
                order = inbox.get(timeout=None if busy else core.patience)
            except queue.Empty:
                core.look()
                continue
            if order is None:
                core.close()
                return
            core.take_order(order)
            busy = True
        busy = core.step()


@dataclass(eq=False, slots=True)
class _Job:
    """A job that has begun. ``job``: made by the first unit, which reads the request."""

    asked: QueuedRequest
    job: Job | None = None

    @property
    def key(self) -> int:
        return self.asked.key

    def failed(self, error: BaseException) -> ServerMessage:
        """The answer if it ends with ``error``."""
        return failure(self.asked.type, self.asked.request_id, error)


class EngineCore:
    """Carries out orders: ``take_order`` between two units, ``step`` for a unit.

    ``say`` gets the results. All but ``interrupt`` run in one thread.
    """

    def __init__(self, make_engine: EngineFactory, say: Say) -> None:
        self._make_engine = make_engine
        self._tell = say
        self._config = Config()
        self._engine: Engine | None = None
        self._jobs: dict[int, _Job] = {}
        self._current: _Job | None = None
        self._running: int | None = None  # the key of the job whose unit is computed now
        self._changing = threading.Lock()
        self._resting = False
        self._last_stats: Stats | None = None
        self._snapshot = b""
        self._looked = self._spoke = 0.0

    def take_order(self, order: Order) -> None:
        """Take an order; ``step`` does the computing."""
        match order:
            case Configure(config):
                self._config = config
            case QueuedRequest():
                self._resting = False
                self._current = self._jobs[order.key] = _Job(order)
            case ContinueJob(key):
                self._resting = False
                self._current = self._jobs.get(key)  # its answer may be under way
            case CancelJob(key, reason):
                if mine := self._jobs.get(key):
                    self._cancel(mine, reason)
            case DoIdleWork():
                self._resting = True

    def interrupt(self, key: int) -> None:
        """Interrupt the job of this key, if possible; from any thread.

        The order to cancel it comes in the usual way, too, because not every model can be interrupted.
        """
        with self._changing:  # else the next job's unit might be the one that ends
            if self._running == key and self._engine is not None:
                self._engine.interrupt()

    def step(self) -> bool:
        """Run a unit of the current job, else one of idle work; returns whether there is more to do."""
        if self._current is not None:
            self._advance(self._current)
            self._look(_SNAPSHOT_SECONDS)
            if monotonic() - self._spoke > _ALIVE_SECONDS:
                self._say(StatusSnapshot(self._snapshot))
            return True
        if self._resting and self._idle_work():
            self._look(_SNAPSHOT_SECONDS)
            return True
        self.look()
        return False

    @property
    def patience(self) -> float | None:
        """When to ``look`` again if no order comes, in seconds; ``None``: nothing changes by itself."""
        spaces = self._engine.workspaces() if self._engine else ()
        building = any(space.state == "building" for space in spaces)
        return _BUILDING_SECONDS if building else None

    def look(self) -> None:
        """Report the engine's status, if it has changed."""
        self._look(0.0)

    def close(self) -> None:
        """Free everything."""
        if self._engine:
            try:
                self._engine.close()
            except Exception:
                log.exception("closing the engine failed")

    # --- one job ---------------------------------------------------------------------------------

    def _advance(self, mine: _Job) -> None:
        """Run one unit and send its messages; a defect ends one request, never the process."""
        try:
            for message in self._unit(mine):
                self._pass_on(mine, message)
        except BaseException as error:
            log.exception("request %r: a unit failed", mine.asked.request_id)
            self._answer(mine, mine.failed(error))
        if mine.key not in self._jobs or mine.job is None:
            return
        if mine.job.finished:
            log.error("request %r ended without an answer", mine.asked.request_id)
            self._answer(mine, mine.failed(RuntimeError()))
        elif mine.job.preparing:
            self._current = None  # the daemon says who is next
            self._say(StillPreparing(mine.key))

    def _unit(self, mine: _Job) -> list[ServerMessage]:
        if self._engine is None:
            self._engine = self._make_engine(self._config, self._hear_of_model)
        if mine.job is None:
            asked, mine.asked = mine.asked, replace(mine.asked, body=b"")
            request = unpack(asked.body)
            if not isinstance(request, JobRequest):
                raise TypeError("a request that is none")
            mine.job = self._engine.start(request)
        with self._changing:
            self._running = mine.key
        try:
            return mine.job.advance()
        finally:
            with self._changing:
                self._running = None

    def _cancel(self, mine: _Job, reason: str) -> None:
        if mine.job is not None:
            try:
                for message in mine.job.cancel(reason):
                    self._pass_on(mine, message)
            except Exception:
                log.exception("request %r: cancelling it failed", mine.asked.request_id)
        self._answer(mine, mine.failed(EditCancelled(reason)))

    def _pass_on(self, mine: _Job, message: ServerMessage) -> None:
        if mine.key not in self._jobs:
            return
        if not isinstance(message, Interim):
            self._answer(mine, message)
            return
        if isinstance(message, Progress):
            message = replace(message, queue_position=0)
        self._say(OutgoingMessage.of(message, mine.key))

    def _answer(self, mine: _Job, message: ServerMessage) -> None:
        """Send the final answer of ``mine``, if it has not been sent, after the current status."""
        if self._jobs.pop(mine.key, None) is None:
            return
        if self._current is mine:
            self._current = None
        answer = OutgoingMessage.of(message, mine.key)
        try:
            self._settle(mine, message)
        except Exception:  # its client waits for the answer, not for this
            log.exception("request %r: reporting on its end failed", mine.asked.request_id)
        self._say(answer)

    def _settle(self, mine: _Job, message: ServerMessage) -> None:
        """End the job where it stands, and report what it leaves behind."""
        if isinstance(message, EditResult | CompleteResult) and message.stats.output_tokens:
            self._last_stats = message.stats
        if mine.job is not None and not mine.job.finished:
            try:
                mine.job.cancel("")
            except Exception:
                log.exception("request %r: ending it failed", mine.asked.request_id)
        self.look()
        for trace in self._engine.take_traces() if self._engine else []:
            self._say(TraceReport(_summary(trace), pack(Explained("", trace))))

    # --- how the engine is -----------------------------------------------------------------------

    def _idle_work(self) -> bool:
        try:
            return self._engine is not None and bool(self._engine.idle_work())
        except Exception:
            log.exception("work between two requests failed")
            return False

    def _hear_of_model(self, status: ModelStatus) -> None:
        # In the middle of a unit: a load is one.
        self.look()
        if self._current is not None and status.state == "loading":
            sentence = loading_sentence(status)
            request_id = self._current.asked.request_id
            progress = Progress(request_id, "loading", sentence, status.fraction)
            self._pass_on(self._current, progress)

    def _look(self, seconds: float) -> None:
        if self._engine is None or monotonic() - self._looked < seconds:
            return
        self._looked = monotonic()
        try:
            body = self._status(self._engine)
        except Exception:
            log.exception("the engine's status cannot be told")
            return
        if body != self._snapshot:
            self._snapshot = body
            self._say(StatusSnapshot(body))

    def _status(self, engine: Engine) -> bytes:
        report = StatusReport(
            *("", "busy", __version__, os.getpid(), 0.0),
            models=engine.models(),
            last_stats=self._last_stats,
            workspaces=engine.workspaces(),
        )
        return pack(report)

    def _say(self, report: Report) -> None:
        self._spoke = monotonic()
        self._tell(report)


def _summary(t: Trace) -> TraceSummary:
    counts = t.stats.rounds, t.stats.output_tokens
    return TraceSummary(t.id, t.ended, t.path, t.instruction, t.finish_reason, *counts)
