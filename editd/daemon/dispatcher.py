"""The daemon without its socket: sends requests to the engine's process, and its messages to the clients.

Decides which request is worked on and which client gets which message, and keeps the traces of finished edits for
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
# this soon; else by the daemon. A round always does, the load of a model does not.
CANCEL_PATIENCE = 0.1  # seconds
# The engine ends an edit that takes too long between two units, and reports its figures. Where it has not
# done so, the daemon answers in its place, and later ends an engine that still sends nothing.
OVERDUE_PATIENCE, OVERDUE_SILENCE = 1.0, 10.0  # seconds
_OVERDUE = (
    "The model did not answer within {0:g} s (--timeout); nothing was changed: allow more, or see `editd "
    "logs`."
)


@dataclass(eq=False, slots=True, kw_only=True)
class QueueItem(QueueHandle):
    """A request that has not been answered, or whose unit still runs, with everything needed to serve it.

    key: the number of its job in the engine's process. deliver: called with each message to its client.
    time_limit: seconds until the request is overdue; 0: never. timed_since: when they began, in the loop's time.
    begun: the engine has the job. restarted: an engine died with the job, and it was queued again.
    client_received_part: of the answer. cancel_error: the answer of a cancelled request.
    """

    key: int
    queued: QueuedRequest
    deliver: Deliver
    time_limit: float
    timed_since: float
    overdue_timer: asyncio.TimerHandle | None = None
    begun: bool = False
    restarted: bool = False
    client_received_part: bool = False
    answered: bool = False
    cancel_error: EditdError | None = None
    position: int = 0  # in the queue, as last reported to the client


class Dispatcher:
    """Queues requests of several clients, has the engine serve them in turn, and delivers one final answer to each.

    Call every method on the event loop, and ``close()`` last.
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
        self._begun: dict[int, QueueItem] = {}  # jobs that the engine has, by key
        self._running: QueueItem | None = None  # its job is the engine's current one
        self._supervisor = EngineSupervisor(
            config, start_engine, self._on_report, self._on_engine_end, self._order_next
        )
        self._traces = Traces()
        self._all_answered = asyncio.Event()
        self._all_answered.set()
        self._loop = asyncio.get_running_loop()

    def submit(self, client: int, queued: QueuedRequest, deliver: Deliver) -> None:
        """Queue a request, cancel the requests that it supersedes, and let the engine work on whose
        turn it is; ``deliver`` gets its messages, the answer last. A request without a time limit
        gets the configured one.

        A request beyond the client's limits, or while the daemon stops, is answered at once with an
        error and not queued. Raises ``UsageError`` if the client has an unanswered request with the
        same id.
        """
        client_items = self._open.setdefault(client, {})
        if queued.request_id in client_items:
            raise UsageError("Two requests at once have the same request_id: use one for each.")
        item = QueueItem(
            client=client,
            request_id=queued.request_id,
            priority=queued.priority,
            document=queued.document,
            size=queued.size,
            key=next(self._keys),
            queued=queued,
            deliver=deliver,
            time_limit=self._timeout if queued.timeout is None else queued.timeout,
            timed_since=self._loop.time(),
        )
        client_items[item.request_id] = item
        self._all_answered.clear()
        log.debug("request %r of client %d: %d bytes", item.request_id, client, item.size)
        if refusal := self._refusal_of_last(client_items):
            self._answer_with_error(item, refusal)
            return
        for older in self._scheduler.add(item):
            self._cancel(older, "A newer edit of this document replaced this one.")
        self._check_time_limit(item)
        self._report_positions()
        self._order_next()

    def cancel(self, client: int, request_id: str, reason: str = "The edit was cancelled.") -> None:
        """Cancel a request, whose answer then comes within ``CANCEL_PATIENCE``, and order what is
        next; no effect if it has been answered or is unknown. reason: the sentence of the answer,
        unless the job answers itself.
        """
        if item := self._open.get(client, {}).get(request_id):
            self._cancel(item, reason)
            self._order_next()

    def drop(self, client: int) -> None:
        """Cancel all requests of a client that has disconnected, and deliver nothing more to it; no
        effect on an unknown client.
        """
        items = list(self._open.pop(client, {}).values())
        for item in items:  # before any is cancelled, because that moves the others up
            item.deliver = _discard
        for item in items:
            self._cancel(item, "The client has gone.")
        self._order_next()

    def cancel_all(self, reason: str) -> None:
        """Cancel every request of every client; each is answered with ``reason``, a sentence."""
        for client_items in list(self._open.values()):
            for item in list(client_items.values()):
                self._cancel(item, reason)
        self._order_next()

    async def until_answered(self) -> None:
        """Wait until every request has its final answer; a unit of a cancelled job may still run then."""
        await self._all_answered.wait()

    def report(self, request_id: str, clients: int) -> StatusReport:
        """The daemon's status (stopping before loading before busy before idle), with the engine's
        as last reported; never waits for the engine.

        clients: their number.
        """
        snapshot = self._supervisor.last_status
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
            rss_bytes=self._supervisor.memory_bytes(),
            message=message,
        )

    def explain(self, request: ExplainRequest) -> Explained:
        """The answer with the trace of a finished edit, as ``Traces.explain``."""
        return self._traces.explain(request.request_id, request.trace_id)

    async def close(self) -> None:
        """Refuse further requests, and end the engine process."""
        self.stopping = True
        await self._supervisor.close()

    # --- orders ----------------------------------------------------------------------------------

    def _order_next(self) -> None:
        """Order the engine to work on the job whose turn it is, starting an engine if necessary;
        does nothing if it works on that, or an engine is being ended. Without a job lets it idle.

        A request for which no engine can be started is answered with ``EditFailed``.
        """
        item = self._scheduler.next()
        if item is None:
            if self.idle_since is None:
                self.idle_since = monotonic()
                self._supervisor.go_idle()
            return
        self.idle_since = None
        if item is self._running or self._supervisor.is_ending:
            return
        order: Order = ContinueJob(item.key) if item.begun else replace(item.queued, key=item.key)
        try:
            self._supervisor.send_work(order)
        except OSError as error:
            self._remove(
                item, EditFailed(f"The engine process cannot be started: {error.strerror}.")
            )
            self._order_next()
            return
        if not item.begun:
            item.begun, item.timed_since = True, self._loop.time()
        self._begun[item.key] = self._running = item

    # --- reports ---------------------------------------------------------------------------------

    def _on_report(self, report: Report) -> None:
        """Handle a report of the engine: deliver a message of an unanswered request, pass the turn
        of a job that is being prepared, or keep a trace; after an answer and a passed turn order
        what is next.

        An engine whose memory ran out is ended.
        """
        match report:
            case OutgoingMessage(kind="final"):
                if item := self._begun.get(report.key):
                    self._answer(item, report)
                    self._remove(item)
                if report.code == MemoryRanOut.code:
                    # A library that loaded in part never loads again: make room for a whole one.
                    log.warning("memory ran out")
                    self._supervisor.end_broken("memory ran out")
                self._order_next()
            case OutgoingMessage():
                item = self._begun.get(report.key)
                if item and not item.answered:
                    item.client_received_part = (
                        item.client_received_part or report.kind != "progress"
                    )
                    item.deliver(report)
            case StillPreparing(key):
                item = self._begun.get(key)
                if item and item is self._running:
                    self._running = None
                    self._scheduler.pass_turn(item)
                    self._order_next()
            case TraceReport(summary, body):
                self._traces.add(summary, body)

    def _on_engine_end(self, reason: str) -> None:
        """Handle the end of an engine and its jobs, then order what is next; ``reason`` is part of
        a sentence.

        The request that ran ends with ``EditFailed``, as do those of which the client received a
        part and those that were restarted before. Cancelled requests are answered as cancelled. All
        others are queued again.
        """
        running, self._running = self._running, None
        died = EditFailed(
            f"The engine process ended ({reason}): try again; if it happens again, see `editd logs`."
        )
        for item in [*self._begun.values()]:
            if item.cancel_error is not None:
                self._remove(item, item.cancel_error)
            elif item is running or item.client_received_part or item.restarted:
                self._remove(item, died)
            else:
                del self._begun[item.key]
                item.begun, item.restarted = False, True
        self._order_next()

    # --- one request -----------------------------------------------------------------------------

    def _refusal_of_last(self, client_items: dict[str, QueueItem]) -> EditdError | None:
        """The error with which the newest of a client's open requests is refused:
        ``DaemonUnreachable`` while the daemon is stopping, ``EditRefused`` if the client's open
        requests, the newest included, are too many or hold too many bytes; ``None`` otherwise.
        """
        if self.stopping:
            return DaemonUnreachable("The editd daemon is stopping: try again in a moment.")
        if len(client_items) > self._limits.requests:
            return EditRefused(
                f"This client already waits for {self._limits.requests} edits: try again when "
                f"some have ended."
            )
        if sum(item.size for item in client_items.values()) > self._limits.request_bytes:
            return EditRefused(
                f"This client's waiting edits already hold {self._limits.request_bytes >> 20} "
                f"MiB: try again when some have ended."
            )
        return None

    def _cancel(self, item: QueueItem, reason: str) -> None:
        """End a request with ``EditCancelled(reason)``."""
        self._end_within(item, EditCancelled(reason), CANCEL_PATIENCE)

    def _end_within(self, item: QueueItem, error: EditdError, patience: float) -> None:
        """End a request: remove it if it waits, answering ``error``; else order the engine to
        cancel its job, and answer ``error`` if no answer has come after ``patience`` seconds.

        No effect if the request is answered or being ended.
        """
        if item.answered or item.cancel_error is not None:
            return
        log.debug("request %r is cancelled: %s", item.request_id, error)
        item.cancel_error = error
        if item.begun:
            self._supervisor.send(CancelJob(item.key, str(error)))
            self._loop.call_later(patience, self._answer_with_error, item, error)
        else:
            self._remove(item, error)

    def _check_time_limit(self, item: QueueItem) -> None:
        """Answer a request that is overdue with ``AnswerCutOff`` and order what is next, else set a
        timer to check again when it may be; no effect without a time limit. The limit, and a second
        more, count from when the request began or, while it waits, from its arrival or the engine's
        last report, the later one.

        A job that has begun is ordered to end, too; if its unit still runs, the engine is killed
        unless it sends something within ``OVERDUE_SILENCE`` seconds.
        """
        if not item.time_limit:
            return
        timed_since = (
            item.timed_since
            if item.begun
            else max(item.timed_since, self._supervisor.last_report_at)
        )
        left = timed_since + item.time_limit + OVERDUE_PATIENCE - self._loop.time()
        if left > 0:
            item.overdue_timer = self._loop.call_later(left, self._check_time_limit, item)
            return
        log.warning("request %r of client %d is overdue", item.request_id, item.client)
        self._end_within(item, AnswerCutOff(_OVERDUE.format(item.time_limit)), 0)
        if item is self._running:
            self._supervisor.kill_if_silent(OVERDUE_SILENCE)
        self._order_next()

    def _remove(self, item: QueueItem, error: EditdError | None = None) -> None:
        """Take a request out of the queue and stop its time limit, answering it with ``error`` if
        that is given and no answer was delivered; reports changed positions to the others. Orders
        nothing from the engine.
        """
        if error is not None:
            self._answer_with_error(item, error)
        if item.overdue_timer:
            item.overdue_timer.cancel()
        self._begun.pop(item.key, None)
        self._scheduler.remove(item)
        if item is self._running:
            self._running = None
        self._report_positions()

    def _answer_with_error(self, item: QueueItem, error: EditdError) -> None:
        """Deliver ``error`` as the final answer in the job's place; no effect if an answer was delivered."""
        if item.answered:
            return
        self._answer(item, OutgoingMessage.of(failure(item.queued.type, item.request_id, error)))

    def _answer(self, item: QueueItem, answer: OutgoingMessage) -> None:
        """Deliver a final answer, log its outcome, and count the request as answered (it no longer
        counts against its client's limits); no effect if it was answered before. The job stays in
        the queue until ``_remove``.
        """
        if item.answered:  # it was cancelled and did not wait for its job
            return
        item.deliver(answer)
        item.answered = True
        client_items = self._open.get(item.client, {})
        client_items.pop(item.request_id, None)
        if not client_items:
            self._open.pop(item.client, None)
        if not self._open:
            self._all_answered.set()
        log.info("request %r of client %d: %s", item.request_id, item.client, answer.outcome)

    def _report_positions(self) -> None:
        """Deliver progress, with a sentence, to each unanswered request whose position in the queue
        has changed since it was last told one; position 0 is the request whose turn it is.
        """
        for position, item in enumerate(self._scheduler.in_order()):
            if position == item.position or item.answered:
                continue
            item.position = position
            sentence = f"waiting for {position} other edit{'s' if position > 1 else ''}"
            if position == 0:
                sentence = "starting"
            progress = Progress(item.request_id, "queued", sentence, queue_position=position)
            item.deliver(OutgoingMessage.of(progress))


def _discard(message: OutgoingMessage) -> None:
    """Deliver nothing, because the client has disconnected."""
    del message
