"""Passes requests to the engine's process and answers back: the daemon without its socket.

Decides whose turn it is and which client gets which message, and keeps the traces of finished edits for
``explain``. Computes nothing, and reads only those parts of a request that ``forwarded`` reads. Runs on the
event loop and never blocks it. The socket server uses it, and ``hosting_client``, which is ``--no-daemon``.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

from editd.config import Config
from editd.daemon.engine_process import EngineProcess, StartEngine
from editd.daemon.engine_supervisor import EngineSupervisor
from editd.daemon.failures import failure, loading_sentence
from editd.daemon.forwarded import OutgoingMessage, QueuedRequest
from editd.daemon.orders import (
    CancelJob,
    ContinueJob,
    Order,
    Report,
    StillPreparing,
    TraceReport,
)
from editd.daemon.outbox import DEFAULT_LIMITS, ClientLimits
from editd.daemon.scheduler import QueueHandle, Scheduler
from editd.daemon.traces import Traces
from editd.errors import (
    AnswerCutOff,
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
)

log = logging.getLogger(__name__)


Deliver = Callable[[OutgoingMessage], None]


# A cancelled edit is answered by its own job, which knows the figures, if the unit that runs ends
# this soon; else without it. A round always does, the load of a model does not.
CANCEL_PATIENCE = 0.1  # seconds


# The engine ends an edit that takes too long between two units, and tells its figures. Where it has not
# done so, the daemon answers in its place, and later ends an engine that still says nothing.
OVERDUE_PATIENCE, OVERDUE_SILENCE = 1.0, 10.0  # seconds


_OVERDUE = (
    "The model did not answer within {0:g} s (--timeout); nothing was changed: allow more, or see `editd "
    "logs`."
)


@dataclass(eq=False, slots=True, kw_only=True)
class QueueItem(QueueHandle):
    """A ticket with everything needed to serve it. ``key``: its name in the engine's process.

    limit: seconds until it is overdue; 0: never. since: when they began, in the loop's time.
    begun: the engine has it. restarted: it was begun a second time, by another engine. told: its
    client has received part of its answer. cancelled: the reason.
    """

    key: int
    asked: QueuedRequest
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


class Dispatcher:
    """Takes requests of several clients, serves them in turn, and delivers exactly one answer to each.

    Every method is called on the event loop; ``close()`` last.
    """

    def __init__(
        self,
        config: Config,
        start_engine: StartEngine = EngineProcess,
        limits: ClientLimits = DEFAULT_LIMITS,
    ) -> None:
        self.idle_since: float | None = monotonic()  # ``None`` while there is work
        self.stopping = False
        self._limits = limits
        self._timeout = config.decode.timeout
        self._started = monotonic()
        self._scheduler = Scheduler[QueueItem]()
        self._keys = itertools.count()
        self._open: dict[int, dict[str, QueueItem]] = {}  # not answered yet, by client and request
        self._begun: dict[int, QueueItem] = {}  # the engine has them, by key
        self._running: QueueItem | None = None  # the one that the engine is running
        self._supervisor = EngineSupervisor(
            config, start_engine, self._on_report, self._gone, self._direct
        )
        self._traces = Traces()
        self._all_answered = asyncio.Event()
        self._all_answered.set()
        self._loop = asyncio.get_running_loop()

    def submit(self, client: int, asked: QueuedRequest, deliver: Deliver) -> None:
        """Queue a request; ``deliver`` gets every message about it, the answer last.

        Raises ``UsageError`` if the client has an unanswered request with the same id.
        """
        mine = self._open.setdefault(client, {})
        if asked.request_id in mine:
            raise UsageError("Two requests at once have the same request_id: use one for each.")
        entry = QueueItem(
            client=client,
            request_id=asked.request_id,
            priority=asked.priority,
            document=asked.document,
            size=asked.size,
            key=next(self._keys),
            asked=asked,
            deliver=deliver,
            limit=self._timeout if asked.timeout is None else asked.timeout,
            since=self._loop.time(),
        )
        mine[entry.request_id] = entry
        self._all_answered.clear()
        log.debug("request %r of client %d: %d bytes", entry.request_id, client, entry.size)
        if refusal := self._refusal(mine):
            self._fail(entry, refusal)
            return
        for older in self._scheduler.add(entry):
            self._cancel(older, "A newer edit of this document replaced this one.")
        self._keep_time(entry)
        self._tell_positions()
        self._direct()

    def cancel(self, client: int, request_id: str, reason: str = "The edit was cancelled.") -> None:
        """Let the request's answer say ``cancelled``, soon; nothing happens if it is answered."""
        if entry := self._open.get(client, {}).get(request_id):
            self._cancel(entry, reason)
            self._direct()

    def drop(self, client: int) -> None:
        """The client is gone: cancel its requests, deliver nothing more."""
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
        """The status, as the engine last reported it; never waits for the engine."""
        snapshot = self._supervisor.snapshot
        loading = next((m for m in snapshot.models if m.state == "loading"), None)
        waiting = len(self._scheduler.in_order())
        state: Literal["idle", "loading", "busy", "stopping"] = "busy" if waiting else "idle"
        message = ""
        if loading:
            state, message = "loading", loading_sentence(loading)
        if self.stopping:
            state, message = "stopping", "Leaving when the running edits have ended."
        return replace(
            snapshot,
            request_id=request_id,
            state=state,
            pid=os.getpid(),
            uptime_seconds=monotonic() - self._started,
            clients=clients,
            queue=waiting,
            rss_bytes=self._supervisor.memory(),
            message=message,
        )

    def explain(self, request: ExplainRequest) -> Explained:
        """The trace of a finished edit."""
        return self._traces.explain(request.request_id, request.trace_id)

    async def close(self) -> None:
        """Stop serving, and end the engine."""
        self.stopping = True
        await self._supervisor.close()

    # --- orders ----------------------------------------------------------------------------------

    def _direct(self) -> None:
        """Give the engine its next unit of work, starting it if necessary, or leave it idle."""
        entry = self._scheduler.next()
        if entry is None:
            if self.idle_since is None:
                self.idle_since = monotonic()
                self._supervisor.rest()
            return
        self.idle_since = None
        if entry is self._running or self._supervisor.is_ending:
            return
        order: Order = (
            ContinueJob(entry.key) if entry.begun else replace(entry.asked, key=entry.key)
        )
        try:
            self._supervisor.work(order)
        except OSError as error:
            self._remove(
                entry, EditFailed(f"The engine process cannot be started: {error.strerror}.")
            )
            self._direct()
            return
        if not entry.begun:
            entry.begun, entry.since = True, self._loop.time()
        self._begun[entry.key] = self._running = entry

    # --- reports ---------------------------------------------------------------------------------

    def _on_report(self, report: Report) -> None:
        match report:
            case OutgoingMessage(kind="final"):
                if entry := self._begun.get(report.key):
                    self._answer(entry, report)
                    self._remove(entry)
                if report.code == MemoryRanOut.code:
                    # A library that loaded in part never loads again: make room for a whole one.
                    log.warning("memory ran out")
                    self._supervisor.replace("memory ran out")
                self._direct()
            case OutgoingMessage():
                entry = self._begun.get(report.key)
                if entry and not entry.answered:
                    entry.told = entry.told or report.kind != "progress"
                    entry.deliver(report)
            case StillPreparing(key):
                entry = self._begun.get(key)
                if entry and entry is self._running:
                    self._running = None
                    self._scheduler.pass_turn(entry)
                    self._direct()
            case TraceReport(summary, body):
                self._traces.keep(summary, body)

    def _gone(self, how: str) -> None:
        """Answer the requests that died with the engine. Those that sent nothing yet are tried again,
        once.
        """
        running, self._running = self._running, None
        died = EditFailed(
            f"The engine process ended ({how}): try again; if it happens again, see `editd logs`."
        )
        for entry in [*self._begun.values()]:
            if entry.cancelled is not None:
                self._remove(entry, entry.cancelled)
            elif entry is running or entry.told or entry.restarted:
                self._remove(entry, died)
            else:
                del self._begun[entry.key]
                entry.begun, entry.restarted = False, True
        self._direct()

    # --- one request -----------------------------------------------------------------------------

    def _refusal(self, mine: dict[str, QueueItem]) -> EditdError | None:
        """Why the last of a client's open requests is not taken, if it is not."""
        if self.stopping:
            return DaemonUnreachable("The editd daemon is stopping: try again in a moment.")
        if len(mine) > self._limits.requests:
            return EditRefused(
                f"This client already waits for {self._limits.requests} edits: try again when "
                f"some have ended."
            )
        if sum(entry.size for entry in mine.values()) > self._limits.request_bytes:
            return EditRefused(
                f"This client's waiting edits already hold {self._limits.request_bytes >> 20} "
                f"MiB: try again when some have ended."
            )
        return None

    def _cancel(self, entry: QueueItem, reason: str) -> None:
        self._stop(entry, EditCancelled(reason), CANCEL_PATIENCE)

    def _stop(self, entry: QueueItem, error: EditdError, patience: float) -> None:
        """End a request; its job has so many seconds to answer itself."""
        if entry.answered or entry.cancelled is not None:
            return
        log.debug("request %r is cancelled: %s", entry.request_id, error)
        entry.cancelled = error
        if entry.begun:
            self._supervisor.send(CancelJob(entry.key, str(error)))
            self._loop.call_later(patience, self._fail, entry, error)
        else:
            self._remove(entry, error)

    def _keep_time(self, entry: QueueItem) -> None:
        """Stop a request that is overdue, and the engine if it does not even notice that.

        What waits for other edits is not overdue while the engine works on them.
        """
        if not entry.limit:
            return
        since = entry.since if entry.begun else max(entry.since, self._supervisor.last_report)
        left = since + entry.limit + OVERDUE_PATIENCE - self._loop.time()
        if left > 0:
            entry.timer = self._loop.call_later(left, self._keep_time, entry)
            return
        log.warning("request %r of client %d is overdue", entry.request_id, entry.client)
        self._stop(entry, AnswerCutOff(_OVERDUE.format(entry.limit)), 0)
        if entry is self._running:
            self._supervisor.hurry(OVERDUE_SILENCE)
        self._direct()

    def _remove(self, entry: QueueItem, error: EditdError | None = None) -> None:
        """The end of a request; ``error``: its answer, if it has none."""
        if error is not None:
            self._fail(entry, error)
        if entry.timer:
            entry.timer.cancel()
        self._begun.pop(entry.key, None)
        self._scheduler.remove(entry)
        if entry is self._running:
            self._running = None
        self._tell_positions()

    def _fail(self, entry: QueueItem, error: EditdError) -> None:
        """Answer in place of a job that cannot answer, or not soon enough."""
        if entry.answered:
            return
        self._answer(entry, OutgoingMessage.of(failure(entry.asked.type, entry.request_id, error)))

    def _answer(self, entry: QueueItem, answer: OutgoingMessage) -> None:
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
        log.info("request %r of client %d: %s", entry.request_id, entry.client, answer.outcome)

    def _tell_positions(self) -> None:
        """Notify the requests whose place in the queue has changed."""
        for position, entry in enumerate(self._scheduler.in_order()):
            if position == entry.position or entry.answered:
                continue
            entry.position = position
            sentence = f"waiting for {position} other edit{'s' if position > 1 else ''}"
            if position == 0:
                sentence = "starting"
            progress = Progress(entry.request_id, "queued", sentence, queue_position=position)
            entry.deliver(OutgoingMessage.of(progress))


def _deliver_nowhere(told: OutgoingMessage) -> None:
    del told
