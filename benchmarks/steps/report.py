"""The figures of a step as a table and as a picture."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.plots import pyplot
from benchmarks.steps.measure import StepFigures


def print_steps(console: Console, figures: StepFigures) -> None:
    """A table for each context and mode, a row for each k."""
    weights = ", random weights" if figures.random_weights else ""
    console.print(
        f"{figures.model} on {figures.device} as {figures.dtype}{weights}: "
        f"{figures.weights_read / 1e6:,.1f} MB of weights a step, "
        f"{figures.copy_bandwidth / 1e9:,.1f} GB/s copied, limit {figures.limit_ms:.3f} ms",
        highlight=False,
        soft_wrap=True,
    )
    for mode, context in dict.fromkeys((step.mode, step.context) for step in figures.steps):
        console.print(_table(figures, mode, context))
    for note in figures.notes:
        console.print(note, highlight=False, soft_wrap=True)


def draw_steps(figures: StepFigures, path: Path) -> None:
    """t(k) on logarithmic axes, a line for each mode and context, and the limit below them."""
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for mode, context in dict.fromkeys((step.mode, step.context) for step in figures.steps):
        cells = [step for step in figures.steps if (step.mode, step.context) == (mode, context)]
        sizes = [step.k for step in cells]
        axes.plot(sizes, [step.median_ms for step in cells], "o-", label=f"{mode}, {context}")
        axes.fill_between(
            sizes, [step.low_ms for step in cells], [step.high_ms for step in cells], alpha=0.2
        )
    axes.axhline(figures.limit_ms, color="black", linestyle=":", label="reading the weights once")
    weights = ", random weights" if figures.random_weights else ""
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="k: tokens verified in one pass",
        ylabel="ms",
        title=f"{figures.model} on {figures.device}{weights}",
    )
    axes.legend(title="mode, context", fontsize="small")
    axes.grid(alpha=0.3, which="both")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _table(figures: StepFigures, mode: str, context: int) -> Table:
    on_cpu = figures.device.startswith("cpu")
    table = Table(title=f"{mode}: t(k) behind {context} tokens", title_justify="left")
    for name in ("k", "ms", "quartiles", *(["CPU ms"] if on_cpu else []), "/ t(1)", "/ limit"):
        table.add_column(name, justify="right")
    for step in figures.steps:
        if (step.mode, step.context) != (mode, context):
            continue
        ratio = figures.ratio(step)
        table.add_row(
            str(step.k),
            f"{step.median_ms:.2f}",
            f"{step.low_ms:.2f}-{step.high_ms:.2f}",
            *([f"{step.cpu_ms:.2f}"] if on_cpu else []),
            "-" if ratio is None else f"{ratio:.2f}",
            f"{step.median_ms / figures.limit_ms:.2f}",
        )
    return table
