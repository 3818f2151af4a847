"""The command: which files, which model, and the table.

Every edit is asked of the model, also where the words alone decide it, and twice: as editd does it and with
all of the file rewritten. Cold, the file was never read before; warm, the editor had asked for it
(``editd/warmup``), as it does while an instruction is typed. CPU seconds of the daemon tell how long it takes
where nothing else runs.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated

import psutil
import typer

from benchmarks.answers.cases import SETS
from benchmarks.felt_wait.session import Session, session
from editd.daemon.client import SocketEngineClient
from editd.errors import EditdError
from editd.messages.reports import Stats, Trace
from tests.fixtures.proposed_edits import library_files
from training.corpus import File
from training.families import GENERATORS, Edit, Source


@dataclass(frozen=True, slots=True)
class Waited:
    """Seconds of one edit. first: ``None`` where there was no hunk, or not in time.

    rest: neither the model's load, nor the prompt, nor rounds. cpu: of the daemon.
    """

    first: float | None
    end: float
    load: float
    prompt: float
    rounds: float
    cpu: float
    status: str
    prompt_tokens: int
    output_tokens: int

    @property
    def rest(self) -> float:
        return max(0.0, self.end - self.load - self.prompt - self.rounds)


def main(
    model: Annotated[str, typer.Option(help="A folder, a GGUF file or a pulled id.")],
    lines: Annotated[str, typer.Option(help="Lines of the files.")] = "50,200,500,1000,2000",
    kinds: Annotated[str, typer.Option(help="Families of edits.")] = "replace-string",
    most_seconds: Annotated[float, typer.Option(help="Of an edit; it is ended then.")] = 240.0,
    whole_lines: Annotated[int, typer.Option(help="Longer files are not rewritten whole.")] = 500,
    beside: Annotated[str, typer.Option(help="Load this model, too, and say how long.")] = "",
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 1,
    seed: Annotated[int, typer.Option(help="Draws the edits.")] = 0,
) -> None:
    """Measure what a person waits for in an editor."""
    with tempfile.TemporaryDirectory(prefix="editd-") as home:
        for name in filter(None, (beside, model)):
            with session(Path(home), name, threads) as editor:
                loaded = _edit(editor, "file:///load.py", "x = 1\n", "do nothing", most_seconds)
                print(f"loading {name}: {loaded.load:.1f} s", flush=True)
                if name == model:
                    _measure(editor, lines, kinds.split(","), most_seconds, whole_lines, seed)


def _measure(
    editor: Session,
    lines: str,
    kinds: list[str],
    most_seconds: float,
    whole_lines: int,
    seed: int,
) -> None:
    files = library_files(SETS["test"])
    print(
        "| lines | edit | rewritten | | first hunk, s | end, s | prompt | rounds | rest | CPU s |"
        " tokens read, written |\n" + "|---" * 11 + "|"
    )
    # The figures of rounds, from which the scope is chosen, are taken in the first warm-up.
    _warm_up(editor, "file:///first.py", "x = 1\n", most_seconds)
    for count in map(int, lines.split(",")):
        for kind in kinds:
            text, edit = _edit_of(files, count, kind, Random(f"{count} {kind} {seed}"))
            for whole in (True, False) if count <= whole_lines else (False,):
                for warm in (False, True):
                    uri = f"file:///{count}-{kind}-{whole}-{warm}.py"
                    if warm and not _warm_up(editor, uri, text, most_seconds):
                        continue
                    # A first line of its own: what was read for another row is of no use here.
                    own = f"# {uri}\n{text}" if not warm else text
                    waited = _edit(editor, uri, own, edit.instruction, most_seconds, whole=whole)
                    scope = "all" if whole else "what is concerned"
                    print(_row(count, kind, scope, warm, waited), flush=True)


def _edit_of(files: list[File], lines: int, kind: str, rng: Random) -> tuple[str, Edit]:
    """A file of about so many lines, and an edit of it whose first change is near the middle."""
    long = [file for file in files if file.text.count("\n") >= lines]
    for _ in range(2000):
        file = rng.choice(long)
        text = beginning(file.text, lines)
        source = Source(text, file.path)
        if not source.is_valid:
            continue
        edit = GENERATORS[kind].propose(source, rng, held_out=True)
        if edit is None or edit.after == text:
            continue
        first = next(
            i
            for i, (a, b) in enumerate(
                zip(text.splitlines(), edit.after.splitlines(), strict=False)
            )
            if a != b
        )
        if 0.4 <= first / lines <= 0.6:
            return text, edit
    raise typer.BadParameter(f"no edit of the kind {kind} was found in files of {lines} lines")


def beginning(text: str, lines: int) -> str:
    """The first ``lines`` lines or fewer, so that a definition at the margin follows; the whole text if none does."""
    all_lines = text.splitlines(keepends=True)
    for end in range(min(lines, len(all_lines)), 0, -1):
        if end == len(all_lines) or all_lines[end].startswith(("def ", "class ", "@")):
            return "".join(all_lines[:end])
    return text


def _warm_up(editor: Session, uri: str, text: str, most_seconds: float) -> bool:
    document = editor.open(uri, text)
    params = {"textDocument": document, "options": {"timeout": most_seconds}}
    return bool(editor.request("editd/warmup", params)[0]["status"] == "warm")


def _edit(
    editor: Session,
    uri: str,
    text: str,
    instruction: str,
    most_seconds: float,
    *,
    whole: bool = False,
) -> Waited:
    before = asyncio.run(_of_daemon()).cpu
    answer, first, end = editor.request(
        "editd/edit",
        {
            "editToken": uri,
            "text": text,
            "path": uri.rpartition("/")[2],
            "instruction": instruction,
            "options": {"timeout": most_seconds, "way": "whole" if whole else "model"},
        },
    )
    daemon = asyncio.run(_of_daemon())
    trace = daemon.trace
    rounds = trace.rounds if trace else ()
    stats = trace.stats if trace else Stats()
    return Waited(
        first,
        end,
        stats.load_seconds,
        trace.prefill_seconds if trace else 0.0,
        sum(r.draft_seconds + r.verify_seconds for r in rounds),
        daemon.cpu - before,
        answer["status"],
        stats.prompt_tokens or 0,
        stats.output_tokens or 0,
    )


@dataclass(frozen=True, slots=True)
class _Daemon:
    """The daemon's report of its last edit, and the CPU seconds that it has taken so far."""

    cpu: float = 0.0
    trace: Trace | None = None


async def _of_daemon() -> _Daemon:
    try:
        daemon = await SocketEngineClient.connect(start=False, client="bench")
    except EditdError:
        return _Daemon()  # it starts with the first edit
    try:
        process = psutil.Process((await daemon.status()).pid)
        times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
        return _Daemon(sum(t.user + t.system for t in times), (await daemon.explain()).trace)
    finally:
        await daemon.aclose()


def _row(lines: int, kind: str, scope: str, warm: bool, waited: Waited) -> str:  # noqa: FBT001
    def cell(seconds: float | None) -> str:
        return "–" if seconds is None else f"{seconds:.1f}"

    end = cell(waited.end) if waited.status == "ok" else f"{waited.status} at {cell(waited.end)}"
    cells = (
        str(lines),
        kind,
        scope,
        "warm" if warm else "cold",
        cell(waited.first),
        end,
        cell(waited.prompt),
        cell(waited.rounds),
        cell(waited.rest),
        cell(waited.cpu),
        f"{waited.prompt_tokens}, {waited.output_tokens}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    typer.run(main)
