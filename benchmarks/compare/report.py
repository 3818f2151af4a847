"""What was measured, as one dictionary for ``--json`` and the page, and as tables for a terminal."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.compare.figures import limits, summarise
from benchmarks.compare.peers import STORED
from benchmarks.compare.runner import Results, readers

WEIGHTS = {"float32": "f32", "q8_0": "q8_0", "q4_k_m": "q4_k_m", "int8": "int8", STORED: "GGUF"}


def as_json(results: Results, about: dict[str, Any], missing: list[str]) -> dict[str, Any]:
    """All figures; plain values only."""
    rows = []
    reading = readers(results.rows)
    for row in results.rows:
        least = limits(
            results.measurements, results.readings, row.peer.name, reading[row.peer.name]
        )
        figures = summarise(results.measurements, row.name, row.ours, least)
        rows.append(
            {
                "name": row.name,
                "ours": row.ours,
                "engine": row.peer.title,
                "mode": row.mode.label,
                "weights": WEIGHTS[row.peer.weights],
                "settings": results.settings.get(row.name, {}),
                "searched": results.searched.get(row.name, []),
                "error": results.failures.get(row.name),
                "figures": asdict(figures) if figures else None,
            }
        )
    return {
        "about": {**about, "repeats": results.repeats},
        "cases": [asdict(case) for case in results.cases],
        "rows": rows,
        "missing": missing,
        "measurements": [asdict(measurement) for measurement in results.measurements],
        "readings": [asdict(reading) for reading in results.readings],
    }


def print_report(console: Console, data: dict[str, Any]) -> None:
    """The table of rows, the ratios case by case, and what was not measured."""
    about = data["about"]
    console.print(
        f"{len(data['cases'])} edits, {sum(c['output_tokens'] for c in data['cases']):,} output "
        f"tokens, {about['repeats']} repeats, {about['threads']} thread(s), {about['checkpoint']}",
        highlight=False,
        soft_wrap=True,
    )
    for table in (_rows(data), *_cases(data)):
        console.print(table)
    for line in data["missing"]:
        console.print(f"[yellow]skipped[/yellow] {line}", highlight=False, soft_wrap=True)


def cells(row: dict[str, Any]) -> list[str]:
    """One row of the table as text; a row that failed says so in its own words."""
    name = [row["engine"], row["mode"] + _setting(row), row["weights"]]
    figures = row["figures"]
    if figures is None:
        return [*name, *("–",) * 9, f"failed: {row['error'] or 'no answers'}"]
    same = "yes"
    if figures["first_difference"]:
        case, token = figures["first_difference"]
        same = f"no: {case}, token {token}"
    if row["error"]:
        same = f"{same}; then failed: {row['error']}"
    return [
        *name,
        f"{figures['tokens_per_cpu_second']:.0f}",
        f"{figures['tokens_per_second']:.0f}",
        "–" if figures["first_ms"] is None else f"{figures['first_ms']:.0f}",
        "–" if figures["rounds"] is None else f"{figures['rounds']:,}",
        _ratio(figures),
        *(_two(figures[name]) for name in ("after_median", "after_tenth", "price", "floor")),
        same,
    ]


def case_cells(data: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Headings and lines of the table case by case: CPU time in units of editd's.

    The edits are columns, by their numbers in ``edit_cells``: there may be more rows than a page is wide.
    """
    lines = []
    for row in data["rows"]:
        if row["figures"] and row["name"] != row["ours"]:
            by_case = row["figures"]["by_case"]
            ratios = (by_case.get(case["name"]) for case in data["cases"])
            texts = ("–" if ratio is None else f"{ratio:.2f}" for ratio in ratios)
            lines.append([row["name"], *texts])
    return ["engine/mode", *(str(number + 1) for number in range(len(data["cases"])))], lines


def edit_cells(data: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Headings and lines of the table that says which edit has which number, and what editd does in it."""
    lines = []
    for number, case in enumerate(data["cases"]):
        ours = [
            one
            for one in data["measurements"]
            if (one["row"], one["case"]) == (data["rows"][0]["ours"], case["name"])
        ]
        lines.append(
            [
                str(number + 1),
                case["name"],
                str(case["num_lines"]),
                f"{case['prompt_tokens']:,}",
                f"{case['output_tokens']:,}",
                _median(ours, "rounds", ".0f"),
                _median(ours, "cpu_seconds", ".1f"),
                _median(ours, "first_cpu_seconds", ".1f"),
            ]
        )
    return list(_OF_EDITS), lines


HEADINGS = (
    "engine",
    "mode",
    "weights",
    "tokens/CPU s",
    "tokens/s",
    "first token ms",
    "rounds",
    "× editd's time",
    "× after first token, median",
    "worst tenth",
    "price of writing",
    "its floor",
    "text as plain decoding",
)
_OF_EDITS = (
    "",
    "edit",
    "lines",
    "prompt tokens",
    "output tokens",
    "editd's rounds",
    "CPU s",
    "to first token",
)
_NARROW = (
    "tok/CPU s",
    "tok/s",
    "first ms",
    "rounds",
    "× time",
    "× after",
    "tenth",
    "price",
    "floor",
    "same text",
)


def _median(measurements: list[dict[str, Any]], name: str, digits: str) -> str:
    values = [one[name] for one in measurements if one[name] is not None]
    return format(median(values), digits) if values else "–"


def _two(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.2f}"


def _ratio(figures: dict[str, Any]) -> str:
    text = f"{figures['ratio']:.2f}"
    if figures["repeats"] > 1 and figures["high"] > figures["low"]:
        text += f" [{figures['low']:.2f}–{figures['high']:.2f}]"
    return text


def _setting(row: dict[str, Any]) -> str:
    """What a search chose."""
    if not row["searched"]:
        return ""
    return f" ({', '.join(str(value) for value in row['settings'].values())})"


def _rows(data: dict[str, Any]) -> Table:
    """By the names that ``--peers`` knows: the words of the page are too wide for a terminal."""
    table = Table(title="All engines, end to end", title_justify="left")
    table.add_column("engine/mode", no_wrap=True)
    for heading in _NARROW[:-1]:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(_NARROW[-1])
    for row in data["rows"]:
        table.add_row(row["name"] + _setting(row), *cells(row)[3:])
    return table


def _cases(data: dict[str, Any]) -> list[Table]:
    edits = _table("The edits", *edit_cells(data), left=range(2))
    return [edits, _table("CPU time by editd's, case by case", *case_cells(data), left=range(1))]


def _table(title: str, headings: list[str], lines: list[list[str]], left: range) -> Table:
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number in left else "right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    return table
