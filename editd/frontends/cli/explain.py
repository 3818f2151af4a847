"""``editd explain``: the origin of a finished edit's text, and where its time went, as the daemon remembers it.

For a person in a few lines, with the hunks in their colours; round by round as JSON.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from editd import interrupts
from editd.diff.hunk import Hunk
from editd.errors import UsageError
from editd.frontends.cli.console import make_console, visible, write_json, write_text
from editd.frontends.cli.daemon import ask
from editd.frontends.cli.options import option
from editd.frontends.cli.outputs import duration, work
from editd.frontends.cli.terminal_diff import STYLES, coloured, known
from editd.messages.reports import Trace

if TYPE_CHECKING:
    from editd.messages.reports import TraceSummary

_MOST_PLACES = 4


def explain(
    trace_id: Annotated[
        str, typer.Argument(metavar="ID", help="Number of the edit; default: the last one.")
    ] = "",
    *,
    json: Annotated[
        bool, option("--json", about="Print all data, round by round, as one JSON object.")
    ] = False,
    show_list: Annotated[
        bool, option("--list", about="List the edits that the daemon remembers.")
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
    if json:
        write_json(dataclasses.asdict(explained.trace))
    else:
        console = make_console()
        for line in lines(explained.trace):
            console.print(line)


def _line(summary: TraceSummary) -> str:
    """A finished edit as a line of the list."""
    when = datetime.fromtimestamp(summary.ended).astimezone()
    return (
        f"{summary.id:>4}  {when:%H:%M:%S}  {summary.finish_reason:9}  {_number(summary.rounds):>5} rounds  "
        f"{_number(summary.tokens):>6} tokens  {visible(summary.path) or '-'}  "
        f"{visible(' '.join(summary.instruction.split()))[:60]}\n"
    )


def _missing(trace_id: str, known: tuple[TraceSummary, ...]) -> str:
    """A sentence that the daemon remembers no edit ``trace_id``, with the first and last number that it does, or that
    it has finished none. known: the edits that it remembers, the newest first.
    """
    if not known:
        return "There is nothing to explain: this daemon has finished no edit yet."
    first, last = known[-1].id, known[0].id
    return (
        f"There is no edit {trace_id} to explain: the daemon remembers {first} to {last} (--list)."
    )


def _number(count: int | None) -> str:
    """A count with separators; a dash if it is unknown."""
    return "–" if count is None else f"{count:,}"


def lines(trace: Trace) -> Iterator[Text]:
    """The trace (record of a finished edit) as lines for a terminal: the edit, the model, the figures, the time, the
    shares of the text's origins, then all hunks.
    """
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


def time_split(trace: Trace) -> list[tuple[str, float]]:
    """The seconds of each part of the edit by name, in the order loading, reading, drafting, verifying, other; parts
    without time are left out. They add up to the whole, unless the measured parts exceed it.
    """
    stats = trace.stats
    parts = {
        "loading": stats.load_seconds,
        "reading": trace.prefill_seconds,
        "drafting": sum(r.draft_seconds for r in trace.rounds),
        "verifying": sum(r.verify_seconds for r in trace.rounds),
    }
    parts["other"] = max(stats.total_seconds - sum(parts.values()), 0.0)
    return [(name, seconds) for name, seconds in parts.items() if seconds > 0]


def tokens_by_source(trace: Trace) -> list[tuple[str, int]]:
    """The number of output tokens of each source that occurs, in the order of ``STYLES``; unknown sources count as
    ``new``.
    """
    counted: Counter[str] = Counter()
    for done in trace.rounds:
        for piece in done.pieces:
            counted[known(piece.source)] += piece.num_tokens
    return [(source, counted[source]) for source in STYLES if counted[source]]


def headline(trace: Trace) -> str:
    """The figures of the edit's work (``work``: tokens, rounds, accepted drafts) in a line, and, if there are any,
    the number of lines whose white space was kept.
    """
    restored = trace.stats.restored_lines
    restoring = [f"white space of {restored} line{'s' * (restored != 1)} kept"] if restored else []
    return ", ".join([*work(trace.stats), *restoring])


def model_name(trace: Trace) -> str:
    """The model's name for a person: of a folder its last part."""
    return (
        trace.model.rstrip("/").rpartition("/")[2] if trace.model.startswith("/") else trace.model
    )


def places(hunk: Hunk) -> list[str]:
    """The places in the project's other files that a hunk's text was copied from: ``path:line`` or, for lines that
    follow each other, ``path:first-last``; in the order of the text, without duplicates. Origins without a line
    number are left out.
    """
    runs: list[tuple[str, int, int]] = []
    for origin in hunk.origins:
        path, _, number = origin.detail.rpartition(":")
        if origin.source != "project" or not number.isdigit():
            continue
        line = int(number)
        if runs and runs[-1][0] == path and 0 <= line - runs[-1][2] <= 1:
            runs[-1] = (path, runs[-1][1], line)
        else:
            runs.append((path, line, line))
    named = (f"{path}:{a}" if a == b else f"{path}:{a}-{b}" for path, a, b in runs)
    return list(dict.fromkeys(named))


def _hunk(hunk: Hunk) -> Iterator[Text]:
    """A hunk as lines for a terminal: its first line, counted from 1, and the number of removed lines, its new lines
    in the colours of their origins, then its places (four at most, the others counted), and its suspicion and notes,
    if any.
    """
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
