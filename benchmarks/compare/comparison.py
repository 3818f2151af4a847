"""``python -m benchmarks compare`` from its options to its report; ``command`` declares the options."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.compare import page, report
from benchmarks.compare.about import describe
from benchmarks.compare.build_llama import built_programs
from benchmarks.compare.cases import Case, default_cases, read_cases
from benchmarks.compare.model import TITLE, default_draft_model, default_model
from benchmarks.compare.peer import Question, Setup
from benchmarks.compare.peers import Row, choose_rows
from benchmarks.compare.process import PeerFailed, PeerProcess
from benchmarks.compare.runner import Results, run
from benchmarks.plots import require_matplotlib
from editd.errors import EditFailed, UsageError
from editd.models.llama_cpp.library import PATH_VARIABLE

_LIMIT_SECONDS = 900.0  # for one answer; an engine that takes longer is reported and left out


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command, as it declares them. model, draft: names or paths, or nothing."""

    model: str
    draft: str
    cases: Path | None
    peers: str
    repeats: int
    minutes: float
    limit: int
    threads: int
    json_file: Path | None
    plot: Path | None
    page: Path | None

    @property
    def command(self) -> str:
        """What makes the same measurement again; where it is written is left out."""
        words = ["python -m benchmarks compare", f"--repeats {self.repeats}"]
        given = {
            "--model": Path(self.model).name if self.model.endswith(".gguf") else self.model,
            "--draft-model": self.draft,
            "--cases": self.cases.name if self.cases else "",
            "--peers": "" if self.peers == "all" else self.peers,
            "--minutes": f"{self.minutes:g}" if self.minutes else "",
            "--limit": str(self.limit or ""),
            "--threads": "" if self.threads == 1 else str(self.threads),
        }
        return " ".join([*words, *(f"{name} {value}" for name, value in given.items() if value)])


@dataclass(frozen=True, slots=True)
class _Engines:
    """What engines are started with."""

    checkpoint: Path
    draft: Path | None
    logs: Path


def run_comparison(options: Options, console: Console, errors: Console) -> None:
    """Find the model and the peers, measure, report. Raises an ``EditdError`` for a wrong option."""
    if options.plot is not None:
        require_matplotlib()
    if options.page is not None:
        page.check(options.page)
    _find_programs()
    cases = read_cases(options.cases) if options.cases else default_cases()
    num_cases = len(cases)
    cases = cases[: options.limit or None]
    if len({case.name for case in cases}) < len(cases):
        raise UsageError("Two cases have the same name: give each its own.")
    with tempfile.TemporaryDirectory(prefix="editd-compare-") as scratch:
        stored = options.model.endswith(".gguf")
        rows, missing = _installed(choose_rows(options.peers, stored=stored))
        for line in missing:
            errors.print(f"[yellow]skipped[/yellow] {line}", highlight=False, soft_wrap=True)
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=errors,
            transient=True,
        ) as progress:
            checkpoint, draft, title = _checkpoint(options, progress)
            engines = _Engines(checkpoint, draft, Path(scratch))
            results = _measure(options, rows, cases, engines, progress)
    if len(cases) < num_cases:
        missing.append(f"{num_cases - len(cases)} of {num_cases} edits: --limit {options.limit}")
    missing += [f"the edit {name}: {reason}" for name, reason in results.left_out.items()]
    about = {**describe(title, options.threads), "command": options.command}
    data = report.as_json(results, about, missing)
    report.print_report(console, data)
    if options.json_file is not None:
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        options.json_file.write_text(text, encoding="utf-8")
    if options.plot is not None:
        page.draw(data, options.plot)
    if options.page is not None:
        page.write_page(options.page, data, options.plot)


def _find_programs() -> None:
    """Let what ``build_llama`` built be found as if it were installed; what is installed wins."""
    programs = built_programs()
    if programs is None:
        return
    os.environ["PATH"] = os.pathsep.join((os.environ.get("PATH", ""), str(programs)))
    # editd's rows on llama.cpp run on the same library as llama.cpp's own.
    library = programs / f"libllama.{'dylib' if sys.platform == 'darwin' else 'so'}"
    if library.is_file():
        os.environ.setdefault(PATH_VARIABLE, str(library))


def _installed(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """The rows whose engine is here, and one line for each engine that is not."""
    lines = {row.peer.name: row.peer.missing() for row in rows}
    here = [row for row in rows if lines[row.peer.name] is None]
    return here, list(dict.fromkeys(line for line in lines.values() if line))


def _checkpoint(options: Options, progress: Progress) -> tuple[Path, Path | None, str]:
    """The checkpoint's folder, the draft model's, and what to call them."""
    if options.model.endswith(".gguf"):
        file = Path(options.model).expanduser()
        return file, None, file.stem
    if options.model:
        from editd.models.model_folder import open_checkpoint

        found = open_checkpoint(options.model)
        draft = open_checkpoint(options.draft).folder if options.draft else None
        return found.folder, draft, found.name
    if options.cases:
        raise UsageError("The benchmark's own model knows its own edits only: add --model.")
    task = progress.add_task("the benchmark's model", total=1.0)

    def tell(message: str, done: float) -> None:
        progress.update(task, description=message, completed=done)

    model = default_model(tell)
    draft = default_draft_model(tell)
    progress.remove_task(task)
    return model, draft, TITLE


def _measure(
    options: Options,
    rows: list[Row],
    cases: list[Case],
    engines: _Engines,
    progress: Progress,
) -> Results:
    """Start each engine when it is first asked, and end them all."""
    with ExitStack() as stack:
        processes: dict[str, PeerProcess] = {}
        for peer in {row.peer.name: row.peer for row in rows}.values():
            processes[peer.name] = PeerProcess(
                peer.module,
                Setup(engines.checkpoint, options.threads, engines.draft, peer.weights),
                engines.logs / f"{peer.name}.log",
                _LIMIT_SECONDS,
            )
            stack.callback(processes[peer.name].close)
        task = progress.add_task("starting", total=None)

        def advanced(what: str, left: int) -> None:
            done = progress.tasks[-1].completed + 1
            progress.update(task, description=what, completed=done, total=done + left)

        def ask(row: Row, settings: dict[str, Any], question: Question) -> dict[str, Any]:
            return processes[row.peer.name].ask(settings, question)

        try:
            return run(
                rows,
                cases,
                ask,
                repeats=options.repeats,
                minutes=options.minutes,
                advanced=advanced,
            )
        except PeerFailed as error:
            raise EditFailed(f"editd's own plain decoding failed: {error}") from error
