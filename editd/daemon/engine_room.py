"""The engine and the thread it lives in: made on the first request, unloaded when idle, closed once.

Knows jobs, one at a time; whose job is next is ``dispatcher``'s to say. Every method but the
worker's own ``_unit`` runs on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

from editd.config import Config
from editd.daemon.entry import Entry
from editd.daemon.worker import EngineFactory, JobEngine, ModelListener, Worker, default_engine
from editd.messages import (
    ModelStatus,
    ServerMessage,
    Trace,
    TraceSummary,
    WorkspaceStatus,
)

log = logging.getLogger(__name__)


class EngineRoom:
    """Calls the engine. ``listen`` hears on the event loop what the engine says of its models."""

    def __init__(
        self, config: Config, engine_factory: EngineFactory | None, listen: ModelListener
    ) -> None:
        self._config = config
        self._engine_factory = engine_factory or default_engine
        self._listen = listen
        self._engine: JobEngine | None = None
        self._worker = Worker()
        self._loop = asyncio.get_running_loop()

    def models(self) -> tuple[ModelStatus, ...]:
        """The models that the engine holds or loads."""
        return self._engine.models() if self._engine else ()

    def workspaces(self) -> tuple[WorkspaceStatus, ...]:
        """The projects that are drafted from."""
        return self._engine.workspaces() if self._engine else ()

    def explain(self, trace_id: str) -> tuple[Trace | None, tuple[TraceSummary, ...]]:
        """How a finished edit came about, the last one if it is not named; and which are known."""
        return self._engine.explain(trace_id) if self._engine else (None, ())

    async def advance(self, entry: Entry) -> tuple[list[ServerMessage], bool]:
        """Go one unit on with ``entry``; returns what is said, and whether its job has finished.

        Raises whatever a defect of the engine raises.
        """
        said, finished = await self._worker.call(self._unit, entry)
        return _messages(said), finished

    async def end(self, entry: Entry) -> list[ServerMessage]:
        """Free what the job of ``entry`` holds; returns its last words if it had not finished."""
        if entry.job is None or entry.job.finished:
            return []
        try:
            return _messages(await self._worker.call(entry.job.cancel, entry.cancelled or ""))
        except Exception:
            log.exception("request %r: cancelling it failed", entry.request_id)
            return []

    async def idle_work(self) -> bool:
        """Let the engine do a unit of what it does when nobody waits; false if there is none."""
        if self._engine is None:
            return False
        try:
            return bool(await self._worker.call(self._engine.idle_work))
        except Exception:
            log.exception("work between two requests failed")
            return False

    async def unload(self) -> None:
        """Free the memory of all models; they load again on demand."""
        if self._engine:
            try:
                await self._worker.call(self._engine.unload)
            except Exception:
                log.exception("unloading failed")

    async def close(self, seconds: float) -> bool:
        """End the engine and its thread; whether that was possible within ``seconds``.

        It is not while a model loads: then the process has to end without waiting for it.
        """
        self._worker.call(self._close).add_done_callback(_log_failure)
        return await self._worker.stop(seconds)

    # --- in the worker's thread ------------------------------------------------------------------

    def _unit(self, entry: Entry) -> tuple[list[ServerMessage], bool]:
        if self._engine is None:
            self._engine = self._engine_factory(self._config, self._hear_of_model)
        if entry.job is None:
            entry.job = self._engine.start(entry.request)
        return entry.job.advance(), entry.job.finished

    def _close(self) -> None:
        if self._engine:
            self._engine.close()

    def _hear_of_model(self, status: ModelStatus) -> None:
        # Also in the middle of a unit, and even after the loop, and whoever listened, has gone.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._listen, status)


def _messages(said: Any) -> list[ServerMessage]:
    """``said``, if it is what a job may say: a defect is found here, not at the socket."""
    messages = list(said)
    if not all(isinstance(message, ServerMessage) for message in messages):
        raise TypeError("a job said what is no message")
    return messages


def _log_failure(closing: asyncio.Future[None]) -> None:
    if not closing.cancelled() and (error := closing.exception()):
        log.error("closing the engine failed", exc_info=error)
