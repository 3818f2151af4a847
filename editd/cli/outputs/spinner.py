"""A line that shows what an edit is waiting for; on terminals only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editd.cli.outputs.base import Output
from editd.cli.sources import Source
from editd.errors import EditdError
from editd.messages import Delta, EditResult, Progress

if TYPE_CHECKING:
    from rich.console import Console


class Spinner:
    """One line below what is printed to ``console``; gone when stopped."""

    def __init__(self, console: Console) -> None:
        self._status = console.status("starting")
        self._visible = console.is_terminal and not console.is_dumb_terminal

    def show(self, text: str) -> None:
        from rich.text import Text

        if self._visible:
            self._status.update(Text(text))
            self._status.start()

    def stop(self) -> None:
        self._status.stop()


class WithSpinner(Output):
    """Another output, and a spinner on standard error until there is something to write."""

    def __init__(self, output: Output, console: Console) -> None:
        self._output = output
        self._spinner = Spinner(console)

    def started(self, source: Source) -> None:
        self._output.started(source)
        self._spinner.show(f"{source.name}: asking the daemon")

    def progress(self, progress: Progress) -> None:
        self._output.progress(progress)
        self._spinner.show(describe(progress))

    def delta(self, delta: Delta) -> None:
        self._output.delta(delta)
        self._spinner.show("rewriting")

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        self._spinner.stop()
        return self._output.finished(source, result, new_text)

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        self._spinner.stop()
        self._output.failed(given, error, result)

    def close(self) -> None:
        self._spinner.stop()
        self._output.close()


def describe(progress: Progress) -> str:
    """A progress message as one line, with its percentage unless it says that itself."""
    text = progress.message or progress.stage
    if progress.fraction is not None and "%" not in text:
        text += f" {progress.fraction:.0%}"
    return text
