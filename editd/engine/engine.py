"""The engine: holds the models and starts jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from editd.config import Config
from editd.engine.edit import EditJob
from editd.engine.job import Job
from editd.engine.warmup import WarmupJob
from editd.messages import EditRequest, ModelStatus, ServerMessage, WarmupRequest
from editd.model.pool import ModelPool


class Engine:
    """Holds the models and starts jobs. Build it in the thread that will advance the jobs."""

    def __init__(
        self, config: Config, progress: Callable[[ModelStatus], None] | None = None
    ) -> None:
        self.config = config
        self.pool = ModelPool(config, progress)

    def start(self, request: EditRequest | WarmupRequest) -> Job:
        """A job for ``request``; no model work is done yet."""
        if isinstance(request, EditRequest):
            return EditJob(self.pool, self.config, request)
        return WarmupJob(self.pool, self.config, request)

    def edit(self, request: EditRequest) -> Iterator[ServerMessage]:
        """All messages of one edit, in order; the last is its ``EditResult``."""
        job = self.start(request)
        while not job.finished:
            yield from job.advance()

    def models(self) -> tuple[ModelStatus, ...]:
        """The models held or loading; safe to ask from any thread."""
        return self.pool.status()

    def unload(self) -> None:
        """Free the memory of all models; they load again on demand."""
        self.pool.unload()

    def close(self) -> None:
        """Leave nothing behind."""
        self.pool.unload()
