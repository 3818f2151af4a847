"""``python -m benchmarks drafters``: recorded edits through the engine, by plain decoding and by drafters.

The engine is the one that serves editors, the model the one that is set. Each edit is carried out whole
by every drafter, its prompt read before; plain decoding comes first, and every other text is compared
with its text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated

import typer

from benchmarks.terminal import progress_bar, refusing, wide_console
from editd import config_sources
from editd.engine import Engine
from editd.errors import error_for_code
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from tests.recorded_cases import Case, read_cases

PLAIN = "none"


@dataclass(frozen=True, slots=True)
class Run:
    """An edit by one drafter. seconds: without prefill. same: the text equals that of plain decoding.

    ``None`` where a server reports no counts, or where one of the two runs did not finish.
    """

    case: str
    drafter: str
    seconds: float
    output_tokens: int | None
    rounds: int | None
    first_hunk_ms: float | None
    finish_reason: str
    same: bool | None


def drafters(
    cases: Annotated[
        Path, typer.Argument(help="Edits to run: JSON lines with instruction, before and after.")
    ],
    model: Annotated[str, typer.Option(help="Model to measure; default: model.name.")] = "",
    drafter: Annotated[
        str, typer.Option(help="Drafters to compare, separated by commas.")
    ] = "buffer+suffix",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of edits to run.")] = 8,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this JSON file.")
    ] = None,
) -> None:
    """Run edits with your model and print tokens per second and the gain from drafting."""
    from editd.decode.drafters import check_spec

    drafters = [spec.strip() for spec in drafter.split(",") if spec.strip()]
    runs: list[Run] = []
    with refusing():
        for spec in drafters:
            check_spec(spec)
        chosen = read_cases(cases, limit)
        named = {"EDITD_MODEL": model} if model else {}
        engine = Engine(config_sources.resolve(environ={**os.environ, **named}).config)
        try:
            with progress_bar() as report:
                for number, case in enumerate(chosen):
                    report(case.id, number / len(chosen))
                    runs += run_case(engine, case, [PLAIN, *drafters])
        finally:
            engine.close()
    _print(runs, len(chosen))
    if json_file is not None:
        told_runs = [asdict(run) for run in runs]
        json_file.write_text(json.dumps(told_runs, indent=1) + "\n", encoding="utf-8")


def run_case(engine: Engine, case: Case, drafters: Sequence[str]) -> list[Run]:
    """An edit by each of ``drafters``, the first of which the others are compared with."""
    request = EditRequest(case.id, case.before, case.instruction, path=f"file.{case.language}")
    _carried_out(
        engine, request, EditOptions(drafter=PLAIN, max_new_tokens=1)
    )  # its prompt is read
    runs: list[Run] = []
    plain: str | None = None
    for spec in drafters:
        started = perf_counter()
        result = _carried_out(engine, request, EditOptions(drafter=spec))
        seconds = perf_counter() - started
        stats = result.stats
        plain = plain if runs else result.text
        runs.append(
            Run(
                case.id,
                spec,
                seconds,
                stats.output_tokens,
                stats.rounds,
                stats.first_hunk_ms,
                result.finish_reason,
                same=None if None in (plain, result.text) else result.text == plain,
            )
        )
    return runs


def _carried_out(engine: Engine, request: EditRequest, options: EditOptions) -> EditResult:
    *_, result = engine.edit(replace(request, options=options))
    assert isinstance(result, EditResult)  # noqa: S101 - every edit ends with one
    if result.error is not None and result.finish_reason == "error":
        raise error_for_code(result.error.code, result.error.message)
    return result


def _print(runs: Sequence[Run], num_cases: int) -> None:
    from rich.table import Table

    table = Table(title=f"{num_cases} edits, prompts read before", title_justify="left")
    table.add_column("drafter", no_wrap=True)
    for name in (
        "ended",
        "tokens/s",
        "tokens/round",
        "median s",
        "first hunk ms",
        "× none",
        "same",
    ):
        table.add_column(name, justify="right")
    plain = {run.case: run for run in runs if run.drafter == PLAIN and run.finish_reason == "stop"}
    for drafter in dict.fromkeys(run.drafter for run in runs):
        ended = [run for run in runs if run.drafter == drafter and run.finish_reason == "stop"]
        gains = [plain[run.case].seconds / run.seconds for run in ended if run.case in plain]
        tokens, rounds = (
            sum(getattr(run, n) or 0 for run in ended) for n in ("output_tokens", "rounds")
        )
        seconds = sum(run.seconds for run in ended)
        hunks = [run.first_hunk_ms for run in ended if run.first_hunk_ms is not None]
        table.add_row(
            drafter,
            f"{len(ended)}/{num_cases}",
            f"{tokens / seconds:,.1f}" if tokens and seconds else "-",
            f"{tokens / rounds:.1f}" if rounds else "-",
            f"{median(run.seconds for run in ended):.2f}" if ended else "-",
            f"{median(hunks):,.0f}" if hunks else "-",
            f"{median(gains):.2f}" if gains else "-",
            f"{sum(bool(run.same) for run in ended)}/{len(ended)}",
        )
    wide_console().print(table)
