"""From requests to the engine and back: the daemon without its socket.

Decides what the engine does next and who is told what; knows no stream and no frame, and calls the
engine through ``engine_room`` only. All state lives on the event loop. The socket server and
``--no-daemon`` use this same class.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import replace
from time import monotonic
from typing import Literal

from editd import __version__
from editd.config import Config
from editd.daemon.engine_room import EngineRoom
from editd.daemon.entry import Deliver, Entry, failure
from editd.daemon.limits import DEFAULT_LIMITS, Limits
from editd.daemon.scheduler import Scheduler
from editd.daemon.worker import EngineFactory
from editd.errors import (
    DaemonUnreachable,
    EditCancelled,
    EditdError,
    EditRefused,
    MemoryRanOut,
    UsageError,
)
from editd.messages import (
    CompleteResult,
    Delta,
    EditResult,
    Explained,
    ExplainRequest,
    JobRequest,
    ModelStatus,
    Progress,
    ServerMessage,
    Stats,
    StatusReport,
    TextDelta,
)

log = logging.getLogger(__name__)

# A cancelled edit is answered by its own job, which knows the figures, if the unit that runs ends
# this soon; else without it. A round always does, the load of a model does not.
CANCEL_PATIENCE = 0.1  # seconds


class Dispatcher:
    """Takes requests of several clients, runs them unit by unit, delivers exactly one answer each.

    Every method is called on the event loop. ``start()`` first, ``close()`` last.
    """

    def __init__(
        self,
        config: Config,
        engine_factory: EngineFactory | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.idle_since: float | None = monotonic()  # ``None`` while there is work
        self.stopping = False
        self.exhausted = asyncio.Event()  # memory ran out, and what was loading is in pieces
        self._config = config
        self._limits = limits
        self._started = monotonic()
        self._scheduler = Scheduler[Entry]()
        self._open: dict[int, dict[str, Entry]] = {}  # not answered yet, by client and request
        self._cancelled: list[Entry] = []  # their jobs are still to be told
        self._running: Entry | None = None
        self._last_stats: Stats | None = None
        self._engine_room = EngineRoom(config, engine_factory, self._tell_loading)
        self._work = asyncio.Event()
        self._all_answered = asyncio.Event()
        self._all_answered.set()
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to serve."""
        self._task = self._loop.create_task(self._serve())

    def submit(self, client: int, request: JobRequest, deliver: Deliver) -> None:
        """Queue ``request``; ``deliver`` is called with all its messages, the final one last.

        Raises ``UsageError`` if the client has an unanswered request with the same id.
        """
        mine = self._open.setdefault(client, {})
        if request.request_id in mine:
            raise UsageError("Two requests at once have the same request_id: use one for each.")
        entry = Entry.of(client, request, deliver)
        mine[entry.request_id] = entry
        self._all_answered.clear()
        log.debug("request %r of client %d: %d bytes", entry.request_id, client, entry.size)
        if refusal := self._refusal(mine):
            self._answer(entry, failure(request, refusal))
            return
        for older in self._scheduler.add(entry):
            self._cancel(older, "A newer edit of this document took the place of this one.")
        self.idle_since = None
        self._work.set()
        self._tell_positions()

    def cancel(self, client: int, request_id: str, reason: str = "The edit was cancelled.") -> None:
        """Let the request's answer say ``cancelled``, soon; nothing happens if it is answered."""
        if entry := self._open.get(client, {}).get(request_id):
            self._cancel(entry, reason)

    def drop(self, client: int) -> None:
        """The client is gone: cancel what it asked for, deliver nothing more."""
        entries = list(self._open.pop(client, {}).values())
        for entry in entries:  # all of them first: the end of one moves the others up
            entry.deliver = _deliver_nowhere
        for entry in entries:
            self._cancel(entry, "The client has gone.")

    def cancel_all(self, reason: str) -> None:
        """Cancel everything that waits or runs."""
        for mine in list(self._open.values()):
            for entry in list(mine.values()):
                self._cancel(entry, reason)

    async def until_answered(self) -> None:
        """Return when every request has its answer, though a cancelled unit may still run."""
        await self._all_answered.wait()

    def report(self, request_id: str, clients: int) -> StatusReport:
        """How things stand."""
        import psutil  # here, because clients import this module and have no use for it

        models = self._engine_room.models()
        loading = next((model for model in models if model.state == "loading"), None)
        waiting = len(self._scheduler.in_order())
        state: Literal["idle", "loading", "busy", "stopping"] = "busy" if waiting else "idle"
        message = ""
        if loading:
            state, message = "loading", loading_sentence(loading)
        if self.stopping:
            state, message = "stopping", "Leaving when the running edits have ended."
        return StatusReport(
            request_id,
            state,
            editd_version=__version__,
            pid=os.getpid(),
            uptime_seconds=monotonic() - self._started,
            models=models,
            clients=clients,
            queue=waiting,
            rss_bytes=psutil.Process().memory_info().rss,
            message=message,
            last_stats=self._last_stats,
            workspaces=self._engine_room.workspaces(),
        )

    def explain(self, request: ExplainRequest) -> Explained:
        """How a finished edit came about."""
        return Explained(request.request_id, *self._engine_room.explain(request.trace_id))

    async def close(self, seconds: float) -> bool:
        """Serve no more and end the engine; whether its thread has ended within ``seconds``."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        return await self._engine_room.close(seconds)

    # --- the loop: one unit after the other ------------------------------------------------------

    async def _serve(self) -> None:
        while True:
            while self._cancelled:
                await self._end(self._cancelled.pop(0))
            entry = self._scheduler.next()
            if entry is None:
                await self._wait_for_work()
            else:
                await self._advance(entry)

    async def _advance(self, entry: Entry) -> None:
        """Run one unit of ``entry`` and deliver what it says."""
        self._running = entry
        try:
            messages, finished = await self._engine_room.advance(entry)
            for message in messages:
                self._deliver(entry, message)
        except Exception as error:  # a defect ends one request, never the daemon
            log.exception("request %r: a unit failed", entry.request_id)
            self._answer(entry, failure(entry.request, error))
            finished = True
        else:
            if finished and not entry.answered:
                log.error("request %r ended without an answer", entry.request_id)
                self._answer(entry, failure(entry.request, RuntimeError()))
        finally:
            self._running = None
        if (finished or entry.answered) and entry not in self._cancelled:
            await self._end(entry)
        elif entry.job is not None and entry.job.preparing:
            self._scheduler.pass_turn(entry)

    async def _end(self, entry: Entry) -> None:
        """Free what the job of ``entry`` holds, answer if nothing did, make room for the next."""
        for message in await self._engine_room.end(entry):
            self._deliver(entry, message)
        if not entry.answered:
            self._answer_cancelled(entry)
        self._scheduler.remove(entry)
        self._tell_positions()

    async def _wait_for_work(self) -> None:
        """Sleep until a request comes; before that, let the engine prepare for it, unit by unit.

        On the way there, free the models' memory once.
        """
        self._work.clear()
        if self.idle_since is None:
            self.idle_since = monotonic()
        while not self._work.is_set() and await self._engine_room.idle_work():
            pass
        unload_after = self._config.daemon.unload_after
        if not (unload_after and self._engine_room.models()):
            await self._work.wait()
            return
        try:
            async with asyncio.timeout(unload_after):
                await self._work.wait()
        except TimeoutError:
            log.info("unloading the models after %g idle seconds", unload_after)
            await self._engine_room.unload()

    # --- helpers ---------------------------------------------------------------------------------

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
        if entry.job is None and entry is not self._running:
            self._answer_cancelled(entry)
            self._scheduler.remove(entry)
            self._tell_positions()
            return
        self._cancelled.append(entry)
        self._work.set()
        self._loop.call_later(CANCEL_PATIENCE, self._answer_cancelled, entry)

    def _answer_cancelled(self, entry: Entry) -> None:
        """The answer of an edit whose job cannot give it, or not soon enough."""
        self._answer(entry, failure(entry.request, EditCancelled(entry.cancelled or "")))

    def _deliver(self, entry: Entry, message: ServerMessage) -> None:
        if entry.answered:
            return
        if isinstance(message, Progress):
            entry.deliver(replace(message, queue_position=0))
        elif isinstance(message, Delta | TextDelta):
            entry.deliver(message)
        else:
            self._answer(entry, message)

    def _answer(self, entry: Entry, message: ServerMessage) -> None:
        if entry.answered:
            return
        entry.deliver(message)
        entry.answered = True
        mine = self._open.get(entry.client, {})
        mine.pop(entry.request_id, None)
        if not mine:
            self._open.pop(entry.client, None)
        if not self._open:
            self._all_answered.set()
        error = getattr(message, "error", None)
        if error is not None and error.code == MemoryRanOut.code:
            self.exhausted.set()
        outcome = type(message).__name__
        if isinstance(message, EditResult | CompleteResult):
            outcome = message.finish_reason
            if message.stats.output_tokens:
                self._last_stats = message.stats
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
            entry.deliver(Progress(entry.request_id, "queued", sentence, queue_position=position))

    def _tell_loading(self, status: ModelStatus) -> None:
        entry = self._running
        if entry and status.state == "loading":
            progress = Progress(
                entry.request_id, "loading", loading_sentence(status), status.fraction
            )
            self._deliver(entry, progress)


def loading_sentence(status: ModelStatus) -> str:
    """What a person is told while a model loads."""
    percent = "" if status.fraction is None else f" ({status.fraction:.0%})"
    return f"loading {status.name}{percent}"


def _deliver_nowhere(message: ServerMessage) -> None:
    del message
