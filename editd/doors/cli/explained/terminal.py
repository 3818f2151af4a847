"""A trace told in a terminal: where its text and its time came from, and the hunks in their colours.

The rounds themselves are drawn by ``page``.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from editd.diff.hunk import Hunk
from editd.doors.cli.explained.colours import STYLES, coloured
from editd.doors.cli.explained.facts import (
    headline,
    model_name,
    places,
    time_split,
    tokens_by_source,
)
from editd.doors.cli.figures import duration
from editd.doors.cli.safe_text import visible
from editd.messages import Trace

_MOST_PLACES = 4


def tell(trace: Trace, console: Console) -> None:
    """Print it."""
    for line in _lines(trace):
        console.print(line)


def _lines(trace: Trace) -> Iterator[Text]:
    title = Text.assemble((f"edit {trace.id}", "bold"), f"  {visible(trace.path) or 'a text'}  ")
    yield title.append(f"“{visible(trace.instruction)}”", "italic")
    yield Text(f"{visible(model_name(trace))}, {trace.stats.drafter}, {trace.finish_reason}", "dim")
    yield Text(headline(trace), "bold")
    times = ", ".join(f"{name} {duration(seconds)}" for name, seconds in time_split(trace))
    yield Text(f"time  {duration(trace.stats.total_seconds)}: {times}")
    shares, total = Text("text  "), sum(count for _, count in tokens_by_source(trace))
    for source, count in tokens_by_source(trace):
        shares.append(f"{source} {count / total:.0%}  ", STYLES[source])
    yield shares
    for hunk in trace.hunks:
        yield from _hunk(hunk)
    yield Text(f"Round by round: editd explain {trace.id} --html FILE", "dim")


def _hunk(hunk: Hunk) -> Iterator[Text]:
    did = f"replaces {hunk.old_count}" if hunk.old_count else "inserted"
    yield Text(f"@@ line {hunk.start + 1}, {did} @@", "cyan")
    for index, line in enumerate(hunk.new_lines):
        spans = [origin for origin in hunk.origins if origin.line == index]
        yield Text("+ ", "green").append_text(coloured(line, spans))
    if found := places(hunk):
        left = len(found) - _MOST_PLACES
        more = f" and {left} more" if left > 0 else ""
        yield Text(f"  from {', '.join(map(visible, found[:_MOST_PLACES]))}{more}", "magenta")
    if hunk.suspect:
        yield Text(f"  suspect: {visible(hunk.suspect)}", "yellow")
    for note in (hunk.note, *(span.text for span in hunk.note_spans)):
        if note:
            yield Text(f"  note: {visible(note)}", "dim")
