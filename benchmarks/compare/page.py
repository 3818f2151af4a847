"""The figures as Markdown, for the terminal and for docs/explanation/performance.md, and their plot.

In the page everything between two markers is written by ``python -m benchmarks compare --page``; the rest is prose that
holds whatever the figures are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.compare.figures import RowFigures, figures_of
from benchmarks.compare.peers import STORED, Row
from benchmarks.compare.runner import Results
from benchmarks.plots import pyplot
from editd.errors import UsageError

BEGIN, END = "<!-- compare: begin -->", "<!-- compare: end -->"

_WEIGHTS = {"float32": "f32", "q8_0": "q8_0", "q4_k_m": "q4_k_m", "int8": "int8", STORED: "GGUF"}
_HEADINGS = (
    *("engine", "mode", "weights", "tokens/CPU s", "tokens/s", "first token ms", "rounds"),
    *("× editd's time", "× after first token, median", "worst tenth", "price of writing"),
    "text as plain decoding",
)
_OF_EDITS = (
    *("", "edit", "lines", "prompt tokens", "output tokens", "editd's rounds", "CPU s"),
    "to first token",
)


def write_page(page: Path, section: str, plot: Path | None) -> None:
    """Replace the text between the markers. Raises ``UsageError`` if they are not there."""
    before, after = check(page)
    picture = ""
    if plot is not None:
        target = Path(os.path.relpath(plot.resolve(), page.resolve().parent)).as_posix()
        picture = f"![How many times longer than editd each engine takes]({target})\n\n"
    text = f"{before}{BEGIN}\n\n{section.replace(_LOSSES, picture + _LOSSES)}\n{END}{after}"
    page.write_text(text, encoding="utf-8")


def check(page: Path) -> tuple[str, str]:
    """The text before the markers and after them. Raises ``UsageError``."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UsageError(f"{page} has no lines {BEGIN} and {END}: write them where the table goes.")
    return before, after


_LOSSES = "### Where editd loses\n"


def section_of(results: Results, about: dict[str, Any], missing: Sequence[str]) -> str:
    """Circumstances, the table of rows, the rows that are faster than editd, the edits, and ``missing``."""
    figures = figures_of(results)
    versions = ", ".join(f"{name} {release}" for name, release in about["versions"].items())
    tokens = sum(case.output_tokens for case in results.cases)
    circumstances = (
        f"{about['date']}, {about['processor']}, {about['threads']} thread(s) a process, "
        f"{results.repeats} repeat(s). Model: {about['checkpoint']}; {len(results.cases)} "
        f"edits, {tokens:,} output tokens. Python {about['python']}, {versions}. "
        f"Command: `{about['command']}`.\n"
    )
    parts = [
        circumstances,
        _table(_HEADINGS, [_cells(row, results, figures) for row in results.rows], range(3, 11)),
        _LOSSES,
        _losses(results.rows, figures),
        "### Case by case\n",
        "CPU time, in units of editd's for the same edit and weights.\n",
        _table(_OF_EDITS, _edit_lines(results), range(2, len(_OF_EDITS))),
        _by_case(results, figures),
    ]
    if missing:
        parts += ["### Not measured in this run\n", "".join(f"- {line}\n" for line in missing)]
    return "\n".join(parts)


def draw(results: Results, path: Path) -> None:
    """Write a plot: a bar for each row, by CPU time, with the spread over the repeats."""
    plt = pyplot()
    plt.rcParams["svg.hashsalt"] = "editd"  # equal figures give an equal file
    figures = figures_of(results)
    rows = sorted(
        (row for row in results.rows if row.name in figures),
        key=lambda row: figures[row.name].ratio,
    )
    figure, axes = plt.subplots(figsize=(9, 0.6 + 0.34 * len(rows)), layout="constrained")
    for place, row in enumerate(rows):
        of_row = figures[row.name]
        axes.barh(place, of_row.ratio, color="#2a6fbb" if row.name == row.ours else "#b9c4d0")
        axes.plot([of_row.low, of_row.high], [place, place], color="#333333", linewidth=1.2)
        for ratio in of_row.by_case.values():
            axes.plot(ratio, place, ".", color="#333333", alpha=0.35, markersize=4)
        axes.text(of_row.ratio, place, f" {of_row.ratio:.1f}", va="center", fontsize=8)
    axes.axvline(1.0, color="#2a6fbb", linewidth=0.8)
    axes.set(
        yticks=range(len(rows)),
        yticklabels=[", ".join(_title(row)) for row in rows],
        xlabel="CPU time by editd's, geometric mean (dots: the edits; further right is slower)",
    )
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _title(row: Row) -> list[str]:
    return [row.peer.title, row.mode.label, _WEIGHTS[row.peer.weights]]


def _cells(row: Row, results: Results, figures: dict[str, RowFigures]) -> list[str]:
    """A row of the table; a row that failed has its engine's own words."""
    error = results.failures.get(row.name)
    if row.name not in figures:
        return [*_title(row), *("–",) * 8, f"failed: {error or 'no answers'}"]
    found = figures[row.name]
    same = "yes"
    if found.first_difference:
        case, token = found.first_difference
        same = f"no: {case}, token {token}"
    ratio = f"{found.ratio:.2f}"
    if found.repeats > 1 and found.high > found.low:
        ratio += f" [{found.low:.2f}–{found.high:.2f}]"
    return [
        *_title(row),
        f"{found.tokens_per_cpu_second:.0f}",
        f"{found.tokens_per_second:.0f}",
        _text(found.first_ms, ".0f"),
        _text(found.rounds, ","),
        ratio,
        *(_text(each, ".2f") for each in (found.after_median, found.after_tenth, found.price)),
        f"{same}; then failed: {error}" if error else same,
    ]


def _losses(rows: Sequence[Row], figures: dict[str, RowFigures]) -> str:
    """A line for each row that is faster overall, or for some edits."""
    lines = []
    for row in rows:
        if row.name not in figures or row.name == row.ours:
            continue
        found, name = figures[row.name], ", ".join(_title(row))
        faster = [case for case, ratio in found.by_case.items() if ratio < 1]
        if found.ratio < 1:
            lines.append(
                f"- **{name}** needs {found.ratio:.2f} of editd's CPU time overall, less in "
                f"{len(faster)} of {found.num_cases} edits."
            )
        elif faster:
            lines.append(f"- {name} is faster for {', '.join(faster)}; slower overall.")
    return "\n".join(lines or ["- In this run, nowhere: no row is faster in any edit."]) + "\n"


def _edit_lines(results: Results) -> list[list[str]]:
    """A line for each edit with its number, its sizes, and editd's figures."""
    lines = []
    for number, case in enumerate(results.cases, start=1):
        key = (results.rows[0].ours, case.name)
        ours = [each for each in results.measurements if (each.row, each.case) == key]
        lines.append(
            [
                *(str(number), case.name, str(case.num_lines)),
                *(f"{case.prompt_tokens:,}", f"{case.output_tokens:,}"),
                _median([each.rounds for each in ours], ".0f"),
                _median([each.cpu_seconds for each in ours], ".1f"),
                _median([each.first_cpu_seconds for each in ours], ".1f"),
            ]
        )
    return lines


def _by_case(results: Results, figures: dict[str, RowFigures]) -> str:
    """Rows by edits, which are columns, by their numbers: there may be more rows than a page is wide."""
    names = [case.name for case in results.cases]
    lines = [
        [row.name, *(_text(figures[row.name].by_case.get(name), ".2f") for name in names)]
        for row in results.rows
        if row.name in figures and row.name != row.ours
    ]
    headings = ["engine/mode", *(str(number + 1) for number in range(len(names)))]
    return _table(headings, lines, range(1, len(headings)))


def _median(values: Sequence[float | None], form: str) -> str:
    known = [value for value in values if value is not None]
    return _text(median(known) if known else None, form)


def _text(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: range) -> str:
    """A table of Markdown; columns ``right`` are aligned to the right."""
    rule = ["--:" if number in right else "---" for number in range(len(headings))]
    lines = [headings, rule, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
