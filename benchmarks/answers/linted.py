"""Kept answers, judged by a linter: ``python -m benchmarks.answers.linted FILE``.

Reads what ``python -m benchmarks.answers --words --json FILE`` wrote, marks the answers as ``cells`` does, and runs the
linter on the text before and after, as a front end would in a trusted project without settings of its own.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Annotated

import typer

from benchmarks.answers.cells import CELLS, cell_of, marks_of
from benchmarks.answers.judge import Outcome
from benchmarks.answers.report import saved
from editd.config import ChecksConfig
from editd.diff.document import Document
from editd.linters.session import Linters
from editd.messages import EditRequest, EditResult
from editd.refactor.computed import hunks_to


def main(
    file: Annotated[Path, typer.Argument(help="Answers that were kept.")],
    linter: Annotated[str, typer.Option(help="The command.")] = (
        "ruff check --output-format json --stdin-filename {path} -"
    ),
    *,
    show: Annotated[bool, typer.Option(help="Print each answer that is marked.")] = False,
) -> None:
    """Count by cell the answers that the linter marks, and the seconds that it takes."""
    counts, marked = Counter[str](), Counter[str]()
    seconds: list[float] = []
    linters = Linters(ChecksConfig(python=linter, time_limit=60))
    for outcome in saved(file):
        cell = cell_of(outcome, outcome.text, marks_of(outcome))
        counts[cell] += 1
        if outcome.text in (None, outcome.case.before):
            continue
        began = monotonic()
        result = judged(linters, outcome)
        seconds.append(monotonic() - began)
        if result.notices:
            raise SystemExit(result.notices[0])
        marked[cell] += bool(result.suspects)
        if show and result.suspects:
            print(f"{cell:22} {outcome.case.name:18} {outcome.case.instruction!r}")
            print("".join(f"    {reason}\n" for reason in result.suspects), end="")
    print("\n| answers | all | marked by the linter |\n|---|--:|--:|")
    for cell in CELLS:
        if counts[cell]:
            print(f"| {cell} | {counts[cell]} | {marked[cell]} |")
    print(f"\n{len(seconds)} texts, {median(seconds):.3f} s each, at most {max(seconds):.3f} s")


def judged(linters: Linters, outcome: Outcome) -> EditResult:
    """The answer with the linter's marks alone."""
    case = outcome.case
    with TemporaryDirectory() as folder:
        path = Path(folder, Path(case.path).name)
        request = EditRequest("1", case.before, case.instruction, path=case.path)
        request = replace(request, file=str(path), workspace_root=folder)
        text = outcome.text or ""
        hunks = hunks_to(Document.of(case.before), Document.of(text).model_text)
        result = EditResult("1", "stop", text, tuple(hunks))
        return asyncio.run(linters.judge(request, result))


if __name__ == "__main__":
    typer.run(main)
