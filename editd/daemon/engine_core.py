"""The engine's loop: takes orders between two units of work, advances jobs unit by unit, and sends reports.

Knows orders, jobs and the engine, and runs in one thread. The process around the loop is left to ``engine_main``,
turns and clients are left to the daemon.
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


log = logging.getLogger(__name__)

_STATUS_SECONDS = 0.25  # between two checks of the engine's status while it works
_ALIVE_SECONDS = 1.0  # between two signs of life
_INDEXING_SECONDS = 1.0  # between two checks of an idle engine that indexes a project

EngineFactory = Callable[[Config, Callable[[ModelStatus], None]], "Engine"]
SendReport = Callable[[Report], None]


def run(core: EngineCore, inbox: queue.SimpleQueue[Order | None]) -> None:
    """The loop: carry out all orders that wait, then compute one unit; ``None`` in ``inbox`` closes ``core`` and returns.

    Waits for orders only when nothing is left to compute, and meanwhile reports changes of the engine's status.
    """
    busy = False
    while True:
        while not busy or not inbox.empty():
            try:
                order = inbox.get(timeout=None if busy else core.report_seconds)
            except queue.Empty:
                core.report_status()
                continue
            if order is None:
                core.close()
                return
            core.take_order(order)
            busy = True
        busy = core.step()


@dataclass(eq=False, slots=True)
class _JobRecord:
    """A request whose engine has begun it. ``job``: ``None`` until the first unit, which unpacks the request."""

    queued: QueuedRequest
    job: Job | None = None

    @property
    def key(self) -> int:
        """The number by which orders and reports name the job."""
        return self.queued.key

    def failure_of(self, error: BaseException) -> ServerMessage:
        """The final answer of a job that ends with ``error``."""
        return failure(self.queued.type, self.queued.request_id, error)


class EngineCore:
    """The jobs that have begun, and the engine that computes them, made for the first.

    ``take_order`` changes what is to be computed, ``step`` computes one unit; both send reports by ``send_report``.
    All methods but ``interrupt`` must be called in one thread.
    """

    def __init__(self, make_engine: EngineFactory, send_report: SendReport) -> None:
        self._make_engine = make_engine
        self._send_report = send_report
        self._config = Config()
        self._engine: Engine | None = None
        self._jobs: dict[int, _JobRecord] = {}
        self._current: _JobRecord | None = None
        self._computing: int | None = None  # the key of the job whose unit is being computed
        self._unit_lock = threading.Lock()
        self._resting = False
        self._last_stats: Stats | None = None
        self._reported_status = b""
        self._checked_at = self._sent_at = 0.0

    def take_order(self, order: Order) -> None:
        """Carry out an order, computing nothing: keep the configuration, make a job current, or
        allow idle work. ``CancelJob`` ends a job and sends its answer; unknown jobs are ignored.
        """
        match order:
            case Configure(config):
                self._config = config
            case QueuedRequest():
                self._resting = False
                self._current = self._jobs[order.key] = _JobRecord(order)
            case ContinueJob(key):
                self._resting = False
                self._current = self._jobs.get(key)  # None if its answer is under way
            case CancelJob(key, reason):
                if record := self._jobs.get(key):
                    self._cancel(record, reason)
            case DoIdleWork():
                self._resting = True

    def interrupt(self, key: int) -> None:
        """Ask the model to break off the unit of job ``key``, if that is being computed. May be called from any thread.

        Not every model can be interrupted, so the order to cancel the job has to be taken as well.
        """
        with self._unit_lock:  # without it, the next job's unit might be interrupted
            if self._computing == key and self._engine is not None:
                self._engine.interrupt()

    def step(self) -> bool:
        """Compute one unit of the current job and send its messages, else one of idle work if that
        is allowed. Sends the engine's status if it has changed, at most every ``_STATUS_SECONDS``,
        and a job's unit sends it in any case after ``_ALIVE_SECONDS`` without a report.

        Returns ``False`` if there was neither, after reporting the status.
        """
        if self._current is not None:
            self._advance(self._current)
            self._report_status_after(_STATUS_SECONDS)
            if monotonic() - self._sent_at > _ALIVE_SECONDS:
                self._send(StatusSnapshot(self._reported_status))
            return True
        if self._resting and self._idle_work():
            self._report_status_after(_STATUS_SECONDS)
            return True
        self.report_status()
        return False

    @property
    def report_seconds(self) -> float | None:
        """Seconds after which an idle engine's status may have changed; ``None`` unless a project is being indexed."""
        spaces = self._engine.workspaces() if self._engine else ()
        building = any(space.state == "building" for space in spaces)
        return _INDEXING_SECONDS if building else None

    def report_status(self) -> None:
        """Send the engine's status if it has changed since the last report."""
        self._report_status_after(0.0)

    def close(self) -> None:
        """Close the engine, which frees its models. Logs exceptions."""
        if self._engine:
            try:
                self._engine.close()
            except Exception:
                log.exception("closing the engine failed")

    # --- one job ---------------------------------------------------------------------------------

    def _advance(self, record: _JobRecord) -> None:
        """Compute one unit of a job and send its messages. Any exception, and an end without
        answer, becomes the job's final answer.

        A job that is only being prepared gives up its turn: the daemon orders which is next.
        """
        try:
            for message in self._run_unit(record):
                self._forward(record, message)
        except BaseException as error:
            log.exception("request %r: a unit failed", record.queued.request_id)
            self._answer(record, record.failure_of(error))
        if record.key not in self._jobs or record.job is None:
            return
        if record.job.finished:
            log.error("request %r ended without an answer", record.queued.request_id)
            self._answer(record, record.failure_of(RuntimeError()))
        elif record.job.preparing:
            self._current = None  # the daemon orders which job is next
            self._send(StillPreparing(record.key))

    def _run_unit(self, record: _JobRecord) -> list[ServerMessage]:
        """Compute one unit of a job and return its messages; first makes the engine and unpacks the
        request where necessary. While it runs, ``interrupt`` may break it off.

        Raises whatever the engine raises, and ``TypeError`` for a request that is no job.
        """
        if self._engine is None:
            self._engine = self._make_engine(self._config, self._report_loading)
        if record.job is None:
            queued, record.queued = record.queued, replace(record.queued, body=b"")
            request = unpack(queued.body)
            if not isinstance(request, JobRequest):
                raise TypeError("this request is no job")
            record.job = self._engine.start(request)
        with self._unit_lock:
            self._computing = record.key
        try:
            return record.job.advance()
        finally:
            with self._unit_lock:
                self._computing = None

    def _cancel(self, record: _JobRecord, reason: str) -> None:
        """End a job and send its last messages and a final answer: its own, or else
        ``EditCancelled`` with ``reason``, a sentence. Logs exceptions of the job.
        """
        if record.job is not None:
            try:
                for message in record.job.cancel(reason):
                    self._forward(record, message)
            except Exception:
                log.exception("request %r: cancelling it failed", record.queued.request_id)
        self._answer(record, record.failure_of(EditCancelled(reason)))

    def _forward(self, record: _JobRecord, message: ServerMessage) -> None:
        """Send a message of a job, progress with queue position 0; a final one goes to ``_answer``,
        which ends the job. No effect after the job's final answer.
        """
        if record.key not in self._jobs:
            return
        if not isinstance(message, Interim):
            self._answer(record, message)
            return
        if isinstance(message, Progress):
            message = replace(message, queue_position=0)
        self._send(OutgoingMessage.of(message, record.key))

    def _answer(self, record: _JobRecord, message: ServerMessage) -> None:
        """Forget a job, cancel what still runs of it, and send the engine's status, its traces and
        then the final answer, the last even if those fail.

        No effect if the job has been answered.
        """
        if self._jobs.pop(record.key, None) is None:
            return
        if self._current is record:
            self._current = None
        answer = OutgoingMessage.of(message, record.key)
        try:
            self._finish(record, message)
        except Exception:  # the client waits for the answer alone
            log.exception("request %r: reporting on its end failed", record.queued.request_id)
        self._send(answer)

    def _finish(self, record: _JobRecord, message: ServerMessage) -> None:
        """Cancel what still runs of a job, logging if that fails, then send the engine's status and
        the traces of finished edits. Keeps the figures (``stats``) of an edit or completion that
        has output tokens, for the status.
        """
        if isinstance(message, EditResult | CompleteResult) and message.stats.output_tokens:
            self._last_stats = message.stats
        if record.job is not None and not record.job.finished:
            try:
                record.job.cancel("")
            except Exception:
                log.exception("request %r: ending it failed", record.queued.request_id)
        self.report_status()
        for trace in self._engine.take_traces() if self._engine else []:
            self._send(TraceReport(_summary(trace), pack(Explained("", trace))))

    # --- the engine's status ---------------------------------------------------------------------

    def _idle_work(self) -> bool:
        """Compute one unit of the engine's work between requests; ``False`` if there was none, it
        failed (which is logged), or no engine was made.
        """
        try:
            return self._engine is not None and bool(self._engine.idle_work())
        except Exception:
            log.exception("work between two requests failed")
            return False

    def _report_loading(self, status: ModelStatus) -> None:
        """Send the engine's status and, while a model loads, progress of the current job.

        Called by the engine in the middle of a unit, because a load is one.
        """
        self.report_status()
        if self._current is not None and status.state == "loading":
            sentence = loading_sentence(status)
            request_id = self._current.queued.request_id
            progress = Progress(request_id, "loading", sentence, status.fraction)
            self._forward(self._current, progress)

    def _report_status_after(self, seconds: float) -> None:
        """Send the engine's status if it has changed, unless it was checked less than ``seconds``
        ago or no engine was made. Logs exceptions.
        """
        if self._engine is None or monotonic() - self._checked_at < seconds:
            return
        self._checked_at = monotonic()
        try:
            body = self._pack_status(self._engine)
        except Exception:
            log.exception("the engine's status cannot be told")
            return
        if body != self._reported_status:
            self._reported_status = body
            self._send(StatusSnapshot(body))

    def _pack_status(self, engine: Engine) -> bytes:
        """A packed ``StatusReport`` with the engine's models, workspaces and last figures."""
        report = StatusReport(
            *("", "busy", __version__, os.getpid(), 0.0),
            models=engine.models(),
            last_stats=self._last_stats,
            workspaces=engine.workspaces(),
        )
        return pack(report)

    def _send(self, report: Report) -> None:
        """Send a report and note the time, which delays the next sign of life."""
        self._sent_at = monotonic()
        self._send_report(report)


def _summary(trace: Trace) -> TraceSummary:
    """The row of a trace in the list of finished edits."""
    return TraceSummary(
        trace.id,
        trace.ended,
        trace.path,
        trace.instruction,
        trace.finish_reason,
        trace.stats.rounds,
        trace.stats.output_tokens,
    )
