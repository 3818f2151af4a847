"""An edit from request to result: the package to read first.

The only one that names prompts, decode, diff and checks together. Knows no socket, no LSP and no
device. ``Engine`` turns requests into jobs; a job advances in units (load a model, one prefill
chunk, one round), so that its caller can act between two of them: to cancel, to report,
or to let a more urgent job go first. ``edit_job.EditJob`` is the story; the rest are its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from editd.config import Config
from editd.engine.complete_job import CompleteJob
from editd.engine.edit_job import EditJob
from editd.engine.job import Job
from editd.engine.projects import Projects
from editd.engine.warmup_job import WarmupJob
from editd.messages import CompleteRequest, EditRequest, JobRequest, ServerMessage
from editd.messages.reports import ModelStatus, Trace, WorkspaceStatus
from editd.models.pool import ModelPool

__all__ = ["Engine", "Job"]


class Engine:
    """Holds the models and starts jobs. Build it in the thread that will advance the jobs.

    progress: called with a model that is being loaded.
    """

    def __init__(
        self, config: Config, progress: Callable[[ModelStatus], None] | None = None
    ) -> None:
        self.config = config
        self.pool = ModelPool(config, progress)
        self.projects = Projects()
        self._traces: list[Trace] = []

    def start(self, request: JobRequest) -> Job:
        """Make the job for ``request`` (an edit, a completion or a warm-up), which its ``advance`` carries out; it
        has computed nothing yet.
        """
        if isinstance(request, EditRequest):
            return EditJob(self.pool, self.config, request, self.projects, self._traces.append)
        if isinstance(request, CompleteRequest):
            return CompleteJob(self.pool, self.config, request)
        return WarmupJob(self.pool, self.config, request, self.projects)

    def edit(self, request: EditRequest) -> Iterator[ServerMessage]:
        """Run a whole edit and yield its messages, the last of which is its ``EditResult``, also of an edit that
        fails, which raises nothing; cancels it if left early.
        """
        job = self.start(request)
        try:
            while not job.finished:
                yield from job.advance()
        finally:
            job.cancel()

    def models(self) -> tuple[ModelStatus, ...]:
        """The models held or loading; safe to ask from any thread."""
        return self.pool.status()

    def workspaces(self) -> tuple[WorkspaceStatus, ...]:
        """The open projects; safe to ask from any thread."""
        return self.projects.status()

    def take_traces(self) -> list[Trace]:
        """Return the traces of edits that finished since the last call, in the order of their ends, and forget them."""
        taken = self._traces[:]
        self._traces.clear()
        return taken

    def interrupt(self) -> None:
        """Interrupt the pass that a model is computing, if possible; from any thread.

        Its job reports the cancellation.
        """
        self.pool.interrupt()

    def idle_work(self) -> bool:
        """Compute a unit of work between requests; ``False`` if there is none left."""
        return self.pool.idle_work()

    def close(self) -> None:
        """Free the memory of all models and close the projects."""
        self.pool.unload()
        self.projects.close()
