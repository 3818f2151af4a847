"""The options of ``python -m benchmarks replay``; what is counted is in ``rounds``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

DEFAULT_DRAFTERS = (
    "prompt-lookup:transformers,prompt-lookup:saxena,prompt-lookup:tuned,prediction:16,"
    "buffer:chain+suffix,buffer:tree+suffix"
)


def replay(
    cases: Annotated[
        Path, typer.Argument(help="Edits: JSON lines with instruction, before, after.")
    ],
    drafter: Annotated[
        str,
        typer.Option(
            help="Drafters to compare, separated by commas; DRAFTER@PROFILE (h200, rtx4090-4bit, "
            "cpu-2, llama.cpp-1): window, chain or tree are chosen by what rounds cost there, --window "
            "at most."
        ),
    ] = DEFAULT_DRAFTERS,
    window: Annotated[
        int, typer.Option(min=1, help="Most draft tokens a round, all branches together.")
    ] = 128,
    limit: Annotated[int, typer.Option(min=0, help="Only so many cases; 0: all.")] = 0,
    tokenizer: Annotated[
        Path | None, typer.Option(help="Folder with a tokenizer.json; without it, pseudo-tokens.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the noise and of the intervals.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file.")
    ] = None,
    ablate: Annotated[  # noqa: FBT002  typer's way to write a flag
        bool, typer.Option("--ablate", help="Add the last drafter with each part left out.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw rounds and modelled times (needs the extra plot).")
    ] = None,
) -> None:
    """Replay known edits: how many rounds would each drafter have needed?"""
    # Imported here so that ``editd --help`` need not load tokenizers.
    from benchmarks.plots import require_matplotlib
    from benchmarks.replay import report as replay_report
    from benchmarks.terminal import refusing, wide_console
    from editd.decode.drafters import check_spec
    from tests.model_free_codec import open_codec
    from tests.recorded_cases import read_cases
    from tests.replay.rounds import (
        ABLATIONS,
        BASELINE,
        ORACLE,
        as_json,
        costs_of,
        replay_all,
    )
    from tests.replay.transcripts import transcribe

    with refusing():
        if plot is not None:
            require_matplotlib()
        specs = [spec.strip() for spec in drafter.split(",") if spec.strip()]
        for spec in specs:
            if spec != ORACLE:
                check_spec(costs_of(spec)[0])
        codec = open_codec(tokenizer)
        read = read_cases(cases, limit or None)
    # The two that all others are measured against are always there, at the top and at the end.
    specs = list(dict.fromkeys([BASELINE, *specs, ORACLE]))
    if ablate:
        last = next(spec for spec in reversed(specs) if spec != ORACLE)
        specs[-1:-1] = [f"{last} -{part}" for part in ABLATIONS]
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with progress:
        task = progress.add_task("tokenising", total=len(read) * (1 + len(specs)))
        transcripts = []
        for case in read:
            transcripts.append(transcribe(case, codec))
            progress.advance(task)

        def advanced(spec: str) -> None:
            progress.update(task, advance=1, description=spec)

        results = replay_all(transcripts, specs, codec, window=window, seed=seed, advanced=advanced)
    replay_report.print_report(wide_console(), results, codec.name, seed)
    if json_file is not None:
        text = json.dumps([as_json(figures) for figures in results], indent=1)
        json_file.write_text(text + "\n", encoding="utf-8")
    if plot is not None:
        replay_report.draw(results, plot)
