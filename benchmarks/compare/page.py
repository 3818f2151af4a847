"""The measured part of docs/explanation/performance.md, and its plot.

Everything between the two markers is written by ``python -m benchmarks compare --page``; the rest of the
page is prose that holds whatever the figures are.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from benchmarks.compare.report import HEADINGS, case_cells, cells, edit_cells
from benchmarks.plots import pyplot
from editd.errors import UsageError

BEGIN, END = "<!-- compare: begin -->", "<!-- compare: end -->"


def write_page(page: Path, data: dict[str, Any], plot: Path | None) -> None:
    """Replace what stands between the markers. Raises ``UsageError`` if they are not there."""
    before, after = check(page)
    picture = ""
    if plot is not None:
        target = Path(os.path.relpath(plot.resolve(), page.resolve().parent)).as_posix()
        picture = f"![How many times longer than editd each engine takes]({target})\n\n"
    page.write_text(f"{before}{BEGIN}\n\n{measured(data, picture)}\n{END}{after}", encoding="utf-8")


def check(page: Path) -> tuple[str, str]:
    """What stands before the markers and after them. Raises ``UsageError``."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UsageError(f"{page} has no lines {BEGIN} and {END}: write them where the table goes.")
    return before, after


def measured(data: dict[str, Any], picture: str = "") -> str:
    """The table, who is faster than editd, what was not measured, and the circumstances."""
    about = data["about"]
    versions = ", ".join(f"{name} {release}" for name, release in about["versions"].items())
    tokens = sum(case["output_tokens"] for case in data["cases"])
    circumstances = (
        f"{about['date']}, {about['processor']}, {about['threads']} thread(s) a process, "
        f"{about['repeats']} repeat(s). Model: {about['checkpoint']}; {len(data['cases'])} "
        f"edits, {tokens:,} output tokens. Python {about['python']}, {versions}. "
        f"Command: `{about['command']}`.\n"
    )
    parts = [
        circumstances,
        _table(list(HEADINGS), [cells(row) for row in data["rows"]], right=range(3, 12)),
        picture.rstrip("\n") + "\n" if picture else "",
        "### Where editd loses\n",
        _losses(data),
        "### Case by case\n",
        "CPU time, in units of editd's for the same edit and weights.\n",
        _by_case(data),
        _not_measured(data),
    ]
    return "\n".join(part for part in parts if part)


def draw(data: dict[str, Any], path: Path) -> None:
    """A bar for each row, by CPU time, with the spread over the repeats."""
    plt = pyplot()
    plt.rcParams["svg.hashsalt"] = "editd"  # equal figures give an equal file
    rows = [row for row in data["rows"] if row["figures"]]
    rows.sort(key=lambda row: row["figures"]["ratio"])
    figure, axes = plt.subplots(figsize=(9, 0.6 + 0.34 * len(rows)), layout="constrained")
    for place, row in enumerate(rows):
        figures = row["figures"]
        ours = row["name"] == row["ours"]
        axes.barh(place, figures["ratio"], color="#2a6fbb" if ours else "#b9c4d0")
        axes.plot([figures["low"], figures["high"]], [place, place], color="#333333", linewidth=1.2)
        for ratio in figures["by_case"].values():
            axes.plot(ratio, place, ".", color="#333333", alpha=0.35, markersize=4)
        axes.text(figures["ratio"], place, f" {figures['ratio']:.1f}", va="center", fontsize=8)
    axes.axvline(1.0, color="#2a6fbb", linewidth=0.8)
    axes.set(
        yticks=range(len(rows)),
        yticklabels=[f"{row['engine']}, {row['mode']}, {row['weights']}" for row in rows],
        xlabel="CPU time by editd's, geometric mean (dots: the edits; further right is slower)",
    )
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _losses(data: dict[str, Any]) -> str:
    """One line for each row that is faster overall, or for some edits."""
    lines = []
    for row in data["rows"]:
        figures = row["figures"]
        if not figures or row["name"] == row["ours"]:
            continue
        name = f"{row['engine']}, {row['mode']}, {row['weights']}"
        faster = [case for case, ratio in figures["by_case"].items() if ratio < 1]
        if figures["ratio"] < 1:
            lines.append(
                f"- **{name}** needs {figures['ratio']:.2f} of editd's CPU time overall, less in "
                f"{len(faster)} of {figures['num_cases']} edits."
            )
        elif faster:
            lines.append(f"- {name} is faster for {', '.join(faster)}; slower overall.")
    return "\n".join(lines or ["- In this run, nowhere: no row is faster in any edit."]) + "\n"


def _by_case(data: dict[str, Any]) -> str:
    edits, edit_lines = edit_cells(data)
    headings, lines = case_cells(data)
    return (
        _table(edits, edit_lines, right=range(2, len(edits)))
        + "\n"
        + _table(headings, lines, right=range(1, len(headings)))
    )


def _not_measured(data: dict[str, Any]) -> str:
    lines = [f"- {line}" for line in data["missing"]]
    return "### Not measured in this run\n\n" + "\n".join(lines) + "\n" if lines else ""


def _table(headings: list[str], rows: list[list[str]], right: range) -> str:
    rule = ["--:" if number in right else "---" for number in range(len(headings))]
    lines = [headings, rule, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
