"""The figures of a replay as tables and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.plots import pyplot
from tests.replay.cost_profiles import PROFILES
from tests.replay.rounds import (
    BASELINE,
    ORACLE,
    CaseFigures,
    DrafterFigures,
    gap_closed,
    grouped,
    pair,
)


def print_report(
    console: Console, results: Sequence[DrafterFigures], tokenizer: str, seed: int
) -> None:
    """Tables of figures, of modelled seconds, of paired comparisons; rounds by kind, language and size."""
    by_name = {figures.drafter: figures for figures in results}
    first = results[0]
    console.print(
        f"{len(first.per_case)} cases, window {first.window}, "
        f"{first.total('output_tokens'):.0f} output tokens, tokenizer: {tokenizer}",
        highlight=False,
    )
    console.print(_figures(results, by_name[BASELINE], by_name[ORACLE]))
    console.print(_seconds(results))
    console.print(_paired(results, by_name[BASELINE], seed))
    for name in ("kind", "language", "size"):
        console.print(_by_group(results, name))


def draw(results: Sequence[DrafterFigures], path: Path) -> None:
    """Tokens per round case by case, and the modelled time per output token on each machine."""
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5), layout="constrained")
    for figures in results:
        rates = sorted(case.tokens_per_round for case in figures.per_case)
        shares = [(number + 1) / len(rates) for number in range(len(rates))]
        left.step(rates, shares, where="post", label=figures.drafter)
    left.set(
        xscale="log",
        xlabel="tokens per round (further right is better)",
        ylabel="share of cases",
        title=f"{len(results[0].per_case)} edits, window {results[0].window}",
    )
    left.legend(fontsize="small")
    left.grid(alpha=0.3)
    height = 0.8 / len(PROFILES)
    for number, profile in enumerate(PROFILES):
        slowest = max(figures.seconds(profile.name) for figures in results)
        places = [row + number * height for row in range(len(results))]
        shares = [figures.seconds(profile.name) / slowest for figures in results]
        right.barh(places, shares, height=height, label=profile.machine)
    right.set(
        yticks=[row + 0.4 - height / 2 for row in range(len(results))],
        yticklabels=[figures.drafter for figures in results],
        xlabel="modelled time, slowest drafter = 1",
        title="modelled time",
    )
    right.invert_yaxis()
    right.legend(fontsize="small")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _figures(
    results: Sequence[DrafterFigures], base: DrafterFigures, oracle: DrafterFigures
) -> Table:
    rows = []
    for figures in results:
        tokens, rounds = figures.total("output_tokens"), figures.total("rounds")
        drafted = figures.total("drafted")
        closed = gap_closed(figures, base, oracle)
        rows.append(
            (
                figures.drafter,
                f"{rounds:.0f}",
                f"{tokens / rounds:.2f}",
                f"{median(case.tokens_per_round for case in figures.per_case):.2f}",
                f"{figures.total('accepted') / drafted:.0%}" if drafted else "-",
                f"{figures.total('rejected') / tokens:.2f}",
                "-" if closed is None else f"{closed:.0%}",
                f"{1000 * figures.total('drafter_seconds') / rounds:.2f}",
            )
        )
    names = ("tokens a round", "median", "accepted", "wasted a token", "gap closed", "draft ms")
    return _table("Figures", ("rounds", *names), rows)


def _seconds(results: Sequence[DrafterFigures]) -> Table:
    rows = [
        (figures.drafter, *(f"{figures.seconds(profile.name):,.1f}" for profile in PROFILES))
        for figures in results
    ]
    return _table("Modelled seconds", [profile.name for profile in PROFILES], rows)


def _paired(results: Sequence[DrafterFigures], base: DrafterFigures, seed: int) -> Table:
    rows = []
    for figures in results:
        if figures is base:
            continue
        paired = pair(figures, base, seed)
        faster = (
            f"{paired.seconds_ratio[profile.name]:.2f} ({paired.not_slower[profile.name]:.0%})"
            for profile in PROFILES
        )
        ratio = f"{paired.ratio:.2f} [{paired.low:.2f}, {paired.high:.2f}]"
        rows.append((figures.drafter, ratio, *faster))
    columns = [f"{profile.name} times faster (not slower)" for profile in PROFILES]
    title = f"Case by case against {base.drafter}"
    return _table(title, ("rounds, geometric mean of ratios [95 %]", *columns), rows)


def _by_group(results: Sequence[DrafterFigures], name: str) -> Table:
    groups = grouped(results[0].per_case, name)
    rows = []
    for figures in results:
        of_drafter = grouped(figures.per_case, name)
        rows.append((figures.drafter, *(_rate(of_drafter[value]) for value in groups)))
    columns = [f"{value} ({len(cases)})" for value, cases in groups.items()]
    return _table(f"Tokens a round by {name}", columns, rows)


def _rate(cases: Sequence[CaseFigures]) -> str:
    return f"{sum(c.output_tokens for c in cases) / sum(c.rounds for c in cases):.1f}"


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Figures are never cut: headings are broken at blanks, and in a narrow terminal names are folded."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("drafter", overflow="fold")
    for column, values in zip(columns, list(zip(*rows, strict=True))[1:], strict=True):
        width = max(map(len, (*values, *column.split())))
        table.add_column(column, justify="right", width=width)
    for row in rows:
        table.add_row(*row)
    return table
