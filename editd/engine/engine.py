"""The engine: holds the models and starts jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from editd.backends.pool import ModelPool
from editd.config import Config
from editd.engine.complete import CompleteJob
from editd.engine.edit import EditJob
from editd.engine.job import Job
from editd.engine.projects import Projects
from editd.engine.trace import Traces
from editd.engine.warmup import WarmupJob
from editd.messages import (
    CompleteRequest,
    EditRequest,
    JobRequest,
    ModelStatus,
    ServerMessage,
    Trace,
    TraceSummary,
    WorkspaceStatus,
)


class Engine:
    """Holds the models and starts jobs. Build it in the thread that will advance the jobs."""

    def __init__(
        self, config: Config, progress: Callable[[ModelStatus], None] | None = None
    ) -> None:
        self.config = config
        self.pool = ModelPool(config, progress)
        self.projects = Projects()
        self.traces = Traces()

    def start(self, request: JobRequest) -> Job:
        """A job for ``request``; no model work is done yet."""
        if isinstance(request, EditRequest):
            return EditJob(self.pool, self.config, request, self.projects, self.traces)
        if isinstance(request, CompleteRequest):
            return CompleteJob(self.pool, self.config, request)
        return WarmupJob(self.pool, self.config, request, self.projects)

    def edit(self, request: EditRequest) -> Iterator[ServerMessage]:
        """All messages of one edit, in order; the last is its ``EditResult``."""
        job = self.start(request)
        while not job.finished:
            yield from job.advance()

    def models(self) -> tuple[ModelStatus, ...]:
        """The models held or loading; safe to ask from any thread."""
        return self.pool.status()

    def workspaces(self) -> tuple[WorkspaceStatus, ...]:
        """The projects that are drafted from; safe to ask from any thread."""
        return self.projects.status()

    def explain(self, trace_id: str = "") -> tuple[Trace | None, tuple[TraceSummary, ...]]:
        """How a finished edit came about (by default the last), and which can be explained.

        Safe to ask from any thread.
        """
        return self.traces.find(trace_id), self.traces.summaries()

    def take_traces(self) -> list[tuple[TraceSummary, Trace]]:
        """How the edits came about that have finished since this was asked; forgotten here."""
        return self.traces.take()

    def interrupt(self) -> None:
        """End the pass that a model computes now, where it can be ended; from any thread.

        Its job says that it was cancelled.
        """
        self.pool.interrupt()

    def idle_work(self) -> bool:
        """A unit of work for when nobody waits; false if there is none left."""
        return self.pool.idle_work()

    def unload(self) -> None:
        """Free the memory of all models and close the projects; they come back on demand."""
        self.pool.unload()
        self.projects.close()

    def close(self) -> None:
        """Leave nothing behind."""
        self.unload()
        self.traces.clear()
