"""What an edit is waiting for: a spinner on a terminal, one sentence after a while where there is none."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Protocol

from editd.doors.cli.console import make_console, say
from editd.doors.cli.inputs import Source
from editd.doors.cli.outputs.base import Output
from editd.doors.cli.safe_text import visible
from editd.errors import EditdError
from editd.messages import Delta, EditResult, Progress

if TYPE_CHECKING:
    from rich.console import Console

PATIENCE = 3.0  # seconds of silence before a message


class Waiting(Protocol):
    """Says what is waited for, between ``show`` and ``stop``."""

    def show(self, text: str) -> None: ...

    def stop(self) -> None: ...


class Spinner:
    """One line below what is printed to ``console``; gone when stopped."""

    def __init__(self, console: Console) -> None:
        self._status = console.status("starting")
        self._visible = console.is_terminal and not console.is_dumb_terminal

    def show(self, text: str) -> None:
        from rich.text import Text

        if self._visible:
            self._status.update(Text(visible(text)))
            self._status.start()

    def stop(self) -> None:
        self._status.stop()


class Sentence:
    """One on standard error, if the first hunk lets itself be waited for."""

    def __init__(self) -> None:
        self._text = ""
        self._timer: asyncio.TimerHandle | None = None

    def show(self, text: str) -> None:
        self._text = text
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(PATIENCE, lambda: say(f"no answer yet: {self._text}."))

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class WithWaiting(Output):
    """Another output, and what is waited for until there is something to write."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.together = output.together
        console = make_console(stderr=True) if sys.stderr.isatty() else None
        self._waiting: Waiting = Spinner(console) if console else Sentence()
        self._name = ""

    def started(self, source: Source) -> None:
        self._output.started(source)
        self._name = source.name or "standard input"
        self._waiting.show(f"{self._name}: asking the daemon")

    def progress(self, progress: Progress) -> None:
        self._output.progress(progress)
        self._waiting.show(f"{self._name}: {describe(progress)}")

    def delta(self, delta: Delta) -> None:
        self._waiting.stop()
        self._output.delta(delta)

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        self._waiting.stop()
        return self._output.finished(source, result, new_text)

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        self._waiting.stop()
        self._output.failed(given, error, result)

    def concluded(self, *, failed: bool) -> int:
        return self._output.concluded(failed=failed)

    def close(self) -> None:
        self._waiting.stop()
        self._output.close()


def describe(progress: Progress) -> str:
    """A progress message as one line, with its percentage unless it says that itself."""
    text = progress.message or progress.stage
    if progress.fraction is not None and "%" not in text:
        text += f" {progress.fraction:.0%}"
    return text
