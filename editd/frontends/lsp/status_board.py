"""The status that the client shows, put together from all requests that run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any

from editd.frontends.lsp.methods import ServerStatus
from editd.messages import Progress, StatusReport

_WORKING = ServerStatus("busy")


class StatusBoard:
    """The current status, of all edits, completions and warm-ups that run; calls ``notify`` whenever it changes.

    A request is named by any hashable value.
    """

    def __init__(self, notify: Callable[[ServerStatus], None]) -> None:
        self.current = ServerStatus("stopped")
        self._notify = notify
        self._running: dict[Hashable, ServerStatus] = {}
        self._model = ""

    def began(self, request: Hashable) -> None:
        """Add a request that is sent to the daemon."""
        self._running[request] = ServerStatus("starting")
        self._update()

    def progress(self, request: Hashable, progress: Progress) -> None:
        """Show the progress of a request: as loading, with its fraction, if that is its stage, else as busy; with its
        message and place in the queue. The client is notified if the whole status changes (``_update``).
        """
        loads = progress.stage == "loading"
        self._running[request] = ServerStatus(
            "loading" if loads else "busy",
            message=progress.message,
            queue=progress.queue_position or 0,
            fraction=progress.fraction if loads else None,
        )
        self._update()

    def working(self, request: Hashable) -> None:
        """Show a request as busy, without message and queue, because its answer has begun to arrive; the client is
        notified if the whole status changes.
        """
        if self._running.get(request) != _WORKING:
            self._running[request] = _WORKING
            self._update()

    def ended(self, request: Hashable, model: str = "", error: str = "") -> None:
        """Remove a request, known or not, and update the status. model: which one wrote; empty: unknown. error: the
        sentence for the user if editd itself failed, which is shown if nothing else runs; else the status is idle
        then.
        """
        self._running.pop(request, None)
        self._model = model or self._model
        self._update(ServerStatus("error", message=error) if error else ServerStatus("idle"))

    def with_report(self, report: StatusReport | None) -> ServerStatus:
        """The answer to ``editd/status``: the status of this editor's requests, or if none run the daemon's, with its
        ``report``; ``None``: no daemon runs, so the status is ``stopped`` if no request runs. Notifies nobody.
        """
        if report is None:
            return self.current if self._running else ServerStatus("stopped", self._model)
        status = self.current
        if not self._running:
            state: Any = {"stopping": "stopped"}.get(report.state, report.state)
            loaded = report.models[0] if report.models else None
            status = ServerStatus(
                state,
                model=self._model or (loaded.name if loaded else ""),
                message=report.message,
                queue=report.queue,
                fraction=loaded.fraction if loaded and state == "loading" else None,
            )
        daemon = dataclasses.asdict(report)
        del daemon["request_id"]
        return dataclasses.replace(status, daemon=daemon)

    def _update(self, at_rest: ServerStatus | None = None) -> None:
        """Make the status that of the running request that has advanced furthest (busy, loading, starting; then the
        first in the queue), if there is none ``at_rest``, else leave it; calls ``notify`` if it has changed.
        """
        order = ("busy", "loading", "starting")
        running = sorted(self._running.values(), key=lambda s: (order.index(s.state), s.queue))
        status = running[0] if running else at_rest or self.current
        status = dataclasses.replace(status, model=self._model)
        if status != self.current:
            self.current = status
            self._notify(status)
