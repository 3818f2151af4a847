"""One line that says what a long wait is for, where nobody watches a spinner."""

from __future__ import annotations

import asyncio

from editd.cli.console import say
from editd.cli.outputs.base import Output
from editd.cli.outputs.spinner import describe
from editd.cli.sources import Source
from editd.errors import EditdError
from editd.messages import Delta, EditResult, Progress

PATIENCE = 3.0  # seconds of silence before somebody wonders


class WithPatience(Output):
    """Another output, and one sentence on standard error if the first hunk lets itself be waited for."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._waits_for = ""
        self._timer: asyncio.TimerHandle | None = None

    def started(self, source: Source) -> None:
        self._output.started(source)
        self._waits_for = "starting the daemon"
        name = source.name or "standard input"
        self._timer = asyncio.get_running_loop().call_later(
            PATIENCE, lambda: say(f"{name}: no answer yet: {self._waits_for}.")
        )

    def progress(self, progress: Progress) -> None:
        self._output.progress(progress)
        self._waits_for = describe(progress)

    def delta(self, delta: Delta) -> None:
        self._stop()
        self._output.delta(delta)

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        self._stop()
        return self._output.finished(source, result, new_text)

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        self._stop()
        self._output.failed(given, error, result)

    def close(self) -> None:
        self._stop()
        self._output.close()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
