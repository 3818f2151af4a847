"""An ``EngineClient`` whose every message the test decides."""

from __future__ import annotations

import asyncio

from editd.daemon.engine_client import EngineClient
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Keep
from editd.errors import DaemonUnreachable, EditCancelled
from editd.frontends.planning_client import PlanningClient
from editd.messages import (
    CompleteRequest,
    CompleteResult,
    Delta,
    Done,
    EditResult,
    ErrorInfo,
    Progress,
    StatusReport,
    WarmupRequest,
)
from editd.messages.reports import ModelStatus, Stats


class FakeEdit:
    """One edit that the server asked for; the test says what the engine says."""

    def __init__(self, request):
        self.request = request
        self.messages = asyncio.Queue()
        self.hunks = {}
        self.closed = asyncio.Event()  # the server listens no more
        self.cancelled = asyncio.Event()  # the server asked to cancel
        self.deaf = False  # does not react to a cancellation
        self._seq = 0

    def say(self, message):
        self.messages.put_nowait(message)

    async def drained(self):
        """Return when the server has taken all that was said."""
        await self.messages.join()

    def progress(self, stage, message="", **more):
        self.say(Progress(self.request.request_id, stage, message, **more))

    def delta(self, *ops):
        """Integers are kept lines; hunks are ``(id, start, old_count, [new lines])`` or ``Hunk``."""
        told = [as_op(op) for op in ops]
        self.hunks |= {op.id: op for op in told if isinstance(op, Hunk)}
        self._seq += 1
        self.say(Delta(self.request.request_id, self._seq, tuple(told)))

    def finish(self, finish_reason="stop", hunks=None, error=None, **more):
        """End with ``hunks``, by default those told."""
        hunks = [as_op(h) for h in hunks] if hunks is not None else list(self.hunks.values())
        hunks = tuple(hunks)
        done = finish_reason == "stop"
        text = self.request.text
        self.say(
            EditResult(
                self.request.request_id,
                finish_reason,
                text=apply(hunks, text) if done else None,
                hunks=hunks,
                suspects=tuple(h.suspect for h in hunks if h.suspect),
                stats=Stats(output_tokens=7, accepted=5, written_by="model" if done else ""),
                model="fake",
                error=error and ErrorInfo(*error),
                **more,
            )
        )


class FakeEngine(EngineClient):
    """Hands the edits that the server asks for to the test."""

    def __init__(self, *, running=True):
        self.edits = asyncio.Queue()
        self.warmups = asyncio.Queue()
        self.completions = asyncio.Queue()
        self.by_id = {}
        self.running = running  # whether there is a daemon; an edit makes one
        self.closed = 0
        self.broken = None  # an exception that reaching a daemon raises

    def reach(self):
        if self.broken:
            raise self.broken
        self.running = True

    async def next_edit(self):
        async with asyncio.timeout(60):
            return await self.edits.get()

    async def next_warmup(self):
        async with asyncio.timeout(60):
            return await self.warmups.get()

    async def next_completion(self):
        async with asyncio.timeout(60):
            return await self.completions.get()

    async def ask(self, request):
        """An edit, a completion or a warm-up, up to its final answer."""
        self.reach()
        fake = self.by_id[request.request_id] = FakeEdit(request)
        queues = {CompleteRequest: self.completions, WarmupRequest: self.warmups}
        queues.get(type(request), self.edits).put_nowait(fake)
        try:
            while True:
                message = await fake.messages.get()
                if isinstance(message, BaseException):
                    raise message
                if isinstance(request, WarmupRequest) and isinstance(message, EditResult):
                    raise EditCancelled("cancelled")  # what a cancellation says
                yield message
                fake.messages.task_done()
                if isinstance(message, EditResult | CompleteResult | Done):
                    return
        finally:
            fake.closed.set()

    def behind_a_door(self, **more):
        """What the doors hold, which asks this engine where a model is needed."""

        async def connect():
            return self

        return PlanningClient(connect, words_first=False, **more)

    async def cancel(self, request_id):
        fake = self.by_id.get(request_id)
        if fake is not None:
            fake.cancelled.set()
            if not fake.deaf:
                fake.finish("cancelled", hunks=(), error=("cancelled", "cancelled"))

    async def status(self):
        if not self.running:
            raise DaemonUnreachable("There is no daemon.")
        return StatusReport(
            "s", "idle", "0", 1, 2.0, models=(ModelStatus("fake", "ready"),), clients=1
        )

    async def aclose(self):
        self.closed += 1


def as_op(op):
    if isinstance(op, int):
        return Keep(op)
    if isinstance(op, Hunk):
        return op
    number, start, old_count, new_lines = op
    return Hunk(number, start, old_count, tuple(new_lines))
