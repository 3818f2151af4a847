"""``editd explain``: shows a finished edit that the daemon remembers."""

from __future__ import annotations

import dataclasses
import json as json_format
from typing import TYPE_CHECKING, Annotated

import typer

from editd import interrupts
from editd.doors.cli.daemon import ask
from editd.doors.cli.options import flag, option
from editd.errors import UsageError

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
    from editd.doors.cli.console import say, write_json, write_text

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
        from editd.doors.cli.explained.page import page

        _write(html, page(explained.trace))
        say(f"wrote {html}: open it in a browser.")
    if html is None and json is None:
        from editd.doors.cli.console import make_console
        from editd.doors.cli.explained.terminal import tell

        tell(explained.trace, make_console(stderr=False))


def _line(summary: TraceSummary) -> str:
    from datetime import datetime

    from editd.doors.cli.safe_text import visible

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
    from pathlib import Path

    interrupts.check()
    try:
        Path(name).write_text(content, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror}.") from error


def _number(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"
