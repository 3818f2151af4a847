"""``editd explain``: shows a finished edit that the daemon remembers.

In a terminal it tells where text and time came from, with the hunks in their colours; the rounds themselves
are drawn by ``explain_page``.
"""

from __future__ import annotations

import dataclasses
import json as json_format
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from editd import interrupts
from editd.diff.hunk import Hunk
from editd.doors.cli.console import say, visible, write_json, write_text
from editd.doors.cli.daemon import ask
from editd.doors.cli.explain_facts import (
    headline,
    model_name,
    places,
    time_split,
    tokens_by_source,
)
from editd.doors.cli.explain_page import page
from editd.doors.cli.figures import duration
from editd.doors.cli.options import flag, option
from editd.doors.cli.safe_console import make_console
from editd.doors.cli.terminal_diff import STYLES, coloured
from editd.errors import UsageError
from editd.messages import Trace

if TYPE_CHECKING:
    from editd.messages import TraceSummary


def explain(
    trace_id: Annotated[
        str, typer.Argument(metavar="ID", help="Number of the edit; default: the last one.")
    ] = "",
    *,
    html: Annotated[
        str | None,
        option("--html", metavar="FILE", about="Write an HTML page to FILE."),
    ] = None,
    json: Annotated[
        str | None,
        option(
            "--json", metavar="FILE", about="Write all data as JSON to FILE; - is standard output."
        ),
    ] = None,
    show_list: Annotated[
        bool, flag("--list", about="List the edits that the daemon remembers.")
    ] = False,
) -> None:
    """Show where the text of a finished edit came from, and what took how long.

    The daemon remembers its last 20 edits.
    """
    explained = interrupts.run(ask(lambda client: client.explain(trace_id)))
    if show_list:
        write_text("".join(map(_line, explained.known)))
        return
    if explained.trace is None:
        raise UsageError(_missing(trace_id, explained.known))
    if json == "-":
        write_json(dataclasses.asdict(explained.trace))
    elif json is not None:
        content = json_format.dumps(dataclasses.asdict(explained.trace), ensure_ascii=False)
        _write(json, content + "\n")
        say(f"wrote {json}.")
    if html is not None:
        _write(html, page(explained.trace))
        say(f"wrote {html}: open it in a browser.")
    if html is None and json is None:
        tell(explained.trace, make_console(stderr=False))


def _line(summary: TraceSummary) -> str:

    when = datetime.fromtimestamp(summary.ended).astimezone()
    return (
        f"{summary.id:>4}  {when:%H:%M:%S}  {summary.finish_reason:9}  {_number(summary.rounds):>5} rounds  "
        f"{_number(summary.tokens):>6} tokens  {visible(summary.path) or '-'}  "
        f"{visible(' '.join(summary.instruction.split()))[:60]}\n"
    )


def _missing(trace_id: str, known: tuple[TraceSummary, ...]) -> str:
    if not known:
        return "There is nothing to explain: this daemon has finished no edit yet."
    first, last = known[-1].id, known[0].id
    return (
        f"There is no edit {trace_id} to explain: the daemon remembers {first} to {last} (--list)."
    )


def _write(name: str, content: str) -> None:

    interrupts.check()
    try:
        Path(name).write_text(content, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror}.") from error


def _number(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"


_MOST_PLACES = 4


def tell(trace: Trace, console: Console) -> None:
    """Print it."""
    for line in _told(trace):
        console.print(line)


def _told(trace: Trace) -> Iterator[Text]:
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
