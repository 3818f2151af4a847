"""The aims, read off the figures of ``gpu``: the aim, the measured figure, whether it is met."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.edits.figures import LOOKUP, PLAIN, EditFigures, Run
from benchmarks.edits.summary import early_changes, fast_copies, summary


@dataclass(frozen=True, slots=True)
class Aim:
    """``met`` is ``None`` where something is only reported, or was not measured (``measured`` "")."""

    what: str
    least_or_most: str
    measured: str
    met: bool | None


def aims(figures: dict[str, Any]) -> list[Aim]:
    """The aims, in the order in which they are printed."""
    stages = figures["stages"]
    return [
        *_step_aims(stages.get("steps", {})),
        *_edit_aims(stages.get("edits", {})),
        *_draft_aims(stages),
    ]


def print_aims(console: Console, figures: dict[str, Any], found: list[Aim]) -> None:
    """The identity of the run, the table, and how long the stages took."""
    for name, value in figures["identity"].items():
        if value:
            console.print(f"{name}: {value}", highlight=False, soft_wrap=True)
    table = Table()
    for name in ("aim", "wanted", "measured", "met"):
        table.add_column(name)
    for aim in found:
        met = {True: "yes", False: "no", None: "-"}[aim.met]
        table.add_row(aim.what, aim.least_or_most, aim.measured or "not measured", met)
    console.print(table)
    for name, stage in figures["stages"].items():
        for note in [stage["skipped"]] if "skipped" in stage else stage.get("notes", []):
            console.print(f"{name}: {note}", highlight=False, soft_wrap=True)
    seconds_by_part = ", ".join(
        f"{name} {seconds:.0f} s" for name, seconds in figures["seconds"].items()
    )
    console.print(f"Took: {seconds_by_part}", highlight=False)


# --- steps ---------------------------------------------------------------------------------------


def _step_aims(stage: dict[str, Any]) -> list[Aim]:
    found = []
    for mode in dict.fromkeys(step["mode"] for step in stage.get("steps", [])):
        found += [
            _step_aim(stage, mode, 1, 1.25, "ratio_to_limit", "limit"),
            _step_aim(stage, mode, 64, 1.15, "ratio_to_t1", "t(1)"),
            _step_aim(stage, mode, 256, 2.0, "ratio_to_t1", "t(1)"),
        ]
    return found


def _step_aim(stage: dict[str, Any], mode: str, k: int, most: float, ratio: str, unit: str) -> Aim:
    step = _step(stage, mode, k)
    measured = "" if step is None else f"{step[ratio]:.2f} x {unit} ({step['median_ms']:.2f} ms)"
    met = None if step is None else step[ratio] <= most
    return Aim(f"t({k}), {mode}", f"<= {most:g} x {unit}", measured, met)


def _step(stage: dict[str, Any], mode: str, k: int) -> dict[str, Any] | None:
    steps: list[dict[str, Any]] = stage.get("steps", [])
    return next((step for step in steps if (step["mode"], step["k"]) == (mode, k)), None)


def _draft_aims(stages: dict[str, Any]) -> list[Aim]:
    found = []
    for step in stages.get("draft model", {}).get("steps", []):
        target = _step(stages.get("steps", {}), step["mode"], 1)
        if step["k"] == 1 and target:
            share = step["median_ms"] / target["median_ms"]
            measured = f"{step['median_ms']:.2f} ms, {share:.2f} of the model's"
            found.append(Aim(f"draft model: t(1), {step['mode']}", "reported", measured, None))
    return found or [Aim("draft model: t(1)", "reported", "", None)]


# --- edits ---------------------------------------------------------------------------------------


def _edit_aims(stage: dict[str, Any]) -> list[Aim]:
    if "runs" not in stage:
        return [Aim("whole edits", "25 x plain, 8 x prompt lookup", "", None)]
    names = {field.name for field in fields(EditFigures)}
    figures = EditFigures(**{name: stage[name] for name in names if name != "runs"})
    figures.runs = [Run(**run) for run in stage["runs"]]
    rows = {row.way: row for row in summary(figures) if row.warm}
    own = [run for run in figures.runs if run.way not in (PLAIN, LOOKUP) and run.drafter != "none"]
    found = []
    for way, mode, drafter in dict.fromkeys((run.way, run.mode, run.drafter) for run in own):
        row = rows[way]
        engine = rows[f"none, {mode}"].against_plain
        found += [
            _at_least(f"{way}: times transformers' plain", row.against_plain, 25),
            _at_least(f"{way}: times its prompt lookup", row.against_lookup, 8),
            _at_most(f"{way}: price of writing", row.price, 1.5),
            Aim(f"{way}: share outside passes", "reported", _cell(row.host_share), None),
            Aim(f"{way}: engine's part", "reported", _cell(engine), None),
            Aim(f"{way}: drafting's part", "reported", _cell(row.against_none), None),
            _at_least(
                f"{way}: tokens/s, 98 % copied, 2,000 and more",
                fast_copies(figures, mode, drafter),
                10_000,
            ),
        ]
        rounds = early_changes(figures, mode, drafter)
        early = sum(number <= 3 for number in rounds)
        found.append(
            Aim(
                f"{way}: a change in the first 100 tokens shows within 3 rounds",
                "all",
                f"{early} of {len(rounds)} edits, at most {max(rounds)} rounds" if rounds else "",
                early == len(rounds) if rounds else None,
            )
        )
    same = sum(bool(run.same) for run in figures.runs)
    found.append(
        Aim(
            "outputs are the known answers",
            "all",
            f"{same} of {len(figures.runs)} runs",
            same == len(figures.runs) if figures.forced else None,
        )
    )
    return found


def _at_least(what: str, value: float | None, least: float) -> Aim:
    return Aim(what, f">= {least:,g}", _cell(value), None if value is None else value >= least)


def _at_most(what: str, value: float | None, most: float) -> Aim:
    return Aim(what, f"<= {most:g}", _cell(value), None if value is None else value <= most)


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}" if value < 1000 else f"{value:,.0f}"
