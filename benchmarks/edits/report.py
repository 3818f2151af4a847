"""The figures of whole edits as tables and as a picture."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.edits.figures import FIRST_TOKENS, LOOKUP, PLAIN, EditFigures
from benchmarks.edits.summary import Row, engine_gains, summary
from benchmarks.plots import pyplot


def print_edits(console: Console, figures: EditFigures) -> None:
    """A heading, a table of all ways with the prefix warm, one with it cold, and the notes."""
    weights = ", random weights" if figures.random_weights else ""
    forced = ", answers forced" if figures.forced else ""
    tokens = sum(case["answer_tokens"] for case in figures.cases.values())
    console.print(
        f"{figures.model} on {figures.device} as {figures.dtype}{weights}{forced}: "
        f"{len(figures.cases)} edits, {tokens:,} output tokens, tokenizer {figures.tokenizer}",
        highlight=False,
        soft_wrap=True,
    )
    rows = summary(figures)
    for warm in (True, False):
        if chosen := [row for row in rows if row.warm == warm]:
            console.print(_table(chosen, warm=warm))
    console.print(
        f"* timed over each edit's first {FIRST_TOKENS} tokens and scaled. Warm: the buffer was "
        "read before the request; transformers' time to read it is then not counted.",
        highlight=False,
        soft_wrap=True,
    )
    modes = list(dict.fromkeys(run.mode for run in figures.runs if run.way not in (PLAIN, LOOKUP)))
    if len(modes) > 1:
        console.print(_by_mode(rows, modes))
    gains = engine_gains(figures)
    if gains:
        gains_by_mode = ", ".join(f"{mode} {gain:.2f}x" for mode, gain in gains.items())
        console.print(
            f"Engine: plain decoding against transformers' plain, {gains_by_mode}", highlight=False
        )
    for note in figures.notes:
        console.print(note, highlight=False, soft_wrap=True)


def draw_edits(figures: EditFigures, path: Path) -> None:
    """Seconds of each edit by its output tokens, warm, a colour for each way."""
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for way in dict.fromkeys(run.way for run in figures.runs):
        runs = figures.of(way, warm=True).values()
        axes.scatter(
            [run.output_tokens for run in runs],
            [run.seconds for run in runs],
            label=way,
            marker="x" if way in (PLAIN, LOOKUP) else "o",
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="output tokens",
        ylabel="seconds, warm prefix",
        title=f"{figures.model} on {figures.device}",
    )
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3, which="both")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _table(rows: list[Row], *, warm: bool) -> Table:
    table = Table(title="warm prefix" if warm else "cold", title_justify="left")
    table.add_column("way", no_wrap=True)
    for name in (
        "tok/s",
        "tok/round",
        "median ms",
        "hunk: round",
        "hunk ms",
        "x plain",
        "x lookup",
        "x none",
        "price",
        "host %",
        "same",
    ):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row.way + ("*" if row.scaled else ""),
            f"{row.tokens_per_second:,.0f}",
            f"{row.tokens_per_round:.1f}",
            f"{row.milliseconds:,.0f}",
            _number(row.first_hunk_rounds, 0),
            _number(row.first_hunk_ms, 0),
            _number(row.against_plain, 2),
            _number(row.against_lookup, 2),
            _number(row.against_none, 2),
            _number(row.price, 2),
            _number(None if row.host_share is None else 100 * row.host_share, 0),
            "-" if row.same is None else f"{row.same}/{row.cases}",
        )
    return table


def _by_mode(rows: list[Row], modes: list[str]) -> Table:
    """Tokens a second, warm, the modes in adjacent columns."""
    table = Table(title="tokens a second by mode, warm prefix", title_justify="left")
    table.add_column("drafter")
    rates = {row.way: row.tokens_per_second for row in rows if row.warm}
    for mode in modes:
        table.add_column(mode, justify="right")
    for drafter in dict.fromkeys(way.rpartition(", ")[0] for way in rates if ", " in way):
        cells = [rates.get(f"{drafter}, {mode}") for mode in modes]
        table.add_row(drafter, *(_number(cell, 0) for cell in cells))
    return table


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
