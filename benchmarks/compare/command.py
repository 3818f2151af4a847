"""``python -m benchmarks compare`` from its options to its tables."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.compare import page
from benchmarks.compare.about import describe
from benchmarks.compare.cases import default_cases, read_cases
from benchmarks.compare.figures import figures_of
from benchmarks.compare.model import TITLE, default_model
from benchmarks.compare.peer import Question, Setup
from benchmarks.compare.peers import Row, choose_rows
from benchmarks.compare.process import PeerFailed, PeerProcess, Reply
from benchmarks.compare.runner import run
from benchmarks.plots import require_matplotlib
from benchmarks.terminal import refusing
from editd.errors import EditFailed, UsageError
from editd.models.model_folder import open_checkpoint

_LIMIT_SECONDS = 900.0  # for an answer; an engine that takes longer is reported and left out
_OUTPUTS = ("--json", "--plot", "--page")  # do not change what is measured


def compare(
    model: Annotated[
        str,
        typer.Option(
            help="Model: a name, a folder or a GGUF file; by default the benchmark's own."
        ),
    ] = "",
    cases: Annotated[
        Path | None, typer.Option(help="Edits: JSON lines with instruction and before.")
    ] = None,
    peers: Annotated[
        str, typer.Option(help="Engines, or ENGINE/MODE, separated by commas; or all.")
    ] = "all",
    repeats: Annotated[int, typer.Option(min=1, help="How often each edit is decoded.")] = 3,
    minutes: Annotated[
        float, typer.Option(min=0, help="Begin no repeat that would end later; 0: no limit.")
    ] = 0.0,
    limit: Annotated[int, typer.Option(min=0, help="Only so many edits; 0: all.")] = 0,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads of each engine.")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw CPU times by editd's (needs the extra plot).")
    ] = None,
    page_file: Annotated[
        Path | None,
        typer.Option("--page", help="Write the tables between the markers of this page."),
    ] = None,
) -> None:
    """Decode the same edits with the same weights in editd and in other engines."""
    with refusing(), tempfile.TemporaryDirectory(prefix="editd-compare-") as logs:
        if plot is not None:
            require_matplotlib()
        if page_file is not None:
            page.check(page_file)
        every = read_cases(cases) if cases else default_cases()
        chosen = every[: limit or None]
        if len({case.name for case in chosen}) < len(chosen):
            raise UsageError("Two cases have the same name: give each its own.")
        if cases and not model:
            raise UsageError("The benchmark's own model knows its own edits only: add --model.")
        rows, missing = _installed(choose_rows(peers, stored=model.endswith(".gguf")))
        for line in missing:
            print(f"skipped {line}", file=sys.stderr)
        checkpoint, title = _checkpoint(model)
        processes = _Processes(checkpoint, threads, Path(logs))
        try:
            results = run(
                rows, chosen, processes.ask, repeats=repeats, minutes=minutes, report=_report
            )
        except PeerFailed as error:
            raise EditFailed(f"editd's own plain decoding failed: {error}") from error
        finally:
            processes.close()
        if len(chosen) < len(every):
            missing.append(f"{len(every) - len(chosen)} of {len(every)} edits: --limit {limit}")
        missing += [f"the edit {name}: {reason}" for name, reason in results.left_out.items()]
        about = describe(title, threads, _command(sys.argv[1:]))
        section = page.section_of(results, about, missing)
        print(section)
        if json_file is not None:
            figures = {name: asdict(found) for name, found in figures_of(results).items()}
            data = {"about": about, "missing": missing, "figures": figures, **asdict(results)}
            json_file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
        if plot is not None:
            page.draw(results, plot)
        if page_file is not None:
            page.write_page(page_file, section, plot)


def _command(arguments: list[str]) -> str:
    """The command that measures the same again, without folders and without where it is written."""
    words, is_output = ["python -m benchmarks"], False
    for argument in arguments:
        if not is_output and argument.partition("=")[0] not in _OUTPUTS:
            words.append(
                Path(argument).name if "/" in argument and "," not in argument else argument
            )
        is_output = argument in _OUTPUTS
    return " ".join(words)


def _installed(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """The rows whose engine is installed, and a line for each engine that is not."""
    lines = {row.peer.name: row.peer.missing() for row in rows}
    installed = [row for row in rows if lines[row.peer.name] is None]
    return installed, list(dict.fromkeys(line for line in lines.values() if line))


def _checkpoint(model: str) -> tuple[Path, str]:
    """The checkpoint's folder or GGUF file, and its title; the benchmark's own is solved now if need be."""
    if model.endswith(".gguf"):
        file = Path(model).expanduser()
        return file, file.stem
    if model:
        found = open_checkpoint(model)
        return found.folder, found.name
    return default_model(lambda _message, _done: None), TITLE


class _Processes:
    """The process of each peer, started by its first question."""

    def __init__(self, checkpoint: Path, threads: int, logs: Path) -> None:
        self._checkpoint, self._threads, self._logs = checkpoint, threads, logs
        self._by_peer: dict[str, PeerProcess] = {}

    def ask(self, row: Row, question: Question) -> Reply:
        """Decode ``question`` with the row's engine and settings. Raises ``PeerFailed``."""
        peer = row.peer
        if peer.name not in self._by_peer:
            setup = Setup(self._checkpoint, self._threads, peer.weights)
            log = self._logs / f"{peer.name}.log"
            self._by_peer[peer.name] = PeerProcess(peer.module, setup, log, _LIMIT_SECONDS)
        return self._by_peer[peer.name].ask(row.mode.settings, question)

    def close(self) -> None:
        """End them all."""
        for process in self._by_peer.values():
            process.close()


def _report(answer: str, left: int) -> None:
    """Say on standard error which answer begins, and how many are left."""
    print(f"{answer} ({left} left)", file=sys.stderr)
