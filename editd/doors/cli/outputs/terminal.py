"""The coloured diff, drawn while it is being decoded. Nothing is written to the file."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from editd.diff.document import Document
from editd.diff.marks import notes
from editd.doors.cli.console import make_console
from editd.doors.cli.explained.colours import coloured, legend
from editd.doors.cli.figures import change, doubts, figures, other_ways
from editd.doors.cli.inputs import Source
from editd.doors.cli.outputs.base import Output
from editd.doors.cli.outputs.waiting import Spinner, describe
from editd.doors.cli.painter import Painter, Row
from editd.doors.cli.safe_text import visible
from editd.errors import EditdError
from editd.messages import Delta, EditResult, Progress

_MARKS = {"context": " ", "removed": "-", "added": "+"}
_STYLES = {"context": "", "removed": "red", "added": "green"}


class Terminal(Output):
    """Hunks appear as they settle, with line numbers and a few unchanged lines around them."""

    def __init__(self, *, origins: bool = False) -> None:
        self._origins = origins
        self._console = make_console(stderr=False)
        self._spinner = Spinner(self._console)
        self._num_lines = 0
        self._painter = Painter(())

    def started(self, source: Source) -> None:
        lines = Document.of(source.text).lines
        self._num_lines = len(lines)
        self._painter = Painter(lines)
        self._console.print(Text(visible(source.name or "standard input"), "bold"))
        self._spinner.show("asking the daemon")

    def progress(self, progress: Progress) -> None:
        self._spinner.show(describe(progress))

    def delta(self, delta: Delta) -> None:
        self._draw(self._painter.feed(delta.ops))
        self._spinner.show(f"rewriting, line {self._painter.passed} of {self._num_lines}")

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:  # noqa: ARG002
        self._spinner.stop()
        self._draw(self._painter.finish(result.hunks))
        for notice in result.notices:
            self._console.print(Text(f"note: {notice}", "cyan"))
        for note in notes(result.hunks):
            self._console.print(Text(visible(f"note: {note}"), "dim"))
        for doubt in doubts(result):
            self._console.print(Text(f"suspect: {doubt}", "yellow"))
        if self._origins and result.hunks:
            self._console.print(legend())
        self._console.print(Text(f"{change(result)}; {figures(result.stats)}", "bold"))
        if result.summary:
            self._console.print(Text(visible(result.summary)))
        if ways := other_ways(result):
            self._console.print(Text(ways, "dim"))
        if result.hunks and source.file is not None:
            self._console.print(Text("Nothing was written; --in-place writes it.", "dim"))
        return 0

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:  # noqa: ARG002
        self._spinner.stop()

    def close(self) -> None:
        self._spinner.stop()

    def _draw(self, rows: Iterable[Row]) -> None:
        for row in rows:
            if row.kind == "gap":
                self._console.print(Text(row.text or f"@@ line {row.number} @@", "cyan"))
                continue
            style = "yellow" if row.suspect and row.kind == "added" else _STYLES[row.kind]
            line = Text(visible(row.text), style)
            if self._origins and row.origins:
                line = coloured(row.text, row.origins)
            mark = (f"{_MARKS[row.kind]} ", style)
            self._console.print(Text.assemble((f"{row.number:>6} ", "dim"), mark, line))
