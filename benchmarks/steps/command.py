"""``python -m benchmarks step``: what one pass over k tokens costs here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def step(
    model: Annotated[
        str, typer.Option(help="A folder, a pulled hub id, or a shape such as 8m-shaped.")
    ],
    context: Annotated[
        list[int] | None, typer.Option(min=1, help="Tokens before the pass; repeatable.")
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(help="eager or bitwise; repeatable."),
    ] = None,
    device: Annotated[str, typer.Option(help="As model.device.")] = "auto",
    dtype: Annotated[str, typer.Option(help="As model.dtype.")] = "auto",
    threads: Annotated[int, typer.Option(min=0, help="CPU threads; 0: chosen.")] = 0,
    repeats: Annotated[int, typer.Option(min=0, help="Passes of each size; 0: chosen.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw t(k) (needs the extra plot).")] = None,
) -> None:
    """Measure t(k, context): one pass over k tokens, against t(1) and the weight-read limit."""
    from benchmarks.plots import require_matplotlib
    from benchmarks.steps.measure import measure
    from benchmarks.steps.models import BenchModel, ModelOptions
    from benchmarks.steps.report import draw_steps, print_steps
    from benchmarks.steps.timing import CONTEXTS
    from benchmarks.terminal import progress_bar, refusing, wide_console

    with refusing():
        if plot is not None:
            require_matplotlib()
        with progress_bar() as report:
            bench = BenchModel(ModelOptions(model, device, dtype, threads))
            figures = measure(
                bench,
                contexts=tuple(context or CONTEXTS),
                modes=tuple(mode or ()),
                repeats=repeats,
                report=report,
            )
    print_steps(wide_console(), figures)
    if json_file is not None:
        json_file.write_text(json.dumps(figures.as_json(), indent=1) + "\n", encoding="utf-8")
    if plot is not None:
        draw_steps(figures, plot)
