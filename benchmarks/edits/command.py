"""``python -m benchmarks edit``: whole edits through the engine, against transformers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

DRAFTERS = "buffer"


def edit(
    cases: Annotated[
        Path, typer.Argument(help="Edits: JSON lines with instruction, before, after.")
    ],
    model: Annotated[
        str, typer.Option(help="A folder, a pulled hub id, or a shape such as 8m-shaped.")
    ],
    forced: Annotated[  # noqa: FBT002  typer's way to write a flag
        bool, typer.Option("--forced", help="Force each choice to the known answer.")
    ] = False,
    drafter: Annotated[
        str, typer.Option(help="Drafters to compare, separated by commas.")
    ] = DRAFTERS,
    mode: Annotated[
        list[str] | None,
        typer.Option(help="eager or bitwise; repeatable."),
    ] = None,
    sample: Annotated[
        str, typer.Option(help="A file of ids, or how many to draw by size; else the usual 16.")
    ] = "",
    limit: Annotated[int, typer.Option(min=0, help="Only so many of the sample; 0: all.")] = 0,
    tokenizer: Annotated[
        Path | None, typer.Option(help="Folder with a tokenizer.json, for a shape.")
    ] = None,
    peers: Annotated[  # noqa: FBT002  as above
        bool, typer.Option("--peers/--no-peers", help="Run transformers' generate beside it.")
    ] = True,
    device: Annotated[str, typer.Option(help="As model.device.")] = "auto",
    dtype: Annotated[str, typer.Option(help="As model.dtype.")] = "auto",
    threads: Annotated[int, typer.Option(min=0, help="CPU threads; 0: chosen.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw seconds by output tokens (needs the extra plot).")
    ] = None,
) -> None:
    """Run known edits whole: tokens a second, the first hunk, and transformers beside it."""
    from benchmarks.edits.cases import choose
    from benchmarks.edits.measure import measure
    from benchmarks.edits.report import draw_edits, print_edits
    from benchmarks.plots import require_matplotlib
    from benchmarks.steps.models import BenchModel, ModelOptions
    from benchmarks.steps.shapes import is_shape
    from benchmarks.terminal import progress_bar, refusing, wide_console
    from editd.decode.drafters import check_spec
    from editd.errors import UsageError
    from tests.recorded_cases import read_cases

    drafters = [spec.strip() for spec in drafter.split(",") if spec.strip()]
    with refusing():
        if plot is not None:
            require_matplotlib()
        if is_shape(model) and not forced:
            raise UsageError(f"{model} has random weights and writes no answer: add --forced.")
        for spec in drafters:
            check_spec(spec)
        chosen = choose(read_cases(cases), sample, limit)
        with progress_bar() as report:
            bench = BenchModel(ModelOptions(model, device, dtype, threads))
            figures = measure(
                bench,
                chosen,
                tokenizer=tokenizer,
                forced=forced,
                drafters=drafters,
                modes=tuple(mode or ()),
                peers=peers,
                report=report,
            )
    print_edits(wide_console(), figures)
    if json_file is not None:
        json_file.write_text(json.dumps(figures.as_json(), indent=1) + "\n", encoding="utf-8")
    if plot is not None:
        draw_edits(figures, plot)
