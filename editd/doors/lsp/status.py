"""The status bar: one line that follows the edits of this editor and the daemon."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any

from editd.doors.lsp.methods import ServerStatus
from editd.messages import Progress, StatusReport


class StatusBoard:
    """The present status. ``tell`` is called with it whenever it has changed."""

    def __init__(self, tell: Callable[[ServerStatus], None]) -> None:
        self.current = ServerStatus("stopped")
        self._tell = tell
        self._running: dict[Hashable, ServerStatus] = {}
        self._model = ""

    def began(self, work: Hashable) -> None:
        """An edit or warm-up was sent to the daemon."""
        self._running[work] = ServerStatus("starting")
        self._update()

    def progress(self, work: Hashable, progress: Progress) -> None:
        """It has made progress."""
        state = {"queued": "busy", "loading": "loading"}.get(progress.stage, "busy")
        self._running[work] = ServerStatus(
            state,  # type: ignore[arg-type]  # the table above has no other values
            message=progress.message,
            queue=progress.queue_position or 0,
            fraction=progress.fraction if state == "loading" else None,
        )
        self._update()

    def working(self, work: Hashable) -> None:
        """Its answer has begun to come."""
        if self._running.get(work) != _WORKING:
            self._running[work] = _WORKING
            self._update()

    def ended(self, work: Hashable, model: str = "", error: str = "") -> None:
        """It has ended; ``error``: the sentence for the user if editd itself failed."""
        self._running.pop(work, None)
        self._model = model or self._model
        self._update(ServerStatus("error", message=error) if error else ServerStatus("idle"))

    def with_report(self, report: StatusReport | None) -> ServerStatus:
        """The status as an answer, with the daemon's own; ``None``: no daemon."""
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
        """Show the work that has advanced furthest, else ``at_rest``."""
        order = ("busy", "loading", "starting")
        running = sorted(self._running.values(), key=lambda s: (order.index(s.state), s.queue))
        status = running[0] if running else at_rest or self.current
        status = dataclasses.replace(status, model=self._model)
        if status != self.current:
            self.current = status
            self._tell(status)


_WORKING = ServerStatus("busy")
