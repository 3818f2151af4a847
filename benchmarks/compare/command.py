"""The options of ``python -m benchmarks compare``; what they lead to is in ``comparison``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def compare(
    model: Annotated[
        str, typer.Option(help="Model: a name or a folder; without it, the benchmark's own.")
    ] = "",
    draft_model: Annotated[
        str, typer.Option(help="Smaller model for the peers that take one, named likewise.")
    ] = "",
    cases: Annotated[
        Path | None, typer.Option(help="Edits: JSON lines with instruction and before.")
    ] = None,
    peers: Annotated[
        str, typer.Option(help="Engines, or ENGINE/MODE, separated by commas; or all.")
    ] = "all",
    repeats: Annotated[int, typer.Option(min=1, help="How often each edit is decoded.")] = 3,
    minutes: Annotated[
        float, typer.Option(min=0, help="Begin no repeat that would end later; 0: no limit.")
    ] = 0.0,
    limit: Annotated[int, typer.Option(min=0, help="Only so many edits; 0: all.")] = 0,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads of each engine.")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw CPU times by editd's (needs the extra plot).")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write the tables between the markers of this page.")
    ] = None,
) -> None:
    """Decode the same edits with the same weights in editd and in other engines."""
    # Imported here so that ``python -m benchmarks --help`` need not load them.
    from benchmarks.compare.comparison import Options, run_comparison
    from benchmarks.terminal import refusing, wide_console

    options = Options(
        model,
        draft_model,
        cases,
        peers,
        repeats,
        minutes,
        limit,
        threads,
        json_file,
        plot,
        page,
    )
    with refusing():
        run_comparison(options, wide_console(), Console(stderr=True))
