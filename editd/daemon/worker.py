"""The one thread that touches the engine, and the engine as the daemon sees it.

Knows nothing of requests' order or of clients: ``dispatcher`` decides what is called, here it is
called, one call after the other, and its outcome comes back on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol

from editd.config import Config
from editd.messages import (
    JobRequest,
    ModelStatus,
    ServerMessage,
    Trace,
    TraceSummary,
    WorkspaceStatus,
)


class EngineJob(Protocol):
    """What is asked of ``editd.engine.Job``."""

    @property
    def finished(self) -> bool: ...

    @property
    def preparing(self) -> bool:
        """Whether the last unit ended in the middle of work that needs no model."""
        ...

    def advance(self) -> list[ServerMessage]:
        """One unit: load a model, some pieces of preparation, one prefill chunk, or one round."""
        ...

    def cancel(self, reason: str = "") -> list[ServerMessage]:
        """End it between two units."""
        ...


class JobEngine(Protocol):
    """What is asked of ``editd.engine.Engine``."""

    def start(self, request: JobRequest) -> EngineJob: ...

    def models(self) -> tuple[ModelStatus, ...]:
        """A snapshot; called from the event loop, whatever the worker does."""
        ...

    def workspaces(self) -> tuple[WorkspaceStatus, ...]:
        """As ``models``, of the projects that are drafted from."""
        ...

    def explain(self, trace_id: str = "") -> tuple[Trace | None, tuple[TraceSummary, ...]]:
        """How a finished edit came about; called as ``models`` is."""
        ...

    def idle_work(self) -> bool:
        """One unit of work for when nobody waits; false if there is none left."""
        ...

    def unload(self) -> None: ...

    def close(self) -> None: ...


ModelListener = Callable[[ModelStatus], None]
EngineFactory = Callable[[Config, ModelListener], JobEngine]


def default_engine(config: Config, progress: ModelListener) -> JobEngine:
    """The real engine; its imports load torch, so they happen here, in the worker's thread."""
    from editd.engine import Engine

    return Engine(config, progress)


class Worker:
    """A thread that makes calls in the order in which they are asked for."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        # A daemon thread: a process that has to leave does not wait for a model to load.
        self._thread = threading.Thread(target=self._run, name="editd-engine", daemon=True)
        self._thread.start()

    def call(self, function: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """``function(*args)`` in the thread; whatever it raises arrives as an ``Exception``."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls.put((future, function, args))
        return future

    async def stop(self, seconds: float) -> bool:
        """Let the thread end after the calls asked for; whether it did within ``seconds``."""
        self._calls.put(None)
        await asyncio.to_thread(self._thread.join, seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            future, function, args = call
            value, error = None, None
            try:
                value = function(*args)
            except BaseException as caught:  # noqa: BLE001 - ends a request, never the daemon
                error = _as_exception(caught)
            # The loop may have been closed meanwhile: then nobody waits for the outcome.
            with contextlib.suppress(RuntimeError):
                future.get_loop().call_soon_threadsafe(_settle, future, value, error)
            del call, future, function, args, value, error  # hold nothing while waiting


_Call = tuple["asyncio.Future[Any]", Callable[..., Any], tuple[Any, ...]]


def _settle(future: asyncio.Future[Any], value: Any, error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


def _as_exception(caught: BaseException) -> Exception:
    """``caught``, unless it would end more than a request on its way through the loop."""
    unfit = (StopIteration, asyncio.CancelledError)
    if isinstance(caught, Exception) and not isinstance(caught, unfit):
        return caught
    error = RuntimeError(f"{type(caught).__name__} in the engine")
    error.__cause__ = caught
    return error
